package io.penstock.policy.accesslog;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the entries of one log in order of time. Not thread-safe. */
final class LogReader implements AutoCloseable {
  private static final int SAMPLE_BYTES = 128 * 1024;
  private static final int SAMPLE_LINES = 200;

  /** The format has to be found within these; logs may begin with other output. */
  private static final int MAX_DETECTION_LINES = 100_000;

  private static final long MAX_DETECTION_BYTES = 64L << 20;
  private static final byte[] BYTE_ORDER_MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

  /** Quiet times are common in logs; wrong times are usually off by years. */
  private static final long MAX_JUMP_NANOS = 86_400_000_000_000L;

  private static final int FIRST_ENTRIES = 3;

  /** How many entries in a row have to be as far ahead for their times to be right. */
  private static final int CONFIRMATIONS = 10;

  private final LogSource source;
  private final LogOptions options;
  private final ReadSummary summary;
  private final InputStream in;
  private final LineReader lines;
  private final LineFields line;
  private final EntryReader entries;
  private final ReorderWindow window;
  private final String beginning;
  private final List<CandidateFormat> formats = new ArrayList<>();
  private boolean isRecognized;
  private long number;
  private long unreadable;
  private @Nullable String incomplete;
  private boolean atEnd;
  private long lastTime = Long.MIN_VALUE;
  private final List<DistantEntry> distant = new ArrayList<>();

  /** The first entries, until it is known whether the time of the first one is right. */
  private final List<DistantEntry> first = new ArrayList<>();

  private boolean hasBegun;

  private record CandidateFormat(LogFormat name, LineFormat format) {}

  /** An entry whose time may be wrong. */
  private record DistantEntry(LogEntry entry, long number, String text) {}

  LogReader(
      LogSource source,
      LogOptions options,
      EntryReader entries,
      HeldBytes held,
      ReadSummary summary) {
    this.source = source;
    this.options = options;
    this.summary = summary;
    this.line = new LineFields(options.fields());
    this.entries = entries;
    this.window = new ReorderWindow(options.window().toNanos(), held);
    byte[] sample;
    try {
      InputStream whole = source.open(summary.bytesRead());
      sample = sample(whole);
      this.in = new SequenceInputStream(new ByteArrayInputStream(sample), whole);
    } catch (IOException e) {
      throw new AccessLogException(source.name() + ": cannot be read: " + reason(e), e);
    }
    this.lines = new LineReader(in);
    this.beginning =
        UnreadableLines.beginning(sample, 0, Bytes.indexOf(sample, '\n', 0, sample.length));
    LogFormat format = options.format() == null ? detect(sample) : options.format();
    if (format != null) {
      formats.add(new CandidateFormat(format, format.create(options.fields())));
      recognize(formats.get(0));
    }
    if (options.format() == null) {
      Arrays.stream(LogFormat.values())
          .filter(each -> each != format && (format == null || each.isStateless()))
          .map(each -> new CandidateFormat(each, each.create(options.fields())))
          .forEach(formats::add);
    }
    if (sample.length == 0) {
      summary.unreadable().addProblem(source.name() + ": is empty");
    }
  }

  /** Returns the message of an exception. The one for a compressed file that ends has none. */
  private static String reason(Exception failure) {
    String message = failure.getMessage();
    return failure instanceof EOFException
        ? "it ends early"
        : message == null ? failure.getClass().getSimpleName() : message;
  }

  private void recognize(CandidateFormat candidate) {
    isRecognized = true;
    summary.addFormat(candidate.name);
    formats.removeIf(each -> each.name == candidate.name || !each.name.isStateless());
    formats.add(0, candidate);
  }

  /** Reads the beginning of a log. An error that occurs here occurs again when the log is read. */
  private static byte[] sample(InputStream whole) throws IOException {
    byte[] bytes = new byte[SAMPLE_BYTES];
    int length = 0;
    try {
      for (int count = 0; count >= 0 && length < bytes.length; length += Math.max(0, count)) {
        count = whole.read(bytes, length, bytes.length - length);
      }
    } catch (IOException e) {
      if (length == 0) {
        throw e;
      }
    }
    int from =
        length >= BYTE_ORDER_MARK.length && startsWithMark(bytes) ? BYTE_ORDER_MARK.length : 0;
    return Arrays.copyOfRange(bytes, from, length);
  }

  private static boolean startsWithMark(byte[] bytes) {
    return Arrays.equals(
        bytes, 0, BYTE_ORDER_MARK.length, BYTE_ORDER_MARK, 0, BYTE_ORDER_MARK.length);
  }

  /** Returns the format in which most of the first lines can be read, or null. */
  private @Nullable LogFormat detect(byte[] sample) {
    LogFormat best = null;
    int most = 0;
    for (LogFormat candidate : LogFormat.values()) {
      int count = readable(candidate, sample);
      if (count > most) {
        best = candidate;
        most = count;
      }
    }
    return best;
  }

  private int readable(LogFormat candidate, byte[] sample) {
    LineFormat tried = candidate.create(options.fields());
    LineReader reader = new LineReader(new ByteArrayInputStream(sample));
    int count = 0;
    try {
      for (int i = 0; i < SAMPLE_LINES && reader.next(); i++) {
        line.begin(reader.buffer());
        LineFormat.LineKind kind = tried.read(reader.buffer(), reader.from(), reader.to(), line);
        count += kind == LineFormat.LineKind.REQUEST && entries.read(line) != null ? 1 : 0;
      }
    } catch (IOException impossible) {
      throw new AccessLogException(source.name(), impossible);
    }
    return count;
  }

  /** Returns the next entry, or null at the end. */
  @Nullable LogEntry next() {
    LogEntry next = window.poll(atEnd);
    while (next == null && !atEnd) {
      readLine();
      next = window.poll(atEnd);
    }
    return next;
  }

  private void readLine() {
    try {
      if (lines.bytes() > options.maxBytes()) {
        String limit = options.maxBytes() / 1024 + " KiB";
        summary.unreadable().addProblem(source.name() + ": only the first " + limit + " are read");
        end();
      } else if (lines.next()) {
        number++;
        summary.addLine();
        readEntry();
      } else {
        end();
      }
    } catch (IOException | RuntimeException e) {
      summary
          .unreadable()
          .addProblem(
              source.name()
                  + ": cannot be read after line "
                  + number
                  + " ("
                  + SafeText.of(reason(e))
                  + "); the lines before it are included");
      end();
    }
    if (!isRecognized
        && unreadable > 0
        && (atEnd || number >= MAX_DETECTION_LINES || lines.bytes() >= MAX_DETECTION_BYTES)) {
      throw unrecognized();
    }
  }

  private UnrecognizedLogException unrecognized() {
    return new UnrecognizedLogException(
        source.name(),
        number,
        source.name()
            + ": the format is not recognized in its first "
            + (number == 1 ? "line" : number + " lines")
            + ". It starts with\n  "
            + beginning
            + (incomplete == null ? "" : "\n" + incomplete)
            + "\nSupported formats are:\n"
            + LogFormat.list()
            + "\n--field maps fields with other names, for example --field time=when"
            + " --field ip:address=client");
  }

  private void readEntry() {
    byte[] text = lines.buffer();
    int from = lines.from();
    int to = lines.to();
    if (lines.isTooLong()) {
      unreadable(UnreadableLines.Cause.TOO_LONG);
      return;
    }
    if (from == to) {
      summary.addHeader();
      return;
    }
    UnreadableLines.Cause cause = UnreadableLines.Cause.OTHER_FORMAT;
    for (int i = 0; i < formats.size(); i++) {
      line.begin(text);
      CandidateFormat candidate = formats.get(i);
      LineFormat.LineKind kind = candidate.format.read(text, from, to, line);
      if (kind == LineFormat.LineKind.HEADER) {
        summary.addHeader();
        return;
      }
      if (kind == LineFormat.LineKind.REQUEST) {
        LogEntry entry = entries.read(line);
        if (entry != null) {
          if (!isRecognized) {
            recognize(candidate);
          }
          begin(entry);
          return;
        }
        cause = entries.failure();
        if (incomplete == null) {
          incomplete = "Line %d may be %s, but has %s.".formatted(number, candidate.name, cause);
        }
      }
    }
    unreadable(cause);
  }

  private void unreadable(UnreadableLines.Cause cause) {
    unreadable++;
    summary.unreadable().add(source.name(), number, cause, this::shownLine);
  }

  private String shownLine() {
    return UnreadableLines.beginning(lines.buffer(), lines.from(), lines.to());
  }

  /**
   * Passes the first entries on, except the very first one if its time is more than a day after the
   * others, and these don't descend.
   */
  private void begin(LogEntry entry) {
    if (hasBegun) {
      accept(new DistantEntry(entry, number, ""));
      return;
    }
    first.add(new DistantEntry(entry, number, shownLine()));
    if (first.size() == FIRST_ENTRIES) {
      long second = first.get(1).entry.timeNanos();
      if (first.get(0).entry.timeNanos() - second > MAX_JUMP_NANOS
          && first.get(2).entry.timeNanos() >= second) {
        addWrongTime(first.remove(0));
      }
      acceptFirst();
    }
  }

  private void acceptFirst() {
    hasBegun = true;
    first.forEach(this::accept);
    first.clear();
  }

  private void addWrongTime(DistantEntry wrong) {
    summary
        .unreadable()
        .add(source.name(), wrong.number, UnreadableLines.Cause.OTHER_TIME, wrong::text);
  }

  /**
   * Passes an entry on. If its time is more than a day after the previous one, the next entries
   * have to confirm it; otherwise a few wrong times would move the clock into the future.
   */
  private void accept(DistantEntry read) {
    LogEntry entry = read.entry;
    if (lastTime != Long.MIN_VALUE && entry.timeNanos() - lastTime > MAX_JUMP_NANOS) {
      distant.add(read.text.isEmpty() ? new DistantEntry(entry, number, shownLine()) : read);
      if (distant.size() == CONFIRMATIONS) {
        addDistant();
      }
      return;
    }
    distant.forEach(this::addWrongTime);
    distant.clear();
    add(entry);
  }

  private void addDistant() {
    distant.forEach(each -> add(each.entry));
    distant.clear();
  }

  private void add(LogEntry entry) {
    lastTime = Math.max(lastTime, entry.timeNanos());
    window.add(entry);
  }

  private void end() {
    acceptFirst();
    addDistant();
    atEnd = true;
    summary.addLate(window.late(), window.isShortened());
  }

  @Override
  public void close() {
    try {
      in.close();
    } catch (IOException e) {
      summary.unreadable().addProblem(source.name() + ": cannot be closed: " + e.getMessage());
    }
  }
}
