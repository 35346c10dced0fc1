package io.penstock.policy.accesslog;

import io.penstock.policy.HostName;
import io.penstock.policy.accesslog.LogEntry.LogTarget;
import io.penstock.policy.address.IpAddress;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Converts the fields of lines to entries. Not thread-safe. */
final class EntryReader {
  private static final @Nullable String[] NO_VALUES = {};
  private static final int MAX_METHOD_LENGTH = 32;
  static final int MAX_COUNT = 1_000_000;

  private final LogFields fields;
  private final TimeText times = new TimeText();
  private final ByteCache<String> texts = new ByteCache<>(text -> text);
  private final ByteCache<LogTarget> targets = new ByteCache<>(EntryReader::target);
  private final ByteCache<String> hosts = new ByteCache<>(HostName::of);
  private final ByteCache<Optional<IpAddress>> addresses = new ByteCache<>(EntryReader::address);
  private UnreadableLines.Cause failure = UnreadableLines.Cause.OTHER_FORMAT;

  EntryReader(LogFields fields) {
    this.fields = fields;
  }

  /** Returns the entry of a line, or null; then {@link #failure} has the cause. */
  @Nullable LogEntry read(LineFields line) {
    long time = time(line);
    if (time == TimeText.INVALID) {
      failure = UnreadableLines.Cause.NO_TIME;
      return null;
    }
    LogTarget target = null;
    String method = null;
    if (line.has(LogField.REQUEST_LINE)) {
      byte[] text = bytes(line, LogField.REQUEST_LINE.slot());
      int from = text == line.line() ? line.from(LogField.REQUEST_LINE.slot()) : 0;
      int to = text == line.line() ? line.to(LogField.REQUEST_LINE.slot()) : text.length;
      int first = Bytes.indexOf(text, ' ', from, to);
      int last = Bytes.lastIndexOf(text, ' ', from, to);
      if (first < to && first - from <= MAX_METHOD_LENGTH && isMethod(text, from, first)) {
        method = texts.get(text, from, first);
        int end = last > first ? last : to;
        target = targets.get(text, first + 1, end);
      }
    }
    if (line.has(LogField.METHOD)) {
      method = get(line, LogField.METHOD.slot(), texts);
    }
    if (line.has(LogField.TARGET)) {
      target = get(line, LogField.TARGET.slot(), targets);
      if (line.has(LogField.QUERY) && target.query().isEmpty()) {
        String query = get(line, LogField.QUERY.slot(), texts);
        target = new LogTarget(target.path(), query, target.host());
      }
    }
    IpAddress address = null;
    if (line.has(LogField.ADDRESS)) {
      address = get(line, LogField.ADDRESS.slot(), addresses).orElse(null);
    }
    int count = (int) number(line, LogField.COUNT, 1, MAX_COUNT + 1);
    if (count > MAX_COUNT) {
      failure = UnreadableLines.Cause.COUNT_TOO_LARGE;
      return null;
    }
    @Nullable String[] values = values(line);
    if (target == null && method == null && address == null && values == NO_VALUES) {
      failure = UnreadableLines.Cause.NO_REQUEST;
      return null;
    }
    return new LogEntry(
        fields,
        time,
        address,
        method,
        target,
        host(line, target),
        (int) number(line, LogField.STATUS, 0, 999),
        count,
        values);
  }

  UnreadableLines.Cause failure() {
    return failure;
  }

  private long time(LineFields line) {
    int slot = LogField.TIME.slot();
    if (!line.has(slot)) {
      return TimeText.INVALID;
    }
    if (line.has(LogField.DATE)) {
      int date = LogField.DATE.slot();
      long time =
          times.parse(line.line(), line.from(date), line.to(date), line.from(slot), line.to(slot));
      if (time != TimeText.INVALID) {
        return time;
      }
    }
    byte[] text = bytes(line, slot);
    return text == line.line()
        ? times.parse(text, line.from(slot), line.to(slot))
        : times.parse(text, 0, text.length);
  }

  private @Nullable String[] values(LineFields line) {
    @Nullable String[] values = NO_VALUES;
    for (int i = 0; i < fields.attributeCount(); i++) {
      int slot = LogFields.attributeSlot(i);
      if (line.has(slot)) {
        if (values == NO_VALUES) {
          values = new @Nullable String[fields.attributeCount()];
        }
        values[i] = get(line, slot, texts);
      }
    }
    // Without a single value, an entry still needs the array that its lookups index.
    return values == NO_VALUES && fields.attributeCount() > 0 && hasRequest(line)
        ? new @Nullable String[fields.attributeCount()]
        : values;
  }

  private static boolean hasRequest(LineFields line) {
    return line.has(LogField.ADDRESS)
        || line.has(LogField.REQUEST_LINE)
        || line.has(LogField.METHOD)
        || line.has(LogField.TARGET);
  }

  private @Nullable String host(LineFields line, @Nullable LogTarget target) {
    if (target != null && target.host() != null) {
      return target.host();
    }
    return line.has(LogField.HOST) ? get(line, LogField.HOST.slot(), hosts) : null;
  }

  private static <T> T get(LineFields line, int slot, ByteCache<T> cache) {
    byte[] text = bytes(line, slot);
    return text == line.line()
        ? cache.get(text, line.from(slot), line.to(slot))
        : cache.get(text, 0, text.length);
  }

  /** Returns the line if the field has no escapes, and otherwise its decoded text. */
  private static byte[] bytes(LineFields line, int slot) {
    TextEscape escape = line.escape(slot);
    return escape == TextEscape.NONE
        ? line.line()
        : escape.decode(line.line(), line.from(slot), line.to(slot));
  }

  /** Returns a number from {@code otherwise} to {@code max}, or {@code otherwise}. */
  private static long number(LineFields line, LogField field, long otherwise, long max) {
    if (!line.has(field)) {
      return otherwise;
    }
    long value = 0;
    for (int i = line.from(field.slot()); i < line.to(field.slot()); i++) {
      int digit = line.line()[i] - '0';
      if (digit < 0 || digit > 9) {
        return otherwise;
      }
      value = Math.min(max, value * 10 + digit);
    }
    return Math.max(otherwise, value);
  }

  private static boolean isMethod(byte[] text, int from, int to) {
    for (int i = from; i < to; i++) {
      int letter = text[i] | 0x20;
      if ((letter < 'a' || letter > 'z') && text[i] != '-') {
        return false;
      }
    }
    return from < to;
  }

  /** Splits {@code /path?query}, {@code https://host/path?query} or {@code host:443}. */
  private static LogTarget target(String text) {
    String path = text;
    String host = null;
    int scheme = text.indexOf("://");
    if (scheme > 0 && scheme <= 5 && text.charAt(0) != '/') {
      int slash = text.indexOf('/', scheme + 3);
      int mark = text.indexOf('?', scheme + 3);
      int end =
          slash < 0 ? (mark < 0 ? text.length() : mark) : mark < 0 ? slash : Math.min(slash, mark);
      host = HostName.of(text.substring(scheme + 3, end));
      path =
          end < text.length() && text.charAt(end) == '/'
              ? text.substring(end)
              : "/" + text.substring(end);
    }
    int question = path.indexOf('?');
    return question < 0
        ? new LogTarget(path, "", host)
        : new LogTarget(path.substring(0, question), path.substring(question + 1), host);
  }

  /**
   * Parses {@code 192.0.2.1}, {@code 192.0.2.1:5678}, {@code [::1]:5678}, or the first of a list.
   */
  private static Optional<IpAddress> address(String text) {
    int comma = text.indexOf(',');
    String first = comma < 0 ? text.strip() : text.substring(0, comma).strip();
    IpAddress whole = IpAddress.parse(first);
    int colon = first.lastIndexOf(':');
    return whole != null || colon < 0
        ? Optional.ofNullable(whole)
        : Optional.ofNullable(IpAddress.parse(first.substring(0, colon)));
  }
}
