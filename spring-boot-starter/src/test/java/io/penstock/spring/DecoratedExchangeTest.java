package io.penstock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.Phase;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.Request;
import io.penstock.policy.http.CallerAttributes;
import io.penstock.policy.http.Gate;
import io.penstock.policy.http.HeaderFormat;
import io.penstock.policy.http.Jitter;
import io.penstock.policy.http.VerdictResponses;
import io.penstock.policy.load.PolicyLoader;
import java.security.Principal;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpStatusCode;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.http.server.reactive.MockServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.ServerWebExchangeDecorator;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebHandler;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import reactor.core.publisher.Mono;

/**
 * Tests the case that Spring Security replaces the exchange between the filters by one that knows
 * the user.
 */
class DecoratedExchangeTest {
  private static final String MANUAL =
      "rules: [{name: mine, limit_keys: [user_id], rate: 1/h, burst: 1, manual: true}]";

  private final Gate gate = gate();
  private final WebFluxExchanges exchanges = new WebFluxExchanges(gate, List.of());
  private final PublisherCalls calls = new PublisherCalls(gate, HandledRequest.NONE, exchanges);

  private static Gate gate() {
    InProcessStore store = InProcessStore.create();
    PolicyEngine engine =
        new PolicyEngine(store, PolicyLoader.parse(MANUAL, "policy.yaml").policy());
    return new Gate(engine, new VerdictResponses(HeaderFormat.ALL, Jitter.NONE));
  }

  @Test
  void call_withoutAKey_isLimitedByTheAuthenticatedUser() {
    assertThat(status("ann")).isEqualTo(HttpStatusCode.valueOf(200));
    assertThat(status("ann")).isEqualTo(HttpStatusCode.valueOf(429));
    assertThat(status("bob")).isEqualTo(HttpStatusCode.valueOf(200));
  }

  private HttpStatusCode status(String user) {
    LimitedCall call = new LimitedCall("mine", CallerAttributes.NOTHING, Request.UNSTATED);
    WebHandler handler =
        exchange -> {
          exchange.getResponse().setStatusCode(HttpStatusCode.valueOf(200));
          return ((Mono<?>) calls.limited(Mono.class, call, Mono::empty)).then();
        };
    WebFilter security = (exchange, chain) -> chain.filter(new OfUser(exchange, user));
    MockServerHttpResponse response = new MockServerHttpResponse();
    WebHttpHandlerBuilder.webHandler(handler)
        .filter(
            new RateLimitWebFilter(exchanges, Phase.EARLY, 1),
            security,
            new RateLimitWebFilter(exchanges, Phase.LATE, 2))
        .exceptionHandler(new RateLimitedHandler(exchanges))
        .build()
        .handle(MockServerHttpRequest.get("/").build(), response)
        .block(Duration.ofSeconds(20));
    return response.getStatusCode();
  }

  private static final class OfUser extends ServerWebExchangeDecorator {
    private final String user;

    OfUser(ServerWebExchange exchange, String user) {
      super(exchange);
      this.user = user;
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T extends Principal> Mono<T> getPrincipal() {
      Principal principal = () -> user;
      return (Mono<T>) Mono.just(principal);
    }
  }
}
