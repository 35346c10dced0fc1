package io.penstock.policy.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class HeaderFormatTest {
  @Test
  void parse_knownName_isItsForm() {
    assertThat(HeaderFormat.parse("all")).isEqualTo(HeaderFormat.ALL);
    assertThat(HeaderFormat.parse("draft")).isEqualTo(HeaderFormat.DRAFT);
    assertThat(HeaderFormat.parse("legacy")).isEqualTo(HeaderFormat.LEGACY);
    assertThat(HeaderFormat.parse("x-ratelimit")).isEqualTo(HeaderFormat.X_RATELIMIT);
    assertThat(HeaderFormat.parse("none")).isEqualTo(HeaderFormat.NONE);
  }

  @Test
  void parse_itsOwnCode_isTheSame() {
    for (HeaderFormat form : HeaderFormat.values()) {
      assertThat(HeaderFormat.parse(form.code())).isEqualTo(form);
    }
  }

  @Test
  void parse_unknownName_saysWhatWouldBeRight() {
    assertThatThrownBy(() -> HeaderFormat.parse("X_RATELIMIT"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("headers must be all, draft, legacy, x-ratelimit or none: X_RATELIMIT");
  }
}
