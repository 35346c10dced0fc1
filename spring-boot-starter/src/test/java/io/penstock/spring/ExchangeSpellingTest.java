package io.penstock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.Phase;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.http.Gate;
import io.penstock.policy.http.HeaderFormat;
import io.penstock.policy.http.Jitter;
import io.penstock.policy.http.VerdictResponses;
import io.penstock.policy.load.PolicyLoader;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.http.server.reactive.MockServerHttpResponse;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import reactor.core.publisher.Mono;

/** Checks that equivalent spellings of a WebFlux request share a limit. */
class ExchangeSpellingTest {
  private static final String POLICY =
      """
      rules:
        - {name: login, limit_keys: [], match: {path: /login}, rate: 1/h}
        - {name: keys, limit_keys: ["header:x-api-key"], on_missing_key: skip, rate: 1/h, burst: 5}
      """;

  private final InProcessStore store = InProcessStore.create();
  private final PolicyEngine engine =
      new PolicyEngine(store, PolicyLoader.parse(POLICY, "policy.yaml").policy());
  private final WebFluxExchanges exchanges =
      new WebFluxExchanges(
          new Gate(engine, new VerdictResponses(HeaderFormat.ALL, Jitter.NONE)), List.of());

  @Test
  void get_spellingsOfAPath_shareALimitOrAreRejected() {
    assertThat(status("/login")).isEqualTo(200);
    for (String path : List.of("/login;a=b", "/;x/login", "/a/..;/login", "/%6cogin;b")) {
      assertThat(status(path)).as(path).isEqualTo(429);
    }
    assertThat(status("/%2Flogin")).isEqualTo(400);
    assertThat(status("/a%5Clogin")).isEqualTo(400);
    assertThat(status("/other?x=%2F")).isEqualTo(200);
  }

  @Test
  void get_keyInTwoHeaders_isDenied() {
    assertThat(status("/", "K")).isEqualTo(200);
    assertThat(status("/", "K", "r1")).isEqualTo(429);
  }

  private int status(String path, String... keys) {
    MockServerHttpResponse response = new MockServerHttpResponse();
    MockServerHttpRequest.BaseBuilder<?> request =
        MockServerHttpRequest.method(HttpMethod.GET, URI.create("http://a" + path));
    if (keys.length > 0) {
      request.header("X-Api-Key", keys);
    }
    WebHttpHandlerBuilder.webHandler(
            exchange -> {
              exchange.getResponse().setStatusCode(HttpStatusCode.valueOf(200));
              return Mono.empty();
            })
        .filter(new RateLimitWebFilter(exchanges, Phase.WHOLE, 1))
        .build()
        .handle(request.build(), response)
        .block(Duration.ofSeconds(20));
    HttpStatusCode status = response.getStatusCode();
    return status == null ? 0 : status.value();
  }
}
