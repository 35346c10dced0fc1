package io.penstock.spring;

import java.util.Map;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Resolves attributes of a request that only a WebFlux application knows, such as the user or their
 * plan. Called at most once per request, and only if the policy has rules that use such attributes.
 * Must not block. Thread-safe.
 */
@FunctionalInterface
public interface ReactiveAttributeResolver {
  /** Returns attributes by name, such as {@code plan}, without the unknown ones. */
  Mono<Map<String, String>> attributes(ServerWebExchange exchange);
}
