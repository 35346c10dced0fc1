package io.penstock.server.admin;

import static io.vertx.core.http.HttpMethod.DELETE;
import static io.vertx.core.http.HttpMethod.GET;
import static io.vertx.core.http.HttpMethod.HEAD;
import static io.vertx.core.http.HttpMethod.POST;
import static io.vertx.core.http.HttpMethod.PUT;

import io.penstock.server.console.ConsoleEndpoint;
import io.penstock.server.http.AccessTokens;
import io.penstock.server.http.JsonResponses;
import io.penstock.server.http.Routes;
import io.penstock.server.http.TrustedHosts;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The admin listener, for operators and monitoring. Thread-safe. */
public final class AdminListener implements Handler<HttpServerRequest> {
  static final String LIVE = "/livez";
  static final String READY = "/readyz";
  private static final String METRICS = "/metrics";
  private static final String SIMULATE = "/v1/simulate";
  private static final String REPLAY = "/v1/replay";
  private static final String ADVISE = "/v1/advise";
  private static final Set<String> PUBLIC_PATHS = Set.of(LIVE, READY, METRICS);

  /**
   * Requests that change nothing although they use POST, because their parameters are in the body.
   */
  private static final Set<String> READ_ONLY_POSTS =
      Set.of("/v1/explain", "/v1/keys/peek", SIMULATE, REPLAY, ADVISE);

  private final AccessTokens tokens;
  private final @Nullable TrustedHosts hosts;
  private final Routes routes;
  private final ConsoleEndpoint console = new ConsoleEndpoint();

  /** The endpoints of the listener. */
  public record Endpoints(
      HealthEndpoint health,
      MetricsEndpoint metrics,
      PolicyEndpoints policy,
      KeyEndpoints keys,
      RuleEndpoints rules,
      ViolationEndpoints violations,
      FigureEndpoints figures,
      StreamEndpoint stream,
      SimulationEndpoint simulation,
      LogReportEndpoints logReports) {}

  /**
   * @param hosts the hosts that requests without a token may use; null to accept any
   */
  public AdminListener(AccessTokens tokens, @Nullable TrustedHosts hosts, Endpoints endpoints) {
    this.tokens = tokens;
    this.hosts = hosts;
    HealthEndpoint health = endpoints.health;
    PolicyEndpoints policy = endpoints.policy;
    KeyEndpoints keys = endpoints.keys;
    RuleEndpoints rules = endpoints.rules;
    ViolationEndpoints violations = endpoints.violations;
    this.routes =
        new Routes()
            .on(GET, LIVE, HealthEndpoint::live)
            .on(GET, READY, health::ready)
            .on(GET, METRICS, endpoints.metrics)
            .on(GET, "/v1/policy", policy::policy)
            .on(POST, "/v1/explain", policy::explain)
            .on(GET, "/v1/mode", policy::mode)
            .on(POST, "/v1/mode", policy::setMode)
            .on(POST, "/v1/keys/peek", keys::peek)
            .on(POST, "/v1/keys/reset", keys::reset)
            .on(POST, "/v1/keys/grant", keys::grant)
            .on(POST, "/v1/keys/override", keys::override)
            .on(POST, "/v1/keys/override/end", keys::endOverride)
            .on(GET, "/v1/keys/overrides", keys::overrides)
            .on(GET, "/v1/rules", rules::list)
            .on(POST, "/v1/rules", rules::create)
            .on(PUT, "/v1/rules", rules::apply)
            .onNamed(GET, "/v1/rules/{name}", rules::show)
            .onNamed(PUT, "/v1/rules/{name}", rules::replace)
            .onNamed(DELETE, "/v1/rules/{name}", rules::delete)
            .on(GET, "/v1/history", rules::history)
            .on(GET, "/v1/violations", violations::list)
            .on(GET, "/v1/violations/top", violations::top)
            .on(GET, "/v1/violations/histogram", violations::histogram)
            .on(GET, "/v1/top", endpoints.figures::top)
            .on(GET, "/v1/activity", endpoints.figures::activity)
            .on(GET, "/v1/timeline", endpoints.figures::timeline)
            .on(GET, "/v1/stream", endpoints.stream::stream)
            .on(POST, SIMULATE, endpoints.simulation::simulate)
            .on(POST, REPLAY, endpoints.logReports::replay)
            .on(POST, ADVISE, endpoints.logReports::advise)
            .on(GET, "/v1/session", this::session)
            .on(GET, "/v1/openapi.yaml", OpenApi::respond);
  }

  /** Returns the handler of each path. */
  public Routes routes() {
    return routes;
  }

  @Override
  public void handle(HttpServerRequest request) {
    if (Routes.rejectIfInvalid(request)) {
      return;
    }
    String path = String.valueOf(request.path());
    boolean ofConsole = ConsoleEndpoint.serves(path);
    boolean withoutToken = ofConsole || PUBLIC_PATHS.contains(path) || tokens.isEmpty();
    if (withoutToken && hosts != null && !hosts.admits(request)) {
      return;
    }
    if (ofConsole) {
      console.handle(request);
    } else if (PUBLIC_PATHS.contains(path)
        || tokens.admit(request, requiredRole(request.method(), path)) != null) {
      routes.handle(request);
    }
  }

  private void session(HttpServerRequest request) {
    Optional<AccessTokens.Caller> caller = tokens.caller(request);
    JsonResponses.end(
        request.response(),
        json -> {
          json.writeStartObject();
          json.writeStringField("name", caller.map(AccessTokens.Caller::name).orElse(null));
          json.writeStringField(
              "role", caller.map(AccessTokens.Caller::role).orElse(AccessTokens.Role.WRITE).code());
          json.writeEndObject();
        });
  }

  private static AccessTokens.Role requiredRole(HttpMethod method, String path) {
    boolean reads = method.equals(GET) || method.equals(HEAD) || READ_ONLY_POSTS.contains(path);
    return reads ? AccessTokens.Role.READ : AccessTokens.Role.WRITE;
  }
}
