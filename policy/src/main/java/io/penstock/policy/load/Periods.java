package io.penstock.policy.load;

import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lengths of time as rules write them: {@code 60s}, {@code 1h}. */
final class Periods {
  private static final Pattern FORM = Pattern.compile("([0-9]{1,9})\\s*([a-z]{1,10})");
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration DAY = Duration.ofDays(1);
  private static final Map<String, Duration> UNITS =
      Map.ofEntries(
          Map.entry("s", SECOND),
          Map.entry("sec", SECOND),
          Map.entry("second", SECOND),
          Map.entry("m", MINUTE),
          Map.entry("min", MINUTE),
          Map.entry("minute", MINUTE),
          Map.entry("h", HOUR),
          Map.entry("hour", HOUR),
          Map.entry("d", DAY),
          Map.entry("day", DAY));

  private Periods() {}

  static Duration parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("must be like 60s, 1m, 1h or 1d: " + text);
    }
    Duration unit = UNITS.get(matcher.group(2));
    if (unit == null) {
      throw new IllegalArgumentException(
          "must have a unit of time (s, sec, second, m, min, minute, h, hour, d, day): "
              + matcher.group(2)
              + Nearest.hint(matcher.group(2), UNITS.keySet()));
    }
    Duration period = unit.multipliedBy(Long.parseLong(matcher.group(1)));
    if (period.isZero()) {
      throw new IllegalArgumentException("must be longer than nothing: " + text);
    }
    return period;
  }
}
