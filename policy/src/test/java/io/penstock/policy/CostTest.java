package io.penstock.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.RoundingMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CostTest {
  private static final Attribute WEIGHT = Attribute.parse("header:x-request-weight");
  private static final Cost BY_WEIGHT = new Cost(WEIGHT, 3_000, 1_000);

  @ParameterizedTest
  @CsvSource({
    "5, 5000",
    "5.0, 5000",
    "1.5, 1500",
    "1.0001, 1001",
    "2.123456789, 2124",
    "999999999999, 999999999999000",
    "0.5, 1000",
    "007, 7000"
  })
  void of_aPlainDecimal_isThatMuch(String header, long thousandths) {
    assertThat(BY_WEIGHT.of(weighing(header))).isEqualTo(thousandths);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "abc",
        "-1",
        "0",
        "0.0",
        "nan",
        "1e999",
        "1e3",
        "+5",
        " 5",
        "5 ",
        "5,5",
        "5, 5",
        ".5",
        "5.",
        "1.0000000001",
        "1000000000000",
        "0x10",
        "\u0665",
        "5.5.5",
        "Infinity",
        ""
      })
  void of_anythingElse_isTheDefault(String header) {
    assertThat(BY_WEIGHT.of(weighing(header))).isEqualTo(3_000);
  }

  @Test
  void of_twoHeadersOrNone_isTheDefault() {
    StatedRequest twice =
        StatedRequest.builder()
            .header("X-Request-Weight", "5")
            .header("x-request-weight", "5")
            .build();
    assertThat(BY_WEIGHT.of(twice)).isEqualTo(3_000);
    assertThat(BY_WEIGHT.of(StatedRequest.builder().build())).isEqualTo(3_000);
  }

  @Test
  void of_aStatedCost_countsOnlyWithoutASource() {
    StatedRequest stated = StatedRequest.builder().cost(7_000).build();
    assertThat(Cost.fixed(2_000).of(stated)).isEqualTo(7_000);
    assertThat(BY_WEIGHT.of(stated)).isEqualTo(3_000);
    assertThat(Cost.fixed(2_000).of(StatedRequest.builder().cost(0).build())).isZero();
  }

  @Property(tries = 1_000)
  void parse_anyText_agreesWithThePattern(@ForAll @StringLength(max = 16) String text) {
    check(text);
  }

  @Property(tries = 1_000)
  void parse_anyNumber_agreesWithThePattern(@ForAll BigDecimal number) {
    check(number.toPlainString());
    check(number.abs().toPlainString());
  }

  private static void check(String text) {
    long expected =
        text.matches("[0-9]{1,12}(\\.[0-9]{1,9})?")
            ? new BigDecimal(text)
                .movePointRight(3)
                .setScale(0, RoundingMode.CEILING)
                .longValueExact()
            : -1;
    assertThat(Cost.parse(text)).as(text).isEqualTo(expected);
  }

  private static Request weighing(String header) {
    return StatedRequest.builder().header("X-Request-Weight", header).build();
  }
}
