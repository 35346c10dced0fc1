package io.penstock.server.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.policy.jwt.JwtSettings;
import io.penstock.policy.jwt.JwtVerifier;
import io.penstock.policy.load.ActivePolicy;
import io.penstock.policy.load.Problem;
import io.penstock.redis.RedisOutage;
import io.penstock.server.PolicyHolder;
import io.penstock.server.database.RuleSync;
import io.penstock.server.http.JsonResponses;
import io.penstock.server.tls.TlsReloader;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Reports whether the process is alive and whether it can serve requests. Thread-safe.
 *
 * <p>An unavailable Redis makes the process degraded, not unready: each rule has a failure policy,
 * and a load balancer that removed all nodes would do more harm. The same holds for token keys that
 * can't be fetched, and for an unavailable database, unless no rules have ever been loaded.
 */
public final class HealthEndpoint {
  private static final int MAX_REJECTED = 100;
  private static final int MAX_WARNINGS = 100;

  private final PolicyHolder policyHolder;
  private final LiveFigures.StoreFigures store;
  private final Supplier<Optional<RuleSync.SyncStatus>> database;
  private volatile Supplier<Optional<TlsReloader.CertificateStatus>> tls = Optional::empty;
  private volatile Supplier<Optional<EnvoyStatus>> envoy = Optional::empty;
  private volatile boolean shuttingDown;

  /**
   * @param database the state of the database, if there is one
   */
  public HealthEndpoint(
      PolicyHolder policyHolder,
      LiveFigures.StoreFigures store,
      Supplier<Optional<RuleSync.SyncStatus>> database) {
    this.policyHolder = policyHolder;
    this.store = store;
    this.database = database;
  }

  /** Adds the state of the certificates of all listeners to the report, if there are any. */
  public void watch(Supplier<Optional<TlsReloader.CertificateStatus>> certificates) {
    tls = certificates;
  }

  /**
   * The configuration of the listener for Envoy.
   *
   * @param rejected the errors of the current files if they are invalid and not in effect
   */
  public record EnvoyStatus(int domains, int limits, List<Problem> rejected) {}

  /** Adds the configuration of the listener for Envoy to the report, if there is one. */
  public void watchEnvoy(Supplier<Optional<EnvoyStatus>> status) {
    envoy = status;
  }

  /** Reports the process as unready from now on, so that load balancers stop sending requests. */
  public void startShutdown() {
    shuttingDown = true;
  }

  static void live(HttpServerRequest request) {
    JsonResponses.end(
        request.response(),
        json -> {
          json.writeStartObject();
          json.writeBooleanField("live", true);
          json.writeEndObject();
        });
  }

  void ready(HttpServerRequest request) {
    boolean ready = !shuttingDown && policyHolder.isLoaded();
    boolean storeAvailable = store.store().isAvailable();
    Optional<RuleSync.SyncStatus> sync = database.get();
    boolean databaseAvailable = sync.map(RuleSync.SyncStatus::available).orElse(true);
    Optional<TlsReloader.CertificateStatus> certificates = tls.get();
    boolean certificatesValid = certificates.map(now -> now.problem() == null).orElse(true);
    Optional<EnvoyStatus> configured = envoy.get();
    ActivePolicy active = policyHolder.active();
    JwtVerifier jwt = policyHolder.engine().jwt();
    boolean verifies = active.loaded().policy().jwt().trust() == JwtSettings.Trust.VERIFY;
    boolean keysAvailable = !verifies || jwt.status().lastFailure() == null;
    request.response().setStatusCode(ready ? 200 : 503);
    JsonResponses.end(
        request.response(),
        json -> {
          json.writeStartObject();
          json.writeBooleanField("ready", ready);
          json.writeBooleanField(
              "degraded",
              !storeAvailable || !databaseAvailable || !certificatesValid || !keysAvailable);
          json.writeObjectFieldStart("store");
          json.writeStringField("kind", store.store().kind());
          json.writeBooleanField("available", storeAvailable);
          Optional<RedisOutage> now = storeAvailable ? Optional.empty() : store.outage().get();
          if (now.isPresent()) {
            write(now.get(), json);
          }
          json.writeEndObject();
          if (verifies) {
            write(jwt, json);
          }
          if (sync.isPresent()) {
            write(sync.get(), json);
          }
          if (certificates.isPresent()) {
            write(certificates.get(), json);
          }
          if (configured.isPresent()) {
            write(configured.get(), json);
          }
          json.writeObjectFieldStart("policy");
          json.writeStringField("origin", active.origin());
          json.writeStringField("loaded_at", active.since().toString());
          json.writeNumberField("rules", active.loaded().policy().rules().size());
          writeRejected(active.rejected(), json);
          writeListenerWarnings(json);
          json.writeEndObject();
          json.writeEndObject();
        });
  }

  private static void write(RedisOutage outage, JsonGenerator json) throws IOException {
    json.writeStringField("reason", outage.reason().label());
    json.writeStringField("address", outage.address());
    json.writeStringField("problem", outage.toString());
  }

  private void writeListenerWarnings(JsonGenerator json) throws IOException {
    List<String> warnings = policyHolder.listenerWarnings();
    if (!warnings.isEmpty()) {
      json.writeArrayFieldStart("warnings");
      for (int i = 0; i < Math.min(warnings.size(), MAX_WARNINGS); i++) {
        json.writeString(warnings.get(i));
      }
      json.writeEndArray();
    }
  }

  private static void write(JwtVerifier jwt, JsonGenerator json) throws IOException {
    json.writeObjectFieldStart("jwt");
    json.writeNumberField("keys", jwt.status().keys());
    json.writeNumberField("age_seconds", jwt.keysAge().toSeconds());
    json.writeStringField("problem", jwt.status().lastFailure());
    json.writeEndObject();
  }

  private static void write(RuleSync.SyncStatus database, JsonGenerator json) throws IOException {
    json.writeObjectFieldStart("database");
    json.writeBooleanField("available", database.available());
    json.writeStringField("source", database.source());
    json.writeNumberField("rules", database.rules());
    json.writeStringField("problem", database.problem());
    json.writeEndObject();
  }

  private static void write(TlsReloader.CertificateStatus certificates, JsonGenerator json)
      throws IOException {
    json.writeObjectFieldStart("tls");
    json.writeNumberField("certificates", certificates.certificates());
    json.writeStringField("loaded_at", certificates.loadedAt().toString());
    json.writeStringField("expires_at", certificates.expiry().toString());
    json.writeStringField("problem", certificates.problem());
    json.writeEndObject();
  }

  private static void write(EnvoyStatus status, JsonGenerator json) throws IOException {
    json.writeObjectFieldStart("envoy");
    json.writeNumberField("domains", status.domains());
    json.writeNumberField("limits", status.limits());
    writeRejected(status.rejected(), json);
    json.writeEndObject();
  }

  static void writeRejected(List<Problem> rejected, JsonGenerator json) throws IOException {
    json.writeArrayFieldStart("rejected");
    for (Problem problem : rejected.subList(0, Math.min(rejected.size(), MAX_REJECTED))) {
      json.writeString(problem.toString());
    }
    if (rejected.size() > MAX_REJECTED) {
      json.writeString("and " + (rejected.size() - MAX_REJECTED) + " more");
    }
    json.writeEndArray();
  }
}
