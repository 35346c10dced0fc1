package io.penstock.server.envoy;

import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.Store;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.PolicyObserver;
import io.penstock.policy.http.Gate;
import io.penstock.policy.load.FileWatcher;
import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.Problem;
import io.penstock.server.http.Bodies;
import io.penstock.server.http.Routes;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Envoy's rate limit service, with the configuration of envoyproxy/ratelimit, and its external
 * authorization. Thread-safe. The listener at {@link #handler} speaks gRPC; {@link #routes} are for
 * other clients and for probes.
 */
public final class EnvoyService implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EnvoyService.class);
  private static final String GRPC = "application/grpc";
  private static final long WAIT_LOG_SECONDS = 10;
  private static final String HEALTH_PATH = "/healthcheck";
  private static final String DEBUG_PATHS =
      """
      /rlconfig: print out the currently loaded configuration for debugging
      /stats: print out stats
      """;

  private final EnvoyOptions options;
  private final EnvoyLimits limits;
  private final ConfigSubscription subscription;
  private final CountDownLatch loaded = new CountDownLatch(1);
  private final LimitDecisions decisions;
  private final LimitMeters meters;
  private final GrpcHealth health;
  private volatile List<Problem> rejected = List.of();

  /**
   * Loads the configuration. Waits for the one of an xDS server, unless an option turns that off.
   *
   * @param observer receives the outcomes of all limits
   * @param gates creates the gate that limits are decided by
   * @throws PolicyException if the configuration is invalid
   */
  public EnvoyService(
      Vertx vertx,
      EnvoyOptions options,
      Store store,
      PolicyObserver observer,
      Function<PolicyEngine, Gate> gates,
      MeterRegistry registry) {
    this.options = options;
    this.meters = new LimitMeters(registry);
    this.limits = new EnvoyLimits(options, EnvoyConfig.NONE, store, observer);
    this.decisions = new LimitDecisions(limits, gates.apply(limits.engine()), options, meters);
    this.health =
        new GrpcHealth(GrpcEndpoint.SERVICES, () -> !options.healthNeedsConfig() || domains() > 0);
    this.subscription = ConfigSubscription.of(options, vertx, new ConfigListener());
    try {
      subscription.start();
      if (!options.startsWithoutConfig()) {
        awaitConfig();
      }
    } catch (RuntimeException failure) {
      close();
      throw failure;
    }
  }

  private void awaitConfig() {
    try {
      while (!loaded.await(WAIT_LOG_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("waiting for the first configuration from {}", options.source());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for a configuration", e);
    }
  }

  private void logLoaded() {
    EnvoyConfig config = limits.config();
    config.warnings().forEach(warning -> LOG.warn("{}", warning));
    LOG.info(
        "serving Envoy with {} (domains: {}, limits: {}), each limit as a {}",
        options.source(),
        config.domains().size(),
        config.limits().size(),
        options.fixedWindows()
            ? "fixed window of its unit"
            : "token bucket with the requests of its unit as burst");
  }

  /**
   * Loads the configuration again, even if its files have not changed. If it is invalid, the errors
   * are logged and the old one stays active.
   */
  public void reload() {
    subscription.reload();
  }

  /** Returns the number of configured domains. */
  public int domains() {
    return limits.config().domains().size();
  }

  /** Returns the number of configured limits. */
  public int limits() {
    return limits.config().limits().size();
  }

  /** Returns the errors of the current files if they are invalid and not in effect. */
  public List<Problem> rejected() {
    return rejected;
  }

  /** Applies changes of the files. */
  private final class ConfigListener implements FileWatcher.WatchListener<EnvoyConfig> {
    @Override
    public void onLoaded(EnvoyConfig next) {
      limits.replace(next);
      rejected = List.of();
      if (loaded.getCount() == 0) {
        meters.reloaded(true);
      } else {
        meters.statistics().count(LimitStatistics.ServiceEvent.CONFIG_LOAD_SUCCESS);
      }
      loaded.countDown();
      health.update();
      logLoaded();
    }

    @Override
    public void onRejected(PolicyException reasons) {
      rejected = reasons.problems();
      meters.reloaded(false);
      for (Problem problem : reasons.problems()) {
        LOG.error("configuration for Envoy rejected: {}", problem, reasons.getCause());
      }
      LOG.error(
          limits.isLoaded()
              ? "the configuration for Envoy that was loaded before stays active"
              : "no configuration for Envoy is active, so its requests are not decided");
    }
  }

  /**
   * Returns the handler of the listener for Envoy.
   *
   * @param policyGate decides the requests of external authorization, by the policy
   */
  public Handler<HttpServerRequest> handler(
      Vertx vertx, Gate policyGate, Bodies bodies, long requestTimeoutMillis) {
    GrpcEndpoint grpc =
        new GrpcEndpoint(
            vertx,
            decisions,
            options.headers(),
            meters,
            new AuthorizationEndpoint(policyGate),
            health,
            requestTimeoutMillis);
    Routes routes = routes(new Routes(), bodies);
    return request -> {
      if (Routes.rejectIfInvalid(request)) {
        return;
      }
      String type = request.getHeader("content-type");
      if (type != null && type.startsWith(GRPC)) {
        grpc.handle(request);
      } else {
        routes.handle(request);
      }
    };
  }

  /** Adds the paths for clients without gRPC. */
  public Routes routes(Routes routes, Bodies bodies) {
    return routes
        .on(
            HttpMethod.POST,
            JsonEndpoint.PATH,
            new JsonEndpoint(decisions, options.headers(), meters, bodies))
        .on(HttpMethod.GET, HEALTH_PATH, this::health);
  }

  /** Returns the paths of the reference's debug port: the limits and the statistics as text. */
  public Routes debugRoutes() {
    return new Routes()
        .on(HttpMethod.GET, "/", request -> respond(request, DEBUG_PATHS))
        .on(HttpMethod.GET, "/rlconfig", request -> respond(request, configText()))
        .on(HttpMethod.GET, "/stats", request -> respond(request, meters.statistics().text()));
  }

  private String configText() {
    return limits.config().limits().stream()
        .map(DescriptorLimit::text)
        .sorted()
        .collect(Collectors.joining());
  }

  private static void respond(HttpServerRequest request, String text) {
    var unused =
        request.response().putHeader("Content-Type", "text/plain; charset=utf-8").end(text);
  }

  private void health(HttpServerRequest request) {
    boolean healthy = health.isServing();
    var unused =
        request
            .response()
            .setStatusCode(healthy ? 200 : 500)
            .putHeader("Content-Type", "text/plain")
            .end(healthy ? "OK" : "no configuration, or shutting down");
  }

  /** Reports from now on that the process is about to shut down. */
  public void startShutdown() {
    health.stop();
  }

  @Override
  public void close() {
    subscription.close();
    limits.close();
  }
}
