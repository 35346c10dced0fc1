package io.penstock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.penstock.policy.ExplicitRequest;
import io.penstock.policy.Request;
import io.penstock.policy.http.CallerAttributes;
import org.junit.jupiter.api.Test;

class LimitedCallTest {
  @Test
  void of_anyRequest_hasTheCostOfTheCall() {
    LimitedCall call =
        new LimitedCall("export", CallerAttributes.NOTHING, LimitedCall.cost(2.5001));
    Request current = ExplicitRequest.builder().costThousandths(7_000).build();

    assertThat(call.of(null).costThousandths()).isEqualTo(2_501);
    assertThat(call.of(current).costThousandths()).isEqualTo(2_501);
  }

  @Test
  void cost_notAValidNumber_isRejected() {
    assertThatIllegalArgumentException().isThrownBy(() -> LimitedCall.cost("two"));
    assertThatIllegalArgumentException().isThrownBy(() -> LimitedCall.cost(-1));
  }
}
