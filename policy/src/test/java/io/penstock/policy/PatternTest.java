package io.penstock.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class PatternTest {
  @Property(tries = 2_000)
  void matches_anyText_agreesWithARegularExpression(
      @ForAll("patterns") String pattern, @ForAll("texts") String text) {
    String regex =
        pattern
            .chars()
            .mapToObj(c -> c == '*' ? ".*" : java.util.regex.Pattern.quote("" + (char) c))
            .collect(Collectors.joining());
    assertThat(new Pattern(pattern).matches(text))
        .as("%s %s", pattern, text)
        .isEqualTo(text.matches(regex));
  }

  @Property(tries = 2_000)
  void covers_anyPattern_impliesMatching(
      @ForAll("patterns") String wide,
      @ForAll("patterns") String narrow,
      @ForAll("texts") String t) {
    if (new Pattern(wide).covers(new Pattern(narrow)) && new Pattern(narrow).matches(t)) {
      assertThat(new Pattern(wide).matches(t)).as("%s %s %s", wide, narrow, t).isTrue();
    }
  }

  @Test
  void matches_manyStars_takesLittleTime() {
    Pattern hostile = new Pattern("*a".repeat(500) + "b");
    assertThat(hostile.matches("a".repeat(100_000))).isFalse();
  }

  @Provide
  Arbitrary<String> patterns() {
    return Arbitraries.strings().withChars("ab/*").ofMaxLength(7);
  }

  @Provide
  Arbitrary<String> texts() {
    return Arbitraries.strings().withChars("ab/").ofMaxLength(9);
  }
}
