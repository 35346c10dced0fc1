package io.penstock.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.proxy.ClientShares.Admission;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ClientSharesTest {
  private final List<String> proceeded = new ArrayList<>();
  private final ClientShares shares = new ClientShares(2, 2);

  private Admission enter(String client, String request) {
    return shares.enter(client, () -> proceeded.add(request));
  }

  @Test
  void enter_beyondTheShare_waitsAndThenIsRejected() {
    assertThat(enter("a", "1")).isEqualTo(Admission.ENTERED);
    assertThat(enter("a", "2")).isEqualTo(Admission.ENTERED);
    assertThat(enter("a", "3")).isEqualTo(Admission.WAITS);
    assertThat(enter("a", "4")).isEqualTo(Admission.WAITS);
    assertThat(enter("a", "5")).isEqualTo(Admission.REJECTED);
    assertThat(enter("b", "6")).isEqualTo(Admission.ENTERED);
    assertThat(proceeded).isEmpty();
  }

  @Test
  void leave_theFirstWaitingRequestProceeds() {
    enter("a", "1");
    enter("a", "2");
    enter("a", "3");
    enter("a", "4");
    shares.leave("a");
    assertThat(proceeded).containsExactly("3");
    shares.leave("a");
    assertThat(proceeded).containsExactly("3", "4");
    assertThat(enter("a", "5")).isEqualTo(Admission.WAITS);
  }

  @Test
  void leave_all_removesTheClient() {
    enter("a", "1");
    enter("a", "2");
    enter("b", "3");
    shares.leave("a");
    shares.leave("b");
    shares.leave("a");
    assertThat(shares.clients()).isZero();
  }

  @Test
  void withdraw_waiting_doesNotProceed() {
    ClientShares.Waiter waiter = () -> proceeded.add("3");
    enter("a", "1");
    enter("a", "2");
    assertThat(shares.enter("a", waiter)).isEqualTo(Admission.WAITS);
    assertThat(shares.withdraw("a", waiter)).isTrue();
    assertThat(shares.withdraw("a", waiter)).isFalse();
    shares.leave("a");
    assertThat(proceeded).isEmpty();
    assertThat(enter("a", "4")).isEqualTo(Admission.ENTERED);
  }
}
