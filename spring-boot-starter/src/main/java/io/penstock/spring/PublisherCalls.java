package io.penstock.spring;

import io.penstock.policy.Request;
import io.penstock.policy.Verdict;
import io.penstock.policy.http.CallerAttributes;
import io.penstock.policy.http.Gate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Limits methods that return a Mono or a Flux, on subscription. Thread-safe. */
final class PublisherCalls implements RateLimitedAdvice.ReactiveCalls {
  private final Gate gate;
  private final HandledRequest handled;
  private final @Nullable WebFluxExchanges exchanges;

  /**
   * @param handled the request of the calling thread
   * @param exchanges the WebFlux exchanges, found through the Reactor context; null outside of
   *     WebFlux
   */
  PublisherCalls(Gate gate, HandledRequest handled, @Nullable WebFluxExchanges exchanges) {
    this.gate = gate;
    this.handled = handled;
    this.exchanges = exchanges;
  }

  @Override
  public @Nullable Object limited(Class<?> type, LimitedCall call, Supplier<Object> result) {
    if (type == Mono.class) {
      return allowed(call).flatMap(verdict -> (Mono<?>) result.get());
    }
    if (type == Flux.class) {
      return allowed(call).flatMapMany(verdict -> (Flux<?>) result.get());
    }
    return null;
  }

  private Mono<Verdict> allowed(LimitedCall call) {
    Request caller = handled.current();
    return Mono.deferContextual(
        context -> {
          WebFluxExchanges web = exchanges;
          ServerWebExchange exchange =
              context.<ServerWebExchange>getOrEmpty(RateLimitWebFilter.EXCHANGE).orElse(null);
          if (web == null || exchange == null) {
            return decided(call, caller);
          }
          return web.attributes(exchange)
              .flatMap(
                  (CallerAttributes attributes) -> decided(call, web.request(exchange, attributes)))
              .doOnNext(verdict -> web.record(exchange, verdict));
        });
  }

  private Mono<Verdict> decided(LimitedCall call, @Nullable Request request) {
    return RateLimitWebFilter.later(
            gate.decideAsync(call.rule(), call.of(request))
                .thenCompose(Gate::afterDelay)
                .toCompletableFuture())
        .map(RateLimitedAdvice::checked);
  }
}
