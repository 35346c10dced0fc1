package io.penstock.cli.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Tests the requests of proxies that these tests don't run, and what every proxy relies on. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class QuestionsIT {
  private static final String PATH = "/v1/forward-auth";
  private static final byte[] NO_BODY = {};

  private PenstockProcess penstock;
  private Client proxy;

  @BeforeAll
  void start(@TempDir Path folder) {
    penstock = PenstockProcess.start(folder, PenstockProcess.policy("limits.yaml"));
    proxy = Client.of(penstock.port());
  }

  @AfterAll
  void end() {
    penstock.close();
  }

  @Test
  void envoy_requestWithOriginalMethodHostAndPath_isUnderstood() {
    Reply reply =
        proxy.send(
            "PUT",
            PATH + "/orders/7?a=b",
            NO_BODY,
            "Host: shop.example",
            "Content-Length: 0",
            "X-Forwarded-For: 10.9.9.9, 203.0.113.1");

    assertThat(reply.status()).isEqualTo(200);
    assertThat(reply.header("RateLimit-Policy")).contains("orders");
  }

  @Test
  void envoy_clientChoosesADenyStatus_isDeniedWith429() {
    for (int i = 0; i < 3; i++) {
      proxy.get(PATH + "/", "X-Forwarded-For: 203.0.113.2");
    }

    assertThat(proxy.get(PATH + "/?deny_status=503", "X-Forwarded-For: 203.0.113.2").status())
        .isEqualTo(429);
    assertThat(proxy.get(PATH + "/?deny_status=no", "X-Forwarded-For: 203.0.113.2").status())
        .isEqualTo(429);
    assertThat(proxy.get(PATH + "?deny_status=403", "X-Forwarded-For: 203.0.113.2").status())
        .isEqualTo(403);
  }

  @Test
  void traefik_requestWithForwardedHeaders_isUnderstood() {
    Reply reply =
        proxy.get(
            PATH,
            "X-Forwarded-Method: PUT",
            "X-Forwarded-Proto: http",
            "X-Forwarded-Host: shop.example",
            "X-Forwarded-Uri: /orders/7?a=b",
            "X-Forwarded-For: 203.0.113.3");

    assertThat(reply.status()).isEqualTo(200);
    assertThat(reply.header("RateLimit-Policy")).contains("orders");
  }

  @Test
  void headers_thatAreTooLong_getAResponseInsteadOfAReset() {
    for (int kilobytes = 17; kilobytes < 700; kilobytes += 31) {
      Reply reply = proxy.get(PATH, "X-Long: " + "a".repeat(kilobytes << 10));

      assertThat(reply.status()).as("%d KiB", kilobytes).isEqualTo(431);
    }
  }
}
