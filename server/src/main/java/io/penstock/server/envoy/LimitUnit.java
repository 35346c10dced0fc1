package io.penstock.server.envoy;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** The unit of time of a limit. A month has 30 days and a year 365, as in envoyproxy/ratelimit. */
enum LimitUnit {
  SECOND(Duration.ofSeconds(1)),
  MINUTE(Duration.ofMinutes(1)),
  HOUR(Duration.ofHours(1)),
  DAY(Duration.ofDays(1)),
  WEEK(Duration.ofDays(7)),
  MONTH(Duration.ofDays(30)),
  YEAR(Duration.ofDays(365));

  /** The units by their names in configurations. */
  static final Map<String, LimitUnit> BY_NAME = byName();

  private final Duration duration;

  LimitUnit(Duration duration) {
    this.duration = duration;
  }

  Duration duration() {
    return duration;
  }

  /** Returns the name in configurations, such as {@code second}. */
  String code() {
    return name().toLowerCase(Locale.ROOT);
  }

  private static Map<String, LimitUnit> byName() {
    Map<String, LimitUnit> units = new LinkedHashMap<>();
    for (LimitUnit unit : values()) {
      units.put(unit.code(), unit);
    }
    return units;
  }
}
