package io.penstock.spring;

import java.util.Map;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Says what a WebFlux application knows of a request that HTTP doesn't: who sent it, on which plan.
 * Asked at most once a request, and only if the policy has rules on such attributes. Must not
 * block. Thread-safe.
 */
@FunctionalInterface
public interface ReactiveAttributeResolver {
  /** Attributes by name, such as {@code plan}; what is unknown is left out. */
  Mono<Map<String, String>> attributes(ServerWebExchange exchange);
}
