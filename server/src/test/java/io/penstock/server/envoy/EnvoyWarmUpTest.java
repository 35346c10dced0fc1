package io.penstock.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.Policy;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.http.Gate;
import io.penstock.policy.http.HeaderFormat;
import io.penstock.policy.http.Jitter;
import io.penstock.policy.http.VerdictResponses;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class EnvoyWarmUpTest {
  private static final int TIMEOUT_MILLIS = 60_000;

  @Test
  void send_toItsHandler_allCallsSucceed() throws Exception {
    Vertx vertx = Vertx.vertx();
    try (InProcessStore store = InProcessStore.create();
        PolicyEngine engine = new PolicyEngine(store, Policy.of());
        EnvoyWarmUp warmUp =
            new EnvoyWarmUp(
                vertx,
                store,
                EnvoyWarmUpTest::gate,
                gate(engine),
                new SimpleMeterRegistry(),
                TIMEOUT_MILLIS)) {
      HttpServer server =
          vertx
              .createHttpServer()
              .requestHandler(warmUp.handler())
              .listen(0, "127.0.0.1")
              .await(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);

      assertThat(warmUp.send(server.actualPort(), 5, TIMEOUT_MILLIS)).isEqualTo(10);
    } finally {
      vertx.close().await(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private static Gate gate(PolicyEngine engine) {
    return new Gate(engine, new VerdictResponses(HeaderFormat.parse("all"), new Jitter(0, 0)));
  }
}
