package io.penstock.policy.accesslog;

/**
 * Parses times in logs from bytes: {@code 10/Oct/2025:13:55:36 +0000}, ISO 8601, and seconds,
 * milliseconds, microseconds or nanoseconds since 1970. Times without a zone are UTC. Not
 * thread-safe.
 */
final class TimeText {
  /** The result for a text that is not a time. */
  static final long INVALID = Long.MIN_VALUE;

  private static final String MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec";
  private static final long SECOND = 1_000_000_000L;
  private static final int MAX_DIGITS = 19;
  private static final int NANO_DIGITS = 9;
  private static final int MAX_ZONE_HOURS = 18;
  private static final int MIN_YEAR = 1970;
  private static final int MAX_YEAR = 2261;

  private byte[] text = {};
  private int at;
  private int end;
  private boolean failed;

  /** Returns nanoseconds since 1970, or {@link #INVALID}. */
  long parse(byte[] bytes, int from, int to) {
    begin(bytes, from, to);
    if (to - from < 8) {
      return INVALID;
    }
    long time =
        bytes[from + 2] == '/'
            ? commonLog()
            : bytes[from + 4] == '-' || bytes[from + 4] == '/' ? iso() : number();
    return failed || at != end || time < 0 ? INVALID : time;
  }

  /** Parses a date and a time of day in UTC that are separate fields. */
  long parse(byte[] bytes, int dateFrom, int dateTo, int timeFrom, int timeTo) {
    begin(bytes, dateFrom, dateTo);
    long days = isoDate();
    if (at != end) {
      return INVALID;
    }
    at = timeFrom;
    end = timeTo;
    long time = days * 86_400 * SECOND + timeOfDay();
    return failed || at != end ? INVALID : time;
  }

  private void begin(byte[] bytes, int from, int to) {
    text = bytes;
    at = from;
    end = to;
    failed = false;
  }

  private long commonLog() {
    int day = digits(2);
    expect('/');
    int month = month();
    expect('/');
    int year = digits(4);
    expect(':');
    long nanos = days(year, month, day) * 86_400 * SECOND + timeOfDay();
    return nanos - zone();
  }

  private long iso() {
    long days = isoDate();
    if (at < end && (text[at] == 'T' || text[at] == 't' || text[at] == ' ')) {
      at++;
    } else {
      failed = true;
    }
    long nanos = days * 86_400 * SECOND + timeOfDay();
    return nanos - zone();
  }

  private long isoDate() {
    int year = digits(4);
    byte separator = at < end ? text[at] : 0;
    expect(separator == '/' ? '/' : '-');
    int month = digits(2);
    expect(separator == '/' ? '/' : '-');
    return days(year, month, digits(2));
  }

  /** Parses {@code 13:55:36.123}. */
  private long timeOfDay() {
    int hour = digits(2);
    expect(':');
    int minute = digits(2);
    expect(':');
    int second = digits(2);
    failed |= hour > 23 || minute > 59 || second > 60;
    long nanos = ((hour * 60L + minute) * 60 + second) * SECOND;
    if (at < end && (text[at] == '.' || text[at] == ',')) {
      at++;
      nanos += fraction();
    }
    return nanos;
  }

  private long fraction() {
    long value = 0;
    int count = 0;
    for (; at < end && isDigit(text[at]); at++) {
      if (count < NANO_DIGITS) {
        value = value * 10 + text[at] - '0';
        count++;
      }
    }
    failed |= count == 0;
    for (; count < NANO_DIGITS; count++) {
      value *= 10;
    }
    return value;
  }

  /** Parses {@code Z}, {@code +0200} or {@code +02:00}, or nothing for UTC. */
  private long zone() {
    if (at < end && text[at] == ' ') {
      at++;
    }
    if (at == end) {
      return 0;
    }
    byte sign = text[at++];
    if (sign == 'Z' || sign == 'z') {
      return 0;
    }
    failed |= sign != '+' && sign != '-';
    int hours = digits(2);
    if (at < end && text[at] == ':') {
      at++;
    }
    int minutes = at < end ? digits(2) : 0;
    failed |= hours > MAX_ZONE_HOURS || minutes > 59;
    long offset = (hours * 60L + minutes) * 60 * SECOND;
    return sign == '-' ? -offset : offset;
  }

  /** Parses a number since 1970, whose unit follows from its size. */
  private long number() {
    long whole = 0;
    int count = 0;
    for (; at < end && isDigit(text[at]); at++) {
      if (++count > MAX_DIGITS) {
        failed = true;
        return INVALID;
      }
      whole = whole * 10 + text[at] - '0';
    }
    long unit =
        switch (count) {
          case 9, 10 -> SECOND;
          case 13 -> 1_000_000L;
          case 16 -> 1_000L;
          case 19 -> 1L;
          default -> 0;
        };
    failed |= unit == 0 || whole > Long.MAX_VALUE / Math.max(1, unit) - 1;
    long nanos = whole * unit;
    if (at < end && text[at] == '.') {
      at++;
      nanos += fraction() / (SECOND / Math.max(1, unit));
    }
    return nanos;
  }

  private int month() {
    if (end - at < 3) {
      failed = true;
      return 1;
    }
    int index = -1;
    for (int i = 0; i < MONTHS.length() && index < 0; i += 3) {
      if ((text[at] | 0x20) == MONTHS.charAt(i)
          && (text[at + 1] | 0x20) == MONTHS.charAt(i + 1)
          && (text[at + 2] | 0x20) == MONTHS.charAt(i + 2)) {
        index = i / 3 + 1;
      }
    }
    failed |= index < 0;
    at += 3;
    return Math.max(1, index);
  }

  private int digits(int count) {
    int value = 0;
    for (int i = 0; i < count; i++) {
      if (at == end || !isDigit(text[at])) {
        failed = true;
        return value;
      }
      value = value * 10 + text[at++] - '0';
    }
    return value;
  }

  private void expect(char c) {
    if (at < end && text[at] == c) {
      at++;
    } else {
      failed = true;
    }
  }

  private static boolean isDigit(byte c) {
    return c >= '0' && c <= '9';
  }

  /** Returns the days since 1970 of a date in the Gregorian calendar. */
  private long days(int year, int month, int day) {
    failed |= month < 1 || month > 12 || year < MIN_YEAR || year > MAX_YEAR;
    failed |= day < 1 || day > (failed ? 0 : daysInMonth(year, month));
    long shifted = month <= 2 ? year - 1L : year;
    long era = shifted / 400;
    long yearOfEra = shifted - era * 400;
    long dayOfYear = (153L * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468;
  }

  private static int daysInMonth(int year, int month) {
    boolean isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2
        ? (isLeapYear ? 29 : 28)
        : month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
  }
}
