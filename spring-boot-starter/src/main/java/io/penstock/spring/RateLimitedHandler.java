package io.penstock.spring;

import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

/** The answer of WebFlux when a method may not be called. Thread-safe. */
final class RateLimitedHandler implements WebExceptionHandler, Ordered {
  private final WebFluxExchanges exchanges;

  RateLimitedHandler(WebFluxExchanges exchanges) {
    this.exchanges = exchanges;
  }

  /** Before the one that answers all that is left with 500. */
  @Override
  public int getOrder() {
    return HIGHEST_PRECEDENCE;
  }

  @Override
  public Mono<Void> handle(ServerWebExchange exchange, Throwable failure) {
    return failure instanceof RateLimitedException denied && !exchange.getResponse().isCommitted()
        ? exchanges.deny(exchange, exchanges.note(exchange, denied.verdict()))
        : Mono.error(failure);
  }
}
