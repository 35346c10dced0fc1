package io.penstock.spring;

import io.penstock.policy.Phase;
import io.penstock.policy.Request;
import io.penstock.policy.Verdict;
import io.penstock.policy.http.CallerAttributes;
import io.penstock.policy.http.Gate;
import java.util.concurrent.CompletableFuture;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * A WebFlux filter that passes on the requests that a policy allows, and responds to the others
 * with 429 or 503. Never blocks. Thread-safe.
 */
final class RateLimitWebFilter implements WebFilter, Ordered {
  /** The key of the exchange in the Reactor context. */
  static final Object EXCHANGE = ServerWebExchange.class.getName() + ".penstock";

  private final WebFluxExchanges exchanges;
  private final Phase phase;
  private final int order;

  RateLimitWebFilter(WebFluxExchanges exchanges, Phase phase, int order) {
    this.exchanges = exchanges;
    this.phase = phase;
    this.order = order;
  }

  @Override
  public int getOrder() {
    return order;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
    Mono<Void> passed =
        exchanges.gate().hasRules(phase) ? decided(exchange, chain) : chain.filter(exchange);
    // Each filter stores its own exchange: after Spring Security it is a different one, which knows
    // the user.
    return passed.contextWrite(context -> context.put(EXCHANGE, exchange));
  }

  private Mono<Void> decided(ServerWebExchange exchange, WebFilterChain chain) {
    return (phase == Phase.EARLY
            ? Mono.just(CallerAttributes.NOTHING)
            : exchanges.attributes(exchange))
        .flatMap(attributes -> verdict(exchanges.request(exchange, attributes)))
        .flatMap(
            verdict -> {
              Verdict all = exchanges.recordPhase(exchange, verdict);
              return all.allowed() ? chain.filter(exchange) : exchanges.deny(exchange, all);
            });
  }

  private Mono<Verdict> verdict(Request request) {
    Gate gate = exchanges.gate();
    if (gate.decidesImmediately()) {
      Verdict verdict = gate.decide(request, phase);
      return Gate.delayMillis(verdict) == 0
          ? Mono.just(verdict)
          : later(Gate.afterDelay(verdict).toCompletableFuture());
    }
    return later(
        gate.decideAsync(request, phase).thenCompose(Gate::afterDelay).toCompletableFuture());
  }

  /**
   * Publishes a verdict. Moves off the thread that reads from Redis, which must not handle
   * requests.
   */
  static Mono<Verdict> later(CompletableFuture<Verdict> verdict) {
    Mono<Verdict> result = Mono.fromFuture(verdict);
    return verdict.isDone() ? result : result.publishOn(Schedulers.parallel());
  }
}
