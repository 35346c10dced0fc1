package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class ShutdownWaitTest {
  @Test
  void problem_timeout_namesWhatIsOpenAndTheTimeout() {
    assertThat(ShutdownWait.problem("admin listener", 1_500, new TimeoutException()))
        .isEqualTo("The admin listener did not close within 1500 ms");
  }

  @Test
  void problem_failure_namesTheCause() {
    assertThat(ShutdownWait.problem("event loops", 1_500, new IOException("broken")))
        .isEqualTo("The event loops could not be closed: java.io.IOException: broken");
  }
}
