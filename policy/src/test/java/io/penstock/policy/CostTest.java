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
    assertThat(of(BY_WEIGHT, weighing(header))).isEqualTo(thousandths);
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
    assertThat(of(BY_WEIGHT, weighing(header))).isEqualTo(3_000);
  }

  @Test
  void of_twoHeaders_isAmbiguous_ofNoneTheDefault() {
    ExplicitRequest twice =
        ExplicitRequest.builder()
            .header("X-Request-Weight", "5")
            .header("x-request-weight", "5")
            .build();
    assertThat(of(BY_WEIGHT, twice)).isEqualTo(Cost.AMBIGUOUS);
    assertThat(of(BY_WEIGHT, ExplicitRequest.builder().build())).isEqualTo(3_000);
  }

  @Test
  void of_aStatedCost_countsOnlyWithoutASource() {
    ExplicitRequest stated = ExplicitRequest.builder().costThousandths(7_000).build();
    assertThat(of(Cost.fixed(2_000), stated)).isEqualTo(7_000);
    assertThat(of(BY_WEIGHT, stated)).isEqualTo(3_000);
    assertThat(of(Cost.fixed(2_000), ExplicitRequest.builder().costThousandths(0).build()))
        .isZero();
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
    return ExplicitRequest.builder().header("X-Request-Weight", header).build();
  }

  private static long of(Cost cost, Request request) {
    return cost.of(request, RepeatedKey.DENY);
  }
}
