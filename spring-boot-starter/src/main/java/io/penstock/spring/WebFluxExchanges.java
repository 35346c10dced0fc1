package io.penstock.spring;

import io.penstock.policy.Request;
import io.penstock.policy.Verdict;
import io.penstock.policy.address.IpAddress;
import io.penstock.policy.http.CallerAttributes;
import io.penstock.policy.http.Gate;
import io.penstock.policy.http.HttpAnswer;
import io.penstock.policy.http.RequestLine;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Adapts WebFlux requests to the requests that rules evaluate, and verdicts to responses.
 * Thread-safe.
 */
final class WebFluxExchanges {
  /** The exchange attribute that holds the verdict so far. */
  static final String VERDICT = "io.penstock.verdict";

  private static final String USER = "user_id";

  private final Gate gate;
  private final List<ReactiveAttributeResolver> resolvers;

  WebFluxExchanges(Gate gate, List<ReactiveAttributeResolver> resolvers) {
    this.gate = gate;
    this.resolvers = List.copyOf(resolvers);
  }

  Gate gate() {
    return gate;
  }

  Request request(ServerWebExchange exchange, CallerAttributes attributes) {
    ServerHttpRequest request = exchange.getRequest();
    String target =
        RequestLine.target(request.getURI().getRawPath(), request.getURI().getRawQuery());
    String host = request.getHeaders().getFirst("host");
    return gate.request(
        peer(request.getRemoteAddress()),
        RequestLine.of(request.getMethod().name(), target, host),
        new ExchangeHeaders(request.getHeaders()),
        attributes);
  }

  private static @Nullable IpAddress peer(@Nullable InetSocketAddress peer) {
    if (peer == null) {
      return null;
    }
    InetAddress address = peer.getAddress();
    // An address from a forwarding header is unresolved.
    return address == null ? IpAddress.parse(peer.getHostString()) : IpAddress.of(address);
  }

  /**
   * Returns the attributes that the application knows of a request. In order of precedence: those
   * of the resolvers, the principal as {@code user_id}, and attributes of the exchange.
   */
  Mono<CallerAttributes> attributes(ServerWebExchange exchange) {
    Mono<Map<String, String>> user =
        exchange.getPrincipal().map(principal -> Map.of(USER, principal.getName()));
    return Flux.concat(
            Flux.fromIterable(resolvers).concatMap(resolver -> resolver.attributes(exchange)), user)
        .collect(
            HashMap<String, String>::new,
            (all, some) -> some.forEach((name, value) -> all.putIfAbsent(name, value)))
        .map(
            all ->
                name -> {
                  String value = all.get(name);
                  return value == null ? plain(exchange.getAttribute(name)) : value;
                });
  }

  private static @Nullable String plain(@Nullable Object value) {
    return value instanceof String || value instanceof Number || value instanceof Boolean
        ? value.toString()
        : null;
  }

  /**
   * Adds a verdict to the earlier ones, sets the rate-limit headers, and returns the combined
   * verdict.
   */
  Verdict record(ServerWebExchange exchange, Verdict verdict) {
    Verdict earlier = exchange.getAttribute(VERDICT);
    return set(exchange, earlier == null ? verdict : earlier.and(verdict));
  }

  /**
   * Like {@link #record}, for the verdict of a phase: if it is a denial, the charges of the earlier
   * phase are refunded.
   */
  Verdict recordPhase(ServerWebExchange exchange, Verdict verdict) {
    return set(exchange, gate.combine(exchange.getAttribute(VERDICT), verdict));
  }

  private Verdict set(ServerWebExchange exchange, Verdict all) {
    exchange.getAttributes().put(VERDICT, all);
    ServerHttpResponse response = exchange.getResponse();
    if (!response.isCommitted()) {
      gate.responses().headers(all, response.getHeaders()::set);
    }
    return all;
  }

  /**
   * Writes the complete response to a denied request. Doesn't write on the thread that has just
   * read the request: Reactor Netty (issue 4361) may stop reading from a connection if it responds
   * to a request before the previous one has ended.
   */
  Mono<Void> deny(ServerWebExchange exchange, Verdict verdict) {
    ServerHttpResponse response = exchange.getResponse();
    HttpAnswer answer = gate.responses().deny(verdict, response.getHeaders()::set);
    response.setStatusCode(HttpStatusCode.valueOf(answer.status()));
    response.getHeaders().setContentLength(answer.body().length);
    return response
        .writeWith(Mono.fromSupplier(() -> response.bufferFactory().wrap(answer.body())))
        .subscribeOn(Schedulers.parallel());
  }
}
