package io.penstock.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class OptionsTest {
  private static final List<String> PARTS = List.of("memory", "policy");

  @Test
  void parse_noOptions_runsAllParts() {
    Options options = Options.parse(List.of());
    assertThat(options.quick()).isFalse();
    assertThat(choose(options)).isEqualTo(PARTS);
  }

  @Test
  void parse_anyOrder_isAccepted() {
    Options expected = new Options(true, "policy", false);
    assertThat(Options.parse(List.of("--quick", "--only", "policy"))).isEqualTo(expected);
    assertThat(Options.parse(List.of("--only", "policy", "--quick"))).isEqualTo(expected);
    assertThat(choose(expected)).containsExactly("policy");
  }

  @Test
  void parse_unknownOption_isRejected() {
    assertThatThrownBy(() -> Options.parse(List.of("--fast")))
        .isInstanceOf(WrongUsageException.class)
        .hasMessage("unknown option: --fast");
    assertThatThrownBy(() -> Options.parse(List.of("--only")))
        .isInstanceOf(WrongUsageException.class)
        .hasMessage("--only requires the name of a part");
  }

  @Test
  void choose_unknownPart_listsTheKnownParts() {
    assertThatThrownBy(() -> choose(new Options(false, "polcy", false)))
        .isInstanceOf(WrongUsageException.class)
        .hasMessage("unknown part: polcy; known: memory, policy");
  }

  private static List<String> choose(Options options) {
    return options.choose(PARTS, Function.identity());
  }
}
