package io.penstock.spring;

import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

/** Writes the WebFlux response to a denied method call. Thread-safe. */
final class RateLimitedHandler implements WebExceptionHandler, Ordered {
  private final WebFluxExchanges exchanges;

  RateLimitedHandler(WebFluxExchanges exchanges) {
    this.exchanges = exchanges;
  }

  /** Before the default handler, which responds with 500. */
  @Override
  public int getOrder() {
    return HIGHEST_PRECEDENCE;
  }

  @Override
  public Mono<Void> handle(ServerWebExchange exchange, Throwable failure) {
    return failure instanceof RateLimitedException denied && !exchange.getResponse().isCommitted()
        ? exchanges.deny(exchange, exchanges.record(exchange, denied.verdict()))
        : Mono.error(failure);
  }
}
