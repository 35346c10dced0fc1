package io.penstock.server.admin;

import static io.vertx.core.http.HttpMethod.DELETE;
import static io.vertx.core.http.HttpMethod.GET;
import static io.vertx.core.http.HttpMethod.HEAD;
import static io.vertx.core.http.HttpMethod.POST;
import static io.vertx.core.http.HttpMethod.PUT;

import io.penstock.server.http.AccessTokens;
import io.penstock.server.http.Routes;
import io.penstock.server.http.TrustedHosts;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The door for those who run the process. Thread-safe. */
public final class AdminListener implements Handler<HttpServerRequest> {
  private static final String LIVE = "/livez";
  private static final String READY = "/readyz";
  private static final String METRICS = "/metrics";
  private static final Set<String> FOR_ALL = Set.of(LIVE, READY, METRICS);

  /** What only looks, though a body says at what. */
  private static final Set<String> LOOKING = Set.of("/v1/explain", "/v1/keys/peek");

  private final AccessTokens tokens;
  private final @Nullable TrustedHosts hosts;
  private final Routes routes;

  /** What can be done at the door. */
  public record Tools(
      HealthEndpoint health,
      MetricsEndpoint metrics,
      PolicyEndpoints policy,
      KeyEndpoints keys,
      RuleEndpoints rules,
      ViolationEndpoints violations) {}

  /**
   * @param hosts whom requests without a token may be for; null if for anybody
   */
  public AdminListener(AccessTokens tokens, @Nullable TrustedHosts hosts, Tools tools) {
    this.tokens = tokens;
    this.hosts = hosts;
    HealthEndpoint health = tools.health;
    PolicyEndpoints policy = tools.policy;
    KeyEndpoints keys = tools.keys;
    RuleEndpoints rules = tools.rules;
    ViolationEndpoints violations = tools.violations;
    this.routes =
        new Routes()
            .on(GET, LIVE, health::live)
            .on(GET, READY, health::ready)
            .on(GET, METRICS, tools.metrics)
            .on(GET, "/v1/policy", policy::policy)
            .on(POST, "/v1/explain", policy::explain)
            .on(GET, "/v1/mode", policy::mode)
            .on(POST, "/v1/mode", policy::setMode)
            .on(POST, "/v1/keys/peek", keys::peek)
            .on(POST, "/v1/keys/reset", keys::reset)
            .on(POST, "/v1/keys/grant", keys::grant)
            .on(GET, "/v1/rules", rules::list)
            .on(POST, "/v1/rules", rules::create)
            .on(PUT, "/v1/rules", rules::apply)
            .onNamed(GET, "/v1/rules/{name}", rules::show)
            .onNamed(PUT, "/v1/rules/{name}", rules::replace)
            .onNamed(DELETE, "/v1/rules/{name}", rules::delete)
            .on(GET, "/v1/history", rules::history)
            .on(GET, "/v1/violations", violations::list)
            .on(GET, "/v1/violations/top", violations::top)
            .on(GET, "/v1/openapi.yaml", OpenApi::answer);
  }

  /** What is behind which path. */
  public Routes routes() {
    return routes;
  }

  @Override
  public void handle(HttpServerRequest request) {
    if (Routes.rejects(request)) {
      return;
    }
    String path = String.valueOf(request.path());
    boolean withoutToken = FOR_ALL.contains(path) || tokens.isEmpty();
    if (withoutToken && hosts != null && !hosts.admits(request)) {
      return;
    }
    if (FOR_ALL.contains(path) || tokens.admit(request, needed(request.method(), path)) != null) {
      routes.handle(request);
    }
  }

  private static AccessTokens.Role needed(HttpMethod method, String path) {
    boolean looks = method.equals(GET) || method.equals(HEAD) || LOOKING.contains(path);
    return looks ? AccessTokens.Role.READ : AccessTokens.Role.WRITE;
  }
}
