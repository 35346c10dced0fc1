package io.penstock.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.penstock.Buckets;
import io.penstock.Claim;
import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.Store;
import io.penstock.StoreOptions;
import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.Policy;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.http.Gate;
import io.penstock.policy.http.VerdictResponses;
import io.penstock.policy.jwt.JwtSettings;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.policy.metrics.DecisionMeters;
import io.penstock.server.decision.DecisionListener;
import io.penstock.server.envoy.EnvoyWarmUp;
import io.penstock.server.http.BearerToken;
import io.penstock.server.http.Bodies;
import io.penstock.server.http.Connections;
import io.penstock.server.http.DelayedRequests;
import io.penstock.server.http.FailedRequests;
import io.penstock.server.http.GuardedTransport;
import io.penstock.server.http.HttpListener;
import io.penstock.server.http.Routes;
import io.penstock.server.metrics.DecisionLatency;
import io.penstock.server.proxy.ProxyListener;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends requests through all layers of the service before it is ready, so that the first requests
 * of clients don't wait until classes are loaded and compiled. The requests go to listeners of
 * their own on loopback, with the active rules, an in-process store and meters that are discarded.
 */
final class WarmUp {
  private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);
  private static final long TIMEOUT_MILLIS = 10_000;
  private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final int ROUNDS = 60;
  private static final int REQUESTS = 20;

  /** One rule that allows and one that denies, in case the active policy has none. */
  private static final String RULES =
      """
      rules:
        - {name: allow, limit_keys: ["ip:address"], match: {path: /allow}, rate: 1000000/s}
        - {name: deny, limit_keys: ["ip:address"], match: {path: /deny}, rate: 1/h, burst: 1}
      """;

  private static final AtomicBoolean WARM = new AtomicBoolean();

  private final Settings settings;
  private final GuardedTransport transport = new GuardedTransport();
  private final Vertx vertx =
      PenstockServer.vertx(
          new VertxOptions().setEventLoopPoolSize(1).setWorkerPoolSize(1), transport);

  private WarmUp(Settings settings) {
    this.settings = settings;
  }

  /**
   * Runs the warm-up, once in a JVM. A failure is logged and has no other effect.
   *
   * @param immediate whether the store of the service decides immediately
   */
  static void run(Settings settings, Policy policy, boolean immediate) {
    if (!WARM.compareAndSet(false, true)) {
      return;
    }
    WarmUp warmUp = new WarmUp(settings);
    try {
      warmUp.run(policy, immediate);
    } catch (Exception e) {
      LOG.warn("the warm-up failed, so the first requests may be slow: {}", e.toString());
    } finally {
      var unused = warmUp.vertx.close();
    }
  }

  private void run(Policy policy, boolean immediate) throws IOException, TimeoutException {
    Policy fixed = PolicyLoader.parse(RULES, "warm-up").policy();
    try (Store local = InProcessStore.create()) {
      Store store = immediate ? local : new DeferredStore(local);
      Gate gate = gate(store, fixed);
      int decision = open("warm-up", decision(gate));
      int active = open("warm-up policy", decision(gate(store, policy, gate)));
      Optional<Integer> proxy =
          settings
              .upstream()
              .map(
                  upstream -> {
                    URI origin = URI.create("http://127.0.0.1:" + decision);
                    return open(
                        "warm-up proxy",
                        new ProxyListener(vertx, gate, upstream.at(origin), 0, null));
                  });
      long endNanos = System.nanoTime() + MAX_NANOS;
      for (int i = 0; i < ROUNDS && endNanos - System.nanoTime() > 0; i++) {
        send(active, "POST /v1/check", "{\"ip\":\"192.0.2.1\",\"path\":\"/\"}");
        send(active, "GET /v1/forward-auth/", "");
        send(decision, "POST /v1/check", "{\"ip\":\"192.0.2.1\",\"path\":\"/deny\"}");
        send(decision, "GET /v1/forward-auth/allow?a=b", "");
        send(decision, "GET /v1/forward-auth/deny", "");
        if (proxy.isPresent()) {
          send(proxy.get(), "GET /v1/forward-auth/allow", "");
          send(proxy.get(), "GET /deny", "");
        }
      }
      if (settings.envoy().isPresent()) {
        sendToEnvoyListener(store, gate);
      }
    }
  }

  private void sendToEnvoyListener(Store store, Gate policyGate) throws TimeoutException {
    PrometheusMeterRegistry discarded = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    try (EnvoyWarmUp envoy =
        new EnvoyWarmUp(vertx, store, this::gate, policyGate, discarded, TIMEOUT_MILLIS)) {
      int port = open("warm-up envoy", envoy.handler());
      long endNanos = System.nanoTime() + MAX_NANOS;
      for (int i = 0; i < ROUNDS && endNanos - System.nanoTime() > 0; i++) {
        int unused = envoy.send(port, REQUESTS, TIMEOUT_MILLIS);
      }
    }
  }

  /** Returns the policy without keys that would have to be fetched. */
  private static Policy withoutTokens(Policy policy) {
    return policy.withJwt(JwtSettings.NONE);
  }

  /** Returns a gate with the policy, or another gate if the policy needs another kind of store. */
  private Gate gate(Store store, Policy policy, Gate fallback) {
    try {
      return gate(store, withoutTokens(policy));
    } catch (IllegalArgumentException unsupported) {
      LOG.debug("the policy is not warmed up", unsupported);
      return fallback;
    }
  }

  private Gate gate(Store store, Policy policy) {
    PrometheusMeterRegistry discarded = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    return gate(new PolicyEngine(store, policy, new DecisionMeters(discarded)));
  }

  private Gate gate(PolicyEngine engine) {
    return new Gate(
        engine,
        new VerdictResponses(settings.headers(), settings.jitter()),
        new DecisionLatency(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT)));
  }

  private DecisionListener decision(Gate gate) {
    return new DecisionListener(
        gate,
        new DelayedRequests(vertx, gate, 0),
        new Bodies(vertx, ListenerPolicy.MAX_BODY_BYTES, TIMEOUT_MILLIS),
        new BearerToken(Optional.empty()),
        new Routes());
  }

  private int open(String name, Handler<HttpServerRequest> handler) {
    Connections.ConnectionLimits limits =
        new Connections.ConnectionLimits(REQUESTS, REQUESTS, TIMEOUT_MILLIS);
    HttpListener.ListenerAddress address =
        new HttpListener.ListenerAddress(
            transport,
            new Connections(name, limits, peer -> true),
            ListenerPolicy.options("127.0.0.1", 0),
            1);
    try {
      return HttpListener.open(vertx, address, handler, new FailedRequests(name))
          .await(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
          .port();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** Makes the gate wait for decisions as with Redis. */
  private record DeferredStore(Store store) implements Store {
    @Override
    public Buckets buckets(String name, Limit limit, StoreOptions storeOptions) {
      return store.buckets(name, limit, storeOptions);
    }

    @Override
    public Decision take(List<Claim> claims) {
      return store.take(claims);
    }

    @Override
    public CompletionStage<Decision> takeAsync(List<Claim> claims) {
      return store.takeAsync(claims);
    }

    @Override
    public CompletionStage<Decision> peekAsync(List<Claim> claims) {
      return store.peekAsync(claims);
    }

    @Override
    public void close() {
      store.close();
    }
  }

  /** Sends the same request several times on one connection, and reads all responses. */
  private static void send(int port, String line, String body) throws IOException {
    String request =
        line
            + " HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 192.0.2.1\r\nContent-Length: "
            + body.length()
            + "\r\n";
    String all =
        String.join("", List.of(request, "\r\n", body)).repeat(REQUESTS - 1)
            + request
            + "Connection: close\r\n\r\n"
            + body;
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout((int) TIMEOUT_MILLIS);
      socket.getOutputStream().write(all.getBytes(ISO_8859_1));
      socket.getInputStream().readAllBytes();
    }
  }
}
