package io.penstock.policy.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FieldsTest {
  private final Problems problems = new Problems();

  private Fields fields(String yaml) {
    Node node = Document.parse(yaml, "t.yaml", problems);
    return Fields.of(new Located<>(node, node.at(), "cases[0]"), problems);
  }

  private List<String> errors() {
    return problems.errors().stream().map(Problem::toString).toList();
  }

  @Test
  void getters_ofRightTypes_returnValues() {
    Fields fields = fields("{t: x, n: 1.50, w: 3, f: true, c: b, l: [p, q], m: {k: v}}");

    assertThat(fields.text("t")).isEqualTo("x");
    assertThat(fields.number("n")).isEqualTo(new BigDecimal("1.50"));
    assertThat(fields.whole("w", 0, 9, 7)).isEqualTo(3);
    assertThat(fields.flag("f")).isTrue();
    assertThat(fields.choice("c", Map.of("b", 5))).isEqualTo(5);
    assertThat(fields.list("l"))
        .extracting(Located::path)
        .containsExactly("cases[0].l[0]", "cases[0].l[1]");
    assertThat(fields.mapping("m").text("k")).isEqualTo("v");
    fields.done();
    assertThat(errors()).isEmpty();
  }

  @Test
  void getters_ofMissingFields_returnNull() {
    Fields fields = fields("{}");

    assertThat(fields.text("t")).isNull();
    assertThat(fields.number("n")).isNull();
    assertThat(fields.whole("w", 0, 9, 7)).isEqualTo(7);
    assertThat(fields.flag("f")).isFalse();
    assertThat(fields.choice("c", Map.of("b", 5), 6)).isEqualTo(6);
    assertThat(fields.list("l")).isNull();
    assertThat(fields.mapping("m")).isNull();
    assertThat(errors()).isEmpty();
  }

  @Test
  void getters_ofWrongTypes_addProblemsAtTheirLocations() {
    Fields fields = fields("t: [x]\nn: x\nw: 10\nf: 1\nc: bb\nl: x\nm: [x]\ne:\n");

    assertThat(fields.text("t")).isNull();
    assertThat(fields.number("n")).isNull();
    assertThat(fields.whole("w", 0, 9, 7)).isEqualTo(7);
    assertThat(fields.flag("f")).isFalse();
    assertThat(fields.choice("c", Map.of("b", 5))).isNull();
    assertThat(fields.list("l")).isNull();
    assertThat(fields.mapping("m")).isNull();
    assertThat(fields.text("e")).isNull();
    assertThat(errors())
        .containsExactly(
            "t.yaml:1:4: cases[0].t: must be a single value, not a list",
            "t.yaml:2:4: cases[0].n: must be a number, not text: x",
            "t.yaml:3:4: cases[0].w: must be a whole number from 0 to 9: 10",
            "t.yaml:4:4: cases[0].f: must be true or false, not a number",
            "t.yaml:5:4: cases[0].c: must be b: bb; did you mean b?",
            "t.yaml:6:4: cases[0].l: must be a list, in brackets, not text: x",
            "t.yaml:7:4: cases[0].m: must be a mapping, not a list",
            "t.yaml:8:3: cases[0].e: must be a single value, not null");
  }

  @Test
  void given_nullOrMissing_isFalse() {
    Fields fields = fields("{t: x, f: false, n: null, m: {}}");

    assertThat(fields.given("t")).isTrue();
    assertThat(fields.given("f")).isTrue();
    assertThat(fields.given("m")).isTrue();
    assertThat(fields.given("n")).isFalse();
    assertThat(fields.given("none")).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"0s, 0", "100ms, 100", "1s, 1000", "2m, 120000", "1 h, 3600000", "1d, 86400000"})
  void time_ofAnyUnit_isALength(String text, long millis) {
    assertThat(fields("t: " + text).time("t")).isEqualTo(Duration.ofMillis(millis));
  }

  @Test
  void time_ofNoUnit_isAnError() {
    assertThat(fields("t: 5 msec").time("t")).isNull();
    assertThat(errors())
        .containsExactly(
            "t.yaml:1:4: cases[0].t: must have a unit of time (ms, s, sec, second, m, min, minute,"
                + " h, hour, d, day): msec; did you mean sec?");
  }

  @Test
  void done_unknownFields_areErrorsWithSuggestions() {
    Fields fields = fields("method: GET\nheadrs: {}\nzzz: 1\n");
    fields.text("method");
    fields.mapping("headers");
    fields.done();

    assertThat(errors())
        .containsExactly(
            "t.yaml:2:1: cases[0].headrs: unknown field; did you mean headers?",
            "t.yaml:3:1: cases[0].zzz: unknown field");
  }

  @Test
  void of_noMapping_isAnError() {
    assertThat(fields("[a]")).isNull();
    assertThat(errors()).containsExactly("t.yaml:1:1: cases[0]: must be a mapping, not a list");
  }

  @ParameterizedTest
  @CsvSource({
    "burst,burst,0",
    "bursts,burst,1",
    "brust,burst,1",
    "mach,match,1",
    "'',abc,3",
    "kitten,sitting,3",
    "rate,limit,5"
  })
  void distance_ofWords_countsEdits(String a, String b, int distance) {
    assertThat(Suggestions.distance(a, b)).isEqualTo(distance);
    assertThat(Suggestions.distance(b, a)).isEqualTo(distance);
  }
}
