package io.penstock.server;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.penstock.NanoClock;
import io.penstock.policy.Policy;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.SkippedRuleLog;
import io.penstock.policy.address.IpAddress;
import io.penstock.policy.http.Gate;
import io.penstock.policy.http.GateObserver;
import io.penstock.policy.http.VerdictResponses;
import io.penstock.policy.load.PolicyException;
import io.penstock.policy.metrics.DecisionMeters;
import io.penstock.server.PolicyHolder.RuleSource;
import io.penstock.server.admin.AdminListener;
import io.penstock.server.admin.AdminStart;
import io.penstock.server.admin.FigureEndpoints;
import io.penstock.server.admin.HealthEndpoint;
import io.penstock.server.admin.KeyEndpoints;
import io.penstock.server.admin.LiveFigures;
import io.penstock.server.admin.LogReportEndpoints;
import io.penstock.server.admin.MetricsEndpoint;
import io.penstock.server.admin.PolicyEndpoints;
import io.penstock.server.admin.RuleEndpoints;
import io.penstock.server.admin.SimulationEndpoint;
import io.penstock.server.admin.ViolationEndpoints;
import io.penstock.server.database.Database;
import io.penstock.server.database.DatabaseAddress;
import io.penstock.server.database.DatabaseServices;
import io.penstock.server.database.RuleRepository;
import io.penstock.server.database.RuleSync;
import io.penstock.server.decision.DecisionListener;
import io.penstock.server.envoy.EnvoyOptions;
import io.penstock.server.envoy.EnvoyService;
import io.penstock.server.http.AccessTokens;
import io.penstock.server.http.BearerToken;
import io.penstock.server.http.Bodies;
import io.penstock.server.http.Connections;
import io.penstock.server.http.DelayedRequests;
import io.penstock.server.http.GuardedTransport;
import io.penstock.server.http.HttpListener;
import io.penstock.server.http.Routes;
import io.penstock.server.log.AccessLog;
import io.penstock.server.log.Logs;
import io.penstock.server.proxy.ProxyListener;
import io.penstock.server.proxy.ProxyMeters;
import io.penstock.server.proxy.Upstream;
import io.penstock.server.tls.TlsMaterial;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server process: wires up the store, the policy and the listeners. Thread-safe.
 *
 * <pre>{@code
 * try (var server = PenstockServer.start(settings)) {
 *   …
 * }
 * }</pre>
 */
public final class PenstockServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PenstockServer.class);
  private static final Duration ADMIN_CLOSE_TIMEOUT = Duration.ofSeconds(1);

  /** The fraction (1/n) of the shutdown time after which a silent client counts as idle. */
  private static final int IDLE_FRACTION = 10;

  private static final long DRAIN_POLL_MILLIS = 10;

  private final Map<String, Set<String>> paths = new HashMap<>();

  /** Closes what has been opened, in reverse order. */
  private final Deque<Runnable> resources = new ArrayDeque<>();

  private final Duration shutdown;
  private final PrometheusMeterRegistry registry;
  private final ListenerMeters listenerMeters;
  private final StoreFactory store;
  private final PolicyHolder policyHolder;
  private final FiguresInMemory figures;
  private final Optional<DatabaseServices> database;
  private final HealthEndpoint health;
  private final GuardedTransport transport = new GuardedTransport();
  private final GuardedTransport adminTransport = new GuardedTransport();
  private final Vertx vertx;

  /** Serves only the admin listener, so that its large responses don't delay other listeners. */
  private final Vertx adminVertx;

  private final Gate gate;
  private final ListenerOpening opening;
  private final HttpListener decision;
  private final HttpListener admin;
  private final Optional<HttpListener> proxy;
  private final Optional<EnvoyService> envoy;
  private final Optional<HttpListener> envoyListener;
  private final EnvoyDiagnostics envoyDiagnostics;
  private final ListenerCertificates certificates;
  private final Optional<AccessLog> accessLog;

  private PenstockServer(Settings settings, NanoClock clock) {
    this.shutdown = settings.shutdown();
    this.registry = registry();
    this.listenerMeters = new ListenerMeters(registry, this::isTrustedProxy);
    try {
      this.accessLog = AccessLogFactory.open(settings, registry);
      accessLog.ifPresent(log -> resources.push(log::close));
      this.adminVertx = vertx(new VertxOptions().setEventLoopPoolSize(1), adminTransport);
      resources.push(() -> close(adminVertx, adminTransport));
      AdminStart starting = new AdminStart(ListenerPolicy.trustedHosts(settings));
      this.admin =
          ListenerOpening.ofAdmin(settings, adminVertx, adminTransport, listenerMeters, starting);
      this.store = StoreFactory.open(settings, registry, clock);
      resources.push(store::close);
      DecisionMeters meters = new DecisionMeters(registry);
      this.figures = new FiguresInMemory(settings, meters, registry);
      resources.push(figures::close);
      this.policyHolder = policyHolder(settings, meters);
      resources.push(policyHolder::close);
      this.database = settings.postgres().map(url -> database(settings, url, registry));
      database.ifPresent(open -> resources.push(open::close));
      this.health =
          new HealthEndpoint(
              policyHolder, store.figures(), () -> database.map(open -> open.ruleSync().state()));
      this.vertx = vertx(workers(settings), transport);
      resources.push(() -> close(vertx, transport));
      vertx.setPeriodic(DecisionMeters.PERIOD_MILLIS, period -> meters.pass());
      this.gate = gate(settings, policyHolder.engine());
      this.envoy = settings.envoy().map(options -> envoy(settings, options, meters));
      envoy.ifPresent(service -> resources.push(service::close));
      health.watchEnvoy(() -> envoy.map(PenstockServer::status));
      database.ifPresent(DatabaseServices::start);
      store.warmUp().run();
      WarmUp.run(settings, policyHolder.engine().policy(), gate.decidesImmediately());
      this.opening = new ListenerOpening(settings, vertx, transport, listenerMeters);
      this.decision = openDecisionListener(settings);
      this.certificates = new ListenerCertificates(registry);
      resources.push(certificates::close);
      this.envoyListener = envoy.map(service -> openEnvoyListener(settings, service));
      MetricsEndpoint metrics = new MetricsEndpoint(registry);
      this.envoyDiagnostics =
          new EnvoyDiagnostics(
              settings,
              new ListenerOpening(settings, adminVertx, adminTransport, listenerMeters),
              envoy,
              metrics);
      this.proxy = settings.upstream().map(upstream -> openProxyListener(settings, upstream));
      health.watch(certificates::status);
      // From here on, the process is ready: no request is answered before.
      starting.complete(adminListener(settings, metrics));
      figures.start();
      decision.connections().accept();
      proxy.ifPresent(listener -> listener.connections().accept());
      envoyListener.ifPresent(listener -> listener.connections().accept());
      envoyDiagnostics.accept();
    } catch (RuntimeException e) {
      closeResources();
      throw e;
    }
  }

  private PolicyHolder policyHolder(Settings settings, DecisionMeters meters) {
    PolicyHolder.Rules rules =
        new PolicyHolder.Rules(
            settings.policy(),
            settings.postgres().isPresent() ? RuleSource.DATABASE : RuleSource.FILE,
            settings.upstream().isPresent(),
            settings.envoy().isPresent());
    return new PolicyHolder(rules, store.store(), new SkippedRuleLog(meters, LOG::warn), registry);
  }

  /** Returns whether an address is a trusted proxy; none is before the policy is loaded. */
  private boolean isTrustedProxy(IpAddress address) {
    return policyHolder != null && policyHolder.engine().policy().clientAddress().trusts(address);
  }

  /**
   * Starts the server, and returns when all listeners are open.
   *
   * @throws PolicyException if the policy is invalid
   * @throws StartException if a listener or file can't be opened
   */
  public static PenstockServer start(Settings settings) {
    return start(settings, NanoClock.system());
  }

  /** Starts the server with the given clock for the in-process store. */
  static PenstockServer start(Settings settings, NanoClock clock) {
    PenstockServer server = new PenstockServer(settings, clock);
    LOG.info(
        "serving {} (rules: {}), store {}",
        server.policyHolder.active().origin(),
        server.policyHolder.active().loaded().policy().rules().size(),
        server.store.store().kind());
    if (settings.token().isEmpty() && !SettingCheck.isLoopback(settings.host())) {
      LOG.warn(
          "the decision listener accepts requests from any client that can reach {}:{}; set a token"
              + " or bind it to loopback",
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
        .description("Dropped log lines")
        .register(registry);
    return registry;
  }

  private EnvoyService envoy(Settings settings, EnvoyOptions options, DecisionMeters meters) {
    return new EnvoyService(
        vertx,
        options,
        store.store(),
        new SkippedRuleLog(meters, LOG::warn),
        engine -> gate(settings, engine),
        registry);
  }

  private static HealthEndpoint.EnvoyStatus status(EnvoyService service) {
    return new HealthEndpoint.EnvoyStatus(service.domains(), service.limits(), service.rejected());
  }

  private Gate gate(Settings settings, PolicyEngine engine) {
    List<GateObserver> observers = new ArrayList<>(figures.observers());
    observers.add(new DecisionLog(settings.logsDecisions()));
    database.ifPresent(open -> observers.add(open.denials()));
    return new Gate(
        engine,
        new VerdictResponses(settings.headers(), settings.jitter()),
        GateObserver.all(observers));
  }

  /**
   * Uses few worker threads: they only parse large bodies and compete with event loops for cores.
   */
  private static VertxOptions workers(Settings settings) {
    return new VertxOptions()
        .setEventLoopPoolSize(settings.workers())
        .setWorkerPoolSize(settings.workers());
  }

  /** The cache of files needs a writable folder, which a container may not have. */
  static Vertx vertx(VertxOptions options, GuardedTransport transport) {
    options.setFileSystemOptions(
        new FileSystemOptions().setClassPathResolvingEnabled(false).setFileCachingEnabled(false));
    return Vertx.builder().with(options).withTransport(transport).build();
  }

  private DatabaseServices database(Settings settings, String url, MeterRegistry registry) {
    Database opened = new Database(DatabaseAddress.parse(url, System.getenv()));
    RuleSync.RuleSyncOptions options =
        new RuleSync.RuleSyncOptions(
            Optional.of(settings.postgresSnapshot()), settings.migratesPostgres(), RuleSync.POLL);
    return new DatabaseServices(
        opened,
        new RuleSync(opened, options, policyHolder::merge, registry),
        settings.recordsViolations()
            ? Optional.of(
                new DatabaseServices.Violations(
                    settings.violationsQueue(),
                    settings.violationsUser(),
                    settings.violationsDays(),
                    settings.violationsRows()))
            : Optional.empty(),
        () ->
            new RuleRepository.FileRules(
                policyHolder.filePolicy(), policyHolder.fileOrigin(), policyHolder.engine()::check),
        registry);
  }

  private HttpListener openProxyListener(Settings settings, Upstream upstream) {
    Optional<TlsMaterial> material =
        ListenerCertificates.load(Setting.PROXY_TLS_CERT, settings.proxyTls());
    AccessLog log = accessLog.orElse(null);
    ProxyListener handler = new ProxyListener(vertx, gate, upstream, settings.maxDelayed(), log);
    ProxyMeters.register(handler, registry);
    HttpListener listener =
        opening.open(
            Setting.PROXY_PORT,
            ListenerPolicy.proxyOptions(settings, material.map(TlsMaterial::options)),
            handler,
            handler.unhandled());
    certificates.watch("proxy", material, listener);
    return listener;
  }

  private HttpListener openDecisionListener(Settings settings) {
    DecisionListener handler =
        new DecisionListener(
            gate,
            new DelayedRequests(vertx, gate, settings.maxDelayed()),
            bodies(vertx, settings),
            new BearerToken(settings.token()),
            envoy
                .map(service -> service.routes(new Routes(), bodies(vertx, settings)))
                .orElseGet(Routes::new));
    paths.putAll(handler.routes().paths());
    return opening.open(
        Setting.PORT, ListenerPolicy.options(settings.host(), settings.port()), handler);
  }

  private HttpListener openEnvoyListener(Settings settings, EnvoyService service) {
    Optional<TlsMaterial> material =
        ListenerCertificates.load(Setting.ENVOY_TLS_CERT, settings.envoyTls());
    HttpListener listener =
        opening.open(
            Setting.ENVOY_PORT,
            ListenerPolicy.envoyOptions(settings, material.map(TlsMaterial::options)),
            service.handler(vertx, gate, bodies(vertx, settings), settings.requestTimeoutMillis()));
    certificates.watch("envoy", material, listener);
    return listener;
  }

  private AdminListener adminListener(Settings settings, MetricsEndpoint metrics) {
    AccessTokens tokens = AccessTokens.of(settings.adminToken(), settings.adminTokens());
    Bodies bodies = bodies(adminVertx, settings);
    ModeSwitch modes = new ModeSwitch(adminVertx, policyHolder.engine());
    LiveFigures live = figures.live(policyHolder, modes, store.figures());
    AdminListener handler =
        new AdminListener(
            tokens,
            ListenerPolicy.trustedHosts(settings),
            new AdminListener.Endpoints(
                health,
                metrics,
                new PolicyEndpoints(policyHolder, modes, bodies, tokens),
                new KeyEndpoints(
                    policyHolder.engine(),
                    new KeyOverrides(adminVertx, policyHolder.engine()),
                    bodies,
                    tokens),
                new RuleEndpoints(adminVertx, database, bodies, tokens),
                new ViolationEndpoints(adminVertx, database, figures.violations()),
                new FigureEndpoints(policyHolder, figures.topDenied(), figures.timeline(), live),
                figures.openStream(adminVertx, live),
                new SimulationEndpoint(adminVertx, bodies),
                new LogReportEndpoints(adminVertx, bodies, policyHolder)));
    paths.putAll(handler.routes().paths());
    return handler;
  }

  private static Bodies bodies(Vertx vertx, Settings settings) {
    return new Bodies(vertx, ListenerPolicy.MAX_BODY_BYTES, settings.requestTimeoutMillis());
  }

  /** Returns the port of the decision listener. */
  public int port() {
    return decision.port();
  }

  /** Returns the active policy. */
  public Policy policy() {
    return policyHolder.engine().policy();
  }

  /** Returns the port of the admin listener. */
  public int adminPort() {
    return admin.port();
  }

  /** Returns the port of the proxy listener, if there is an upstream. */
  public Optional<Integer> proxyPort() {
    return proxy.map(HttpListener::port);
  }

  /** Returns the port of the listener for Envoy, if there is one. */
  public Optional<Integer> envoyPort() {
    return envoyListener.map(HttpListener::port);
  }

  /** Returns the listeners of envoyproxy/ratelimit for operators. */
  EnvoyDiagnostics envoyDiagnostics() {
    return envoyDiagnostics;
  }

  /**
   * Returns the paths of the decision and admin listeners with their methods, except for
   * forward-auth, which accepts any method.
   */
  Map<String, Set<String>> paths() {
    return paths;
  }

  /**
   * Reloads the policy, the certificates and the rules, and reopens the access log file. If one of
   * these fails, the others are still done.
   */
  public void reload() {
    reload("the policy", policyHolder::reload);
    envoy.ifPresent(open -> reload("the configuration for Envoy", open::reload));
    reload("the certificates", certificates::reload);
    accessLog.ifPresent(open -> reload("the access log", open::reopen));
    database.ifPresent(open -> reload("the rules", open.ruleSync()::refresh));
  }

  private static void reload(String what, Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | StackOverflowError e) {
      LOG.error("reload of {} failed", what, e);
    }
  }

  /**
   * Stops accepting connections, finishes the requests in flight, and shuts down. Requests that
   * take longer than the configured shutdown time get no response.
   */
  @Override
  public void close() {
    LOG.info("shutting down");
    health.startShutdown();
    envoy.ifPresent(EnvoyService::startShutdown);
    figures.closeStream();
    certificates.close();
    drain();
    List<Future<Void>> closing = new ArrayList<>(List.of(decision.close(shutdown)));
    proxy.ifPresent(listener -> closing.add(listener.close(shutdown)));
    envoyListener.ifPresent(listener -> closing.add(listener.close(shutdown)));
    ShutdownWait.await("listeners", Future.join(closing).mapEmpty(), shutdown);
    ShutdownWait.await("debug", envoyDiagnostics.close(ADMIN_CLOSE_TIMEOUT), ADMIN_CLOSE_TIMEOUT);
    ShutdownWait.await("admin listener", admin.close(ADMIN_CLOSE_TIMEOUT), ADMIN_CLOSE_TIMEOUT);
    closeResources();
    LOG.info("shutdown complete");
  }

  /**
   * Drains persistent connections: each response asks its client to close the connection. Waits
   * until none are left or no requests arrive, for at most half of the shutdown time.
   */
  private void drain() {
    List<Connections> draining = new ArrayList<>(List.of(decision.connections()));
    proxy.ifPresent(listener -> draining.add(listener.connections()));
    envoyListener.ifPresent(listener -> draining.add(listener.connections()));
    draining.forEach(Connections::drain);
    Duration idle = shutdown.dividedBy(IDLE_FRACTION);
    long deadline = System.nanoTime() + shutdown.dividedBy(2).toNanos();
    try {
      while (System.nanoTime() - deadline < 0
          && !draining.stream().allMatch(connections -> connections.isDrained(idle))) {
        Thread.sleep(DRAIN_POLL_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void close(Vertx vertx, GuardedTransport transport) {
    transport.stopAccepting();
    ShutdownWait.await("event loops", vertx.close(), ADMIN_CLOSE_TIMEOUT);
  }

  private void closeResources() {
    while (!resources.isEmpty()) {
      resources.pop().run();
    }
  }
}
