package io.penstock.policy.accesslog;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the entries of one log in order of time. Not thread-safe. */
final class LogReader implements AutoCloseable {
  private static final int SAMPLE_BYTES = 128 * 1024;
  private static final int SAMPLE_LINES = 200;
  private static final byte[] BYTE_ORDER_MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

  /** Quiet times are common in logs; wrong times are usually off by years. */
  private static final long MAX_JUMP_NANOS = 86_400_000_000_000L;

  private final LogSource source;
  private final LogOptions options;
  private final ReadSummary summary;
  private final InputStream in;
  private final LineReader lines;
  private final LineFields line;
  private final EntryReader entries;
  private final ReorderWindow window;
  private final LogFormat format;
  private final List<LineFormat> formats = new ArrayList<>();
  private long number;
  private boolean atEnd;
  private long lastTime = Long.MIN_VALUE;
  private @Nullable LogEntry distant;
  private byte[] distantText = {};

  LogReader(LogSource source, LogOptions options, EntryReader entries, ReadSummary summary) {
    this.source = source;
    this.options = options;
    this.summary = summary;
    this.line = new LineFields(options.fields());
    this.entries = entries;
    this.window = new ReorderWindow(options.window().toNanos());
    byte[] sample;
    try {
      InputStream whole = source.open(summary.bytesRead());
      sample = sample(whole);
      this.in = new SequenceInputStream(new ByteArrayInputStream(sample), whole);
    } catch (IOException e) {
      throw new AccessLogException(source.name() + ": cannot be read: " + e.getMessage(), e);
    }
    this.lines = new LineReader(in);
    this.format = options.format() == null ? detect(sample) : options.format();
    formats.add(format.create(options.fields()));
    if (options.format() == null) {
      Arrays.stream(LogFormat.values())
          .filter(each -> each != format && each.isStateless())
          .forEach(each -> formats.add(each.create(options.fields())));
    }
    summary.addFormat(format);
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

  /** Returns the format in which most of the first lines can be read. */
  private LogFormat detect(byte[] sample) {
    Map<LogFormat, Integer> readable = new EnumMap<>(LogFormat.class);
    for (LogFormat candidate : LogFormat.values()) {
      readable.put(candidate, readable(candidate, sample));
    }
    LogFormat best = LogFormat.COMBINED;
    for (LogFormat candidate : LogFormat.values()) {
      if (readable.getOrDefault(candidate, 0) > readable.getOrDefault(best, 0)) {
        best = candidate;
      }
    }
    if (sample.length == 0) {
      summary.unreadable().addProblem(source.name() + ": is empty");
    } else if (readable.getOrDefault(best, 0) == 0) {
      String first = new String(sample, 0, Math.min(sample.length, 100), StandardCharsets.UTF_8);
      throw new AccessLogException(
          source.name()
              + ": the format is not recognized in its first lines. It starts with\n  "
              + SafeText.of(first.lines().findFirst().orElse(""))
              + "\nSupported formats are:\n"
              + LogFormat.list()
              + "\n--field maps fields with other names, for example --field time=when");
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
      if (lines.next()) {
        number++;
        summary.addLine();
        readEntry();
      } else {
        end();
      }
    } catch (IOException | RuntimeException e) {
      String cause = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
      summary
          .unreadable()
          .addProblem(
              source.name()
                  + ": cannot be read after line "
                  + number
                  + " ("
                  + SafeText.of(cause)
                  + "); the lines before it are included");
      end();
    }
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
      LineFormat.LineKind kind = formats.get(i).read(text, from, to, line);
      if (kind == LineFormat.LineKind.HEADER) {
        summary.addHeader();
        return;
      }
      if (kind == LineFormat.LineKind.REQUEST) {
        LogEntry entry = entries.read(line);
        if (entry != null) {
          accept(entry);
          return;
        }
        cause = entries.failure();
      }
    }
    unreadable(cause);
  }

  private void unreadable(UnreadableLines.Cause cause) {
    summary
        .unreadable()
        .add(source.name(), number, cause, lines.buffer(), lines.from(), lines.to());
  }

  /**
   * Passes an entry on. If its time is more than a day after the previous one, the next entry has
   * to confirm it; otherwise a single wrong time would move the clock into the future.
   */
  private void accept(LogEntry entry) {
    LogEntry pending = distant;
    if (pending != null) {
      distant = null;
      if (entry.timeNanos() - lastTime > MAX_JUMP_NANOS) {
        add(pending);
      } else {
        summary
            .unreadable()
            .add(
                source.name(),
                number - 1,
                UnreadableLines.Cause.OTHER_TIME,
                distantText,
                0,
                distantText.length);
      }
    }
    if (lastTime != Long.MIN_VALUE && entry.timeNanos() - lastTime > MAX_JUMP_NANOS) {
      distant = entry;
      distantText = Arrays.copyOfRange(lines.buffer(), lines.from(), lines.to());
      return;
    }
    add(entry);
  }

  private void add(LogEntry entry) {
    lastTime = Math.max(lastTime, entry.timeNanos());
    window.add(entry);
  }

  private void end() {
    if (distant != null) {
      window.add(distant);
      distant = null;
    }
    atEnd = true;
    summary.addLate(window.late());
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
