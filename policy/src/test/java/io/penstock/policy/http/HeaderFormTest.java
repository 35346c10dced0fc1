package io.penstock.policy.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class HeaderFormTest {
  @Test
  void parse_knownName_isItsForm() {
    assertThat(HeaderForm.parse("all")).isEqualTo(HeaderForm.ALL);
    assertThat(HeaderForm.parse("draft")).isEqualTo(HeaderForm.DRAFT);
    assertThat(HeaderForm.parse("legacy")).isEqualTo(HeaderForm.LEGACY);
    assertThat(HeaderForm.parse("x-ratelimit")).isEqualTo(HeaderForm.X_RATELIMIT);
    assertThat(HeaderForm.parse("none")).isEqualTo(HeaderForm.NONE);
  }

  @Test
  void parse_itsOwnCode_isTheSame() {
    for (HeaderForm form : HeaderForm.values()) {
      assertThat(HeaderForm.parse(form.code())).isEqualTo(form);
    }
  }

  @Test
  void parse_unknownName_saysWhatWouldBeRight() {
    assertThatThrownBy(() -> HeaderForm.parse("X_RATELIMIT"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("headers must be all, draft, legacy, x-ratelimit or none: X_RATELIMIT");
  }
}
