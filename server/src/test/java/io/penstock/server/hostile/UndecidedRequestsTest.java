package io.penstock.server.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.penstock.NanoClock;
import io.penstock.server.envoy.EnvoyCalls;
import io.penstock.server.envoy.proto.service.RateLimitResponse.Code;
import io.penstock.server.hostile.Listeners.Listener;
import io.penstock.server.proxy.LoggedWarnings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests for which the store throws get a response at each listener, and are counted. */
class UndecidedRequestsTest {
  private static final String LIMITS = "{\"domain\":\"shop\",\"descriptors\":[{\"entries\":[%s]}]}";
  private static final String ENTRY = "{\"key\":\"user\",\"value\":\"ann\"}";

  @TempDir private Path folder;
  private final BrokenClock clock = new BrokenClock();
  private LoggedWarnings log;
  private Listeners listeners;

  /** Throws while it is broken. */
  private static final class BrokenClock implements NanoClock {
    volatile boolean broken;

    @Override
    public long nanos() {
      if (broken) {
        throw new IllegalStateException("on purpose");
      }
      return NanoClock.system().nanos();
    }

    @Override
    public void sleep(long nanos) throws InterruptedException {
      NanoClock.system().sleep(nanos);
    }

    @Override
    public void schedule(long nanos, Runnable task) {
      NanoClock.system().schedule(nanos, task);
    }
  }

  @BeforeEach
  void start() {
    listeners = new Listeners(folder, Map.of(), clock);
    log = new LoggedWarnings();
    clock.broken = true;
  }

  @AfterEach
  void stop() {
    clock.broken = false;
    log.close();
    listeners.close();
  }

  @ParameterizedTest
  @CsvSource({
    "DECISION,POST /v1/check,check",
    "DECISION,POST /v1/check/batch,'{\"checks\":[check,check,check]}'",
    "DECISION,GET /v1/forward-auth,''",
    "DECISION,POST /json,limits",
    "PROXY,GET /,''",
    "PROXY,POST /,body",
    "ENVOY,POST /json,limits"
  })
  void request_storeThrows_is500AndCountedOnce(Listener listener, String line, String content)
      throws IOException {
    String body =
        content
            .replaceAll("\\bcheck\\b", "{\"ip\":\"10.0.0.1\"}")
            .replace("limits", LIMITS.formatted(ENTRY));
    String request =
        line
            + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: "
            + body.length()
            + "\r\n\r\n"
            + body;

    assertThat(listeners.raw(listener, request))
        .startsWith("HTTP/1.1 500 ")
        .contains("The request could not be decided");
    assertFailedOnce(listener);
    clock.broken = false;
    assertThat(listeners.raw(listener, request)).startsWith("HTTP/1.1 200 ");
  }

  @Test
  void rateLimit_storeThrows_isInternalAndCounted() {
    try (EnvoyCalls client = new EnvoyCalls(listeners.port(Listener.ENVOY))) {
      Status status = failure(() -> client.ask("ann"));

      assertThat(status.getCode()).isEqualTo(Status.Code.INTERNAL);
      assertThat(status.getDescription()).isEqualTo("the request could not be decided");
      assertFailedOnce(Listener.ENVOY);
      clock.broken = false;
      assertThat(client.ask("ann").getOverallCode()).isEqualTo(Code.OK);
    }
  }

  @Test
  void authorization_storeThrows_isInternalAndCounted() {
    try (EnvoyCalls client = new EnvoyCalls(listeners.port(Listener.ENVOY))) {
      assertThat(failure(client::authorize).getCode()).isEqualTo(Status.Code.INTERNAL);
      assertFailedOnce(Listener.ENVOY);
    }
  }

  /** Hits are given back before the limits decide, without a handler for exceptions. */
  @Test
  void grpcHandler_throws_isAnErrorAndCounted() {
    try (EnvoyCalls client = new EnvoyCalls(listeners.port(Listener.ENVOY))) {
      failure(() -> client.giveBack("ann"));

      assertFailedOnce(Listener.ENVOY);
      clock.broken = false;
      assertThat(client.ask("ann").getOverallCode()).isEqualTo(Code.OK);
    }
  }

  @Test
  void requests_manyUndecided_areLoggedOnceWithoutMessages() throws IOException {
    String request = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    for (String each : Collections.nCopies(20, request)) {
      assertThat(listeners.raw(Listener.PROXY, each)).startsWith("HTTP/1.1 500 ");
    }

    assertThat(failed(Listener.PROXY)).isEqualTo(20);
    assertThat(log.messages())
        .singleElement()
        .asString()
        .startsWith("Cannot handle a request to the proxy listener (")
        .contains(IllegalStateException.class.getName() + " at ")
        .doesNotContain("on purpose");
  }

  private static Status failure(Runnable call) {
    return catchThrowableOfType(StatusRuntimeException.class, call::run).getStatus();
  }

  private void assertFailedOnce(Listener listener) {
    for (Listener each : Listener.values()) {
      assertThat(failed(each)).as("failures at %s", each).isEqualTo(each == listener ? 1 : 0);
    }
    assertThat(log.messages()).allSatisfy(message -> assertThat(message).doesNotContain("purpose"));
  }

  /** Returns the number of failed requests; the endpoint of metrics needs the clock. */
  private double failed(Listener listener) {
    clock.broken = false;
    try {
      return listeners.failed(listener);
    } finally {
      clock.broken = true;
    }
  }
}
