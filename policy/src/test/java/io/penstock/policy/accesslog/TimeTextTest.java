package io.penstock.policy.accesslog;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimeTextTest {
  private static long parse(String text) {
    byte[] bytes = text.getBytes(UTF_8);
    return new TimeText().parse(bytes, 0, bytes.length);
  }

  @ParameterizedTest
  @CsvSource({
    "10/Oct/2025:13:55:36 +0000, 2025-10-10T13:55:36Z",
    "10/Oct/2025:13:55:36 +0200, 2025-10-10T11:55:36Z",
    "31/Dec/2025:23:30:00 -0930, 2026-01-01T09:00:00Z",
    "29/Feb/2024:00:00:00 +0545, 2024-02-28T18:15:00Z",
    "2024-02-29T23:59:60Z, 2024-03-01T00:00:00Z",
    "2025-03-30 02:30:00.123456789+02:00, 2025-03-30T00:30:00.123456789Z",
    "2025-03-30T02:30:00, 2025-03-30T02:30:00Z",
    "999999999, 2001-09-09T01:46:39Z",
    "1760104536, 2025-10-10T13:55:36Z",
    "1760104536.25, 2025-10-10T13:55:36.250Z",
    "1760104536123, 2025-10-10T13:55:36.123Z",
    "1760104536123456, 2025-10-10T13:55:36.123456Z",
    "1760104536123456789, 2025-10-10T13:55:36.123456789Z"
  })
  void parse_time_isInstant(String text, Instant time) {
    assertThat(Instant.ofEpochSecond(0, parse(text))).isEqualTo(time);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-",
        "29/Feb/2025:00:00:00 +0000",
        "31/Apr/2025:00:00:00 +0000",
        "10/Okt/2025:13:55:36 +0000",
        "10/Oct/1969:13:55:36 +0000",
        "10/Oct/2025:24:00:00 +0000",
        "10/Oct/2025:13:55:36 +9900",
        "10/Oct/2025:13:55:36 0000",
        "10/Oct/2025:13:55:36 +0000 x",
        "2100-02-29T00:00:00Z",
        "2025-10-10T13:55",
        "9999-01-01T00:00:00Z",
        "20251010",
        "-1760104536",
        "1.760104536e9",
        "99999999999999999999999999"
      })
  void parse_otherText_isInvalid(String text) {
    assertThat(parse(text)).isEqualTo(TimeText.INVALID);
  }

  @Test
  void parse_everyDay_isThatOfTheCalendar() {
    DateTimeFormatter common = DateTimeFormatter.ofPattern("dd/MMM/yyyy", Locale.ENGLISH);
    for (LocalDate day = LocalDate.of(1970, 1, 1); day.getYear() < 2110; day = day.plusDays(1)) {
      assertThat(parse(common.format(day) + ":00:00:00 +0000"))
          .isEqualTo(day.atStartOfDay().toEpochSecond(ZoneOffset.UTC) * 1_000_000_000L);
    }
  }
}
