package io.penstock.server;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.penstock.NanoClock;
import io.penstock.policy.http.VerdictResponses;
import io.penstock.policy.load.PolicyException;
import io.penstock.policy.metrics.DecisionMeters;
import io.penstock.server.PolicyHolder.RuleSource;
import io.penstock.server.admin.AdminListener;
import io.penstock.server.admin.HealthEndpoint;
import io.penstock.server.admin.KeyEndpoints;
import io.penstock.server.admin.MetricsEndpoint;
import io.penstock.server.admin.PolicyEndpoints;
import io.penstock.server.admin.RuleEndpoints;
import io.penstock.server.admin.ViolationEndpoints;
import io.penstock.server.database.Database;
import io.penstock.server.database.DatabaseAddress;
import io.penstock.server.database.DatabaseServices;
import io.penstock.server.database.RuleRepository;
import io.penstock.server.database.RuleSync;
import io.penstock.server.decision.DecisionListener;
import io.penstock.server.http.AccessTokens;
import io.penstock.server.http.BearerToken;
import io.penstock.server.http.Bodies;
import io.penstock.server.http.Connections;
import io.penstock.server.http.DelayedRequests;
import io.penstock.server.http.FailedRequests;
import io.penstock.server.http.GuardedTransport;
import io.penstock.server.http.HttpListener;
import io.penstock.server.http.TrustedHosts;
import io.penstock.server.log.AccessLog;
import io.penstock.server.log.Logs;
import io.penstock.server.metrics.DecisionLatency;
import io.penstock.server.proxy.ProxyListener;
import io.penstock.server.proxy.Upstream;
import io.penstock.server.tls.TlsException;
import io.penstock.server.tls.TlsFiles;
import io.penstock.server.tls.TlsMaterial;
import io.penstock.server.tls.TlsReloader;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process: its store, its policy and its doors, put together. Thread-safe.
 *
 * <pre>{@code
 * try (var server = PenstockServer.start(settings)) {
 *   …
 * }
 * }</pre>
 */
public final class PenstockServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PenstockServer.class);
  private static final long MAX_START_SECONDS = 30;
  private static final Duration ADMIN_CLOSE = Duration.ofSeconds(1);
  private static final int MAX_ADMIN_CONNECTIONS = 1_000;

  /** The part of the time for shutdown after which clients that send nothing are taken for idle. */
  private static final int QUIET_SHARE = 10;

  private static final long DRAIN_PAUSE_MILLIS = 10;

  private final Map<String, Set<String>> paths = new HashMap<>();
  private final Duration shutdown;
  private final PrometheusMeterRegistry registry;
  private final StoreFactory store;
  private final PolicyHolder keeper;
  private final Optional<DatabaseServices> database;
  private final HealthEndpoint health;
  private final GuardedTransport transport = new GuardedTransport();
  private final GuardedTransport adminTransport = new GuardedTransport();
  private final Vertx vertx;

  /**
   * Of the admin door alone: what those who run it ask for can be large, and nobody waits for it.
   */
  private final Vertx adminVertx;

  private final RequestLimiter limiting;
  private final HttpListener decision;
  private final HttpListener admin;
  private final Optional<HttpListener> proxy;
  private final Optional<TlsReloader> tls;
  private final Optional<AccessLog> accessLog;

  private PenstockServer(Settings settings, NanoClock clock) {
    this.shutdown = settings.shutdown();
    this.registry = registry();
    this.accessLog = AccessLogFactory.open(settings, registry);
    this.store = StoreFactory.open(settings, registry, clock);
    DecisionMeters meters = new DecisionMeters(registry);
    try {
      this.keeper =
          new PolicyHolder(
              new PolicyHolder.Rules(
                  settings.policy(),
                  settings.postgres().isPresent() ? RuleSource.ELSEWHERE : RuleSource.FILE,
                  canBeLocal(settings)),
              store.store(),
              meters,
              registry);
    } catch (RuntimeException e) {
      store.close();
      accessLog.ifPresent(AccessLog::close);
      throw e;
    }
    this.database = settings.postgres().map(url -> database(settings, url, registry));
    this.health =
        new HealthEndpoint(
            keeper,
            store.kind(),
            store.available(),
            store.problem(),
            () -> database.map(open -> open.feed().state()));
    this.vertx = vertx(workers(settings), transport);
    this.adminVertx = vertx(new VertxOptions().setEventLoopPoolSize(1), adminTransport);
    vertx.setPeriodic(DecisionMeters.PERIOD_MILLIS, period -> meters.pass());
    this.limiting =
        new RequestLimiter(
            keeper.engine(),
            store.store(),
            new DecisionLatency(registry),
            settings.logsDecisions(),
            database.map(DatabaseServices::denials).orElse(DenialLog.NONE));
    try {
      database.ifPresent(DatabaseServices::start);
      this.decision = decisionDoor(settings);
      this.admin = adminDoor(settings);
      Optional<TlsMaterial> material = settings.proxyTls().map(PenstockServer::load);
      this.proxy = settings.upstream().map(upstream -> proxyDoor(settings, upstream, material));
      this.tls =
          proxy.isPresent()
              ? material.map(
                  first ->
                      new TlsReloader(
                          settings.proxyTls().orElseThrow(),
                          first,
                          proxy.get()::updateTls,
                          registry))
              : Optional.empty();
      health.watch(tls);
    } catch (RuntimeException e) {
      end();
      throw e;
    }
  }

  /**
   * Starts everything, and returns when all doors are open.
   *
   * @throws PolicyException if the policy can't be used
   * @throws StartException if a door can't be opened
   */
  public static PenstockServer start(Settings settings) {
    return start(settings, NanoClock.system());
  }

  /** The same, with buckets in process on a clock of the caller's. */
  static PenstockServer start(Settings settings, NanoClock clock) {
    PenstockServer server = new PenstockServer(settings, clock);
    LOG.info(
        "serving {} (rules: {}), store {}",
        server.keeper.inForce().origin(),
        server.keeper.inForce().loaded().policy().rules().size(),
        server.store.kind());
    if (!server.store.available().getAsBoolean()) {
      LOG.warn(
          "Redis is unavailable ({}): the failure policy of each rule decides until it is"
              + " available",
          server.store.problem().get());
    }
    if (settings.token().isEmpty() && !SettingCheck.isLoopback(settings.host())) {
      LOG.warn(
          "the decision door is open to everybody who reaches {}:{}; set a token, or bind it to"
              + " loopback",
          settings.host(),
          server.port());
    }
    return server;
  }

  private static PrometheusMeterRegistry registry() {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    FunctionCounter.builder("penstock.log.dropped", Logs.class, unused -> Logs.dropped())
        .description("Lines of the log that were lost")
        .register(registry);
    return registry;
  }

  /** What may connect to a listener, counted. */
  private Connections connections(String listener, Connections.ConnectionLimits limits) {
    Connections connections =
        new Connections(
            listener, limits, address -> keeper.engine().policy().clientAddress().trusts(address));
    Gauge.builder("penstock.connections", connections, Connections::open)
        .description("Connections of clients")
        .tag("listener", listener)
        .register(registry);
    for (Connections.Rejection reason : Connections.Rejection.values()) {
      FunctionCounter.builder(
              "penstock.connections.refused", connections, all -> all.refused(reason))
          .description("Connections that were closed at once because there were too many")
          .tag("listener", listener)
          .tag("reason", reason.label())
          .register(registry);
    }
    return connections;
  }

  private static Connections.ConnectionLimits limits(Settings settings) {
    return new Connections.ConnectionLimits(
        settings.maxConnections(),
        settings.maxConnectionsPerAddress(),
        settings.requestTimeoutMillis());
  }

  /** Worker threads read large bodies only: more of them would take turns with event loops. */
  private static VertxOptions workers(Settings settings) {
    return new VertxOptions()
        .setEventLoopPoolSize(settings.workers())
        .setWorkerPoolSize(settings.workers());
  }

  private static Vertx vertx(VertxOptions options, GuardedTransport transport) {
    return Vertx.builder().with(options).withTransport(transport).build();
  }

  private FailedRequests failures(String listener) {
    FailedRequests failures = new FailedRequests(listener);
    FunctionCounter.builder("penstock.requests.failed", failures, FailedRequests::count)
        .description("Requests that were answered 500 because handling them failed")
        .tag("listener", listener)
        .register(registry);
    return failures;
  }

  /** Whether a node knows its share of what all have, or has all of it. */
  private static boolean canBeLocal(Settings settings) {
    return settings.redis().isEmpty() || settings.nodes().isPresent();
  }

  private DatabaseServices database(Settings settings, String url, MeterRegistry registry) {
    Database opened = new Database(DatabaseAddress.parse(url, System.getenv()));
    RuleSync.Options options =
        new RuleSync.Options(
            Optional.of(settings.postgresSnapshot()),
            settings.migratesPostgres(),
            canBeLocal(settings),
            RuleSync.POLL);
    return new DatabaseServices(
        opened,
        new RuleSync(opened, options, keeper::join, registry),
        settings.notesViolations()
            ? Optional.of(
                new DatabaseServices.Violations(
                    settings.violationsQueue(),
                    settings.violationsUser(),
                    settings.violationsDays(),
                    settings.violationsRows()))
            : Optional.empty(),
        () ->
            new RuleRepository.FileRules(
                keeper.ofFiles(), keeper.fileOrigin(), keeper.engine()::check),
        registry);
  }

  private static TlsMaterial load(TlsFiles files) {
    try {
      return TlsMaterial.load(files);
    } catch (TlsException e) {
      throw StartException.unusable(Setting.PROXY_TLS_CERT, e);
    }
  }

  private HttpListener proxyDoor(
      Settings settings, Upstream upstream, Optional<TlsMaterial> material) {
    AccessLog log = accessLog.orElse(null);
    ProxyListener door =
        new ProxyListener(
            vertx,
            limiting,
            new VerdictResponses(settings.headers(), settings.jitter()),
            upstream,
            settings.maxDelayed(),
            log);
    Gauge.builder("penstock.proxy.held", door, ProxyListener::held)
        .description("Requests that rules with on_limit: delay hold back")
        .register(registry);
    Gauge.builder("penstock.proxy.under.way", door, ProxyListener::underWay)
        .description("Requests on their way to the origin and back")
        .register(registry);
    FunctionCounter.builder("penstock.proxy.given.back", door, ProxyListener::givenBack)
        .description("Requests that got tokens back because the origin could not be reached")
        .register(registry);
    FunctionCounter.builder("penstock.proxy.unavailable", door, ProxyListener::unavailableCount)
        .description("Requests that got 503 because no origin connection became free for them")
        .register(registry);
    FunctionCounter.builder("penstock.proxy.slow.clients", door, ProxyListener::slowClientCount)
        .description("Responses that were reset because the client read too slowly")
        .register(registry);
    FunctionCounter.builder("penstock.proxy.surplus", door, ProxyListener::surplusCount)
        .description("Origin connections closed because of bytes that belong to no request")
        .register(registry);
    return open(
        Setting.PROXY_PORT,
        HttpListener.open(
            vertx,
            new HttpListener.ListenerAddress(
                transport,
                connections("proxy", limits(settings)),
                ListenerPolicy.proxyOptions(settings, material.map(TlsMaterial::options)),
                settings.workers()),
            door,
            failures("proxy")));
  }

  private HttpListener decisionDoor(Settings settings) {
    DecisionListener door =
        new DecisionListener(
            limiting,
            new VerdictResponses(settings.headers(), settings.jitter()),
            new DelayedRequests(vertx, settings.maxDelayed()),
            bodies(vertx, settings),
            new BearerToken(settings.token()));
    paths.putAll(door.routes().paths());
    return open(
        Setting.PORT,
        HttpListener.open(
            vertx,
            new HttpListener.ListenerAddress(
                transport,
                connections("decision", limits(settings)),
                ListenerPolicy.options(settings.host(), settings.port()),
                settings.workers()),
            door,
            failures("decision")));
  }

  private HttpListener adminDoor(Settings settings) {
    AccessTokens tokens = AccessTokens.of(settings.adminToken(), settings.adminTokens());
    Bodies bodies = bodies(adminVertx, settings);
    AdminListener door =
        new AdminListener(
            tokens,
            trustedHosts(settings),
            new AdminListener.Tools(
                health,
                new MetricsEndpoint(registry),
                new PolicyEndpoints(
                    keeper, new ModeSwitch(adminVertx, keeper.engine()), bodies, tokens),
                new KeyEndpoints(keeper.engine(), bodies, tokens),
                new RuleEndpoints(adminVertx, database, bodies, tokens),
                new ViolationEndpoints(adminVertx, database)));
    paths.putAll(door.routes().paths());
    return open(
        Setting.ADMIN_PORT,
        HttpListener.open(
            adminVertx,
            new HttpListener.ListenerAddress(
                adminTransport,
                connections(
                    "admin",
                    new Connections.ConnectionLimits(
                        MAX_ADMIN_CONNECTIONS,
                        MAX_ADMIN_CONNECTIONS / Settings.ADDRESS_SHARE,
                        settings.requestTimeoutMillis())),
                ListenerPolicy.options(settings.adminHost(), settings.adminPort()),
                1),
            door,
            failures("admin")));
  }

  /**
   * Beyond loopback, probes and collectors come by names that only settings can tell; everybody who
   * reaches the listener can ask it then, so pages gain nothing.
   */
  private static @Nullable TrustedHosts trustedHosts(Settings settings) {
    return SettingCheck.isLoopback(settings.adminHost()) || !settings.adminHosts().isEmpty()
        ? new TrustedHosts(settings.adminHost(), settings.adminHosts())
        : null;
  }

  private static Bodies bodies(Vertx vertx, Settings settings) {
    return new Bodies(vertx, ListenerPolicy.MAX_BODY_BYTES, settings.requestTimeoutMillis());
  }

  private static HttpListener open(Setting port, Future<HttpListener> opening) {
    try {
      return opening.await(MAX_START_SECONDS, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new StartException(port, e);
    }
  }

  /** The port of the decision door. */
  public int port() {
    return decision.port();
  }

  /** The port of the admin door. */
  public int adminPort() {
    return admin.port();
  }

  /** The port of the proxy door, if there is an origin. */
  public Optional<Integer> proxyPort() {
    return proxy.map(HttpListener::port);
  }

  /** All paths of both doors with their methods, but for the one that takes any. */
  Map<String, Set<String>> paths() {
    return paths;
  }

  /** Reads the policy and certificates again, and opens the file of the access log anew. */
  public void reload() {
    keeper.reload();
    tls.ifPresent(TlsReloader::reload);
    accessLog.ifPresent(AccessLog::reopen);
    database.ifPresent(open -> open.feed().refresh());
  }

  /**
   * Lets nobody in any more, answers those who are, and ends; those who take longer than the
   * settings allow are left without an answer.
   */
  @Override
  public void close() {
    LOG.info("ending");
    health.end();
    tls.ifPresent(TlsReloader::close);
    drain();
    List<Future<Void>> closing = new ArrayList<>(List.of(decision.close(shutdown)));
    proxy.ifPresent(door -> closing.add(door.close(shutdown)));
    await(Future.join(closing).mapEmpty(), shutdown);
    await(admin.close(ADMIN_CLOSE), ADMIN_CLOSE);
    end();
    LOG.info("ended");
  }

  /** Clients that keep connections learn with their next answer to use others. */
  private void drain() {
    List<Connections> draining = new ArrayList<>(List.of(decision.connections()));
    proxy.ifPresent(door -> draining.add(door.connections()));
    draining.forEach(Connections::drain);
    Duration quiet = shutdown.dividedBy(QUIET_SHARE);
    long end = System.nanoTime() + shutdown.dividedBy(2).toNanos();
    try {
      while (System.nanoTime() - end < 0
          && !draining.stream().allMatch(connections -> connections.isDrained(quiet))) {
        Thread.sleep(DRAIN_PAUSE_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void end() {
    database.ifPresent(DatabaseServices::close);
    keeper.close();
    await(Future.join(vertx.close(), adminVertx.close()).mapEmpty(), ADMIN_CLOSE);
    store.close();
    accessLog.ifPresent(AccessLog::close);
  }

  private static void await(Future<Void> ending, Duration most) {
    try {
      ending.await(most.toMillis() + 500, TimeUnit.MILLISECONDS);
    } catch (Exception e) {
      LOG.warn("not everything ended in time: {}", String.valueOf(e.getMessage()));
    }
  }
}
