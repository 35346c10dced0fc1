package io.penstock.policy.load;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses durations as written in files, such as {@code 60s} or {@code 1h}. */
final class Periods {
  private static final Pattern FORM = Pattern.compile("([0-9]{1,9})\\s*([a-z]{1,10})");
  private static final Map<String, Duration> UNITS = units(false);
  private static final Map<String, Duration> FINE_UNITS = units(true);

  private Periods() {}

  /** Parses the period of a rule, which is positive and in whole seconds. */
  static Duration parse(String text) {
    Duration period = parse(text, UNITS, "must be like 60s, 1m, 1h or 1d: ");
    if (period.isZero()) {
      throw new IllegalArgumentException("must be positive: " + text);
    }
    return period;
  }

  /** Parses a duration that may be zero and has a resolution of a millisecond. */
  static Duration parseFromZero(String text) {
    return parse(text, FINE_UNITS, "must be like 100ms, 1s, 2m or 1h: ");
  }

  private static Duration parse(String text, Map<String, Duration> units, String form) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(form + text);
    }
    Duration unit = units.get(matcher.group(2));
    if (unit == null) {
      throw new IllegalArgumentException(
          "must have a unit of time ("
              + String.join(", ", units.keySet())
              + "): "
              + matcher.group(2)
              + Suggestions.hint(matcher.group(2), units.keySet()));
    }
    return unit.multipliedBy(Long.parseLong(matcher.group(1)));
  }

  private static Map<String, Duration> units(boolean fine) {
    Map<String, Duration> units = new LinkedHashMap<>();
    if (fine) {
      units.put("ms", Duration.ofMillis(1));
    }
    put(units, Duration.ofSeconds(1), "s", "sec", "second");
    put(units, Duration.ofMinutes(1), "m", "min", "minute");
    put(units, Duration.ofHours(1), "h", "hour");
    put(units, Duration.ofDays(1), "d", "day");
    return units;
  }

  private static void put(Map<String, Duration> units, Duration length, String... names) {
    for (String name : names) {
      units.put(name, length);
    }
  }
}
