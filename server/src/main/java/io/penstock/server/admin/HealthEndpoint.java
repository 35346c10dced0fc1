package io.penstock.server.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.policy.jwt.JwtSettings;
import io.penstock.policy.jwt.JwtVerifier;
import io.penstock.policy.load.Problem;
import io.penstock.server.ActivePolicy;
import io.penstock.server.PolicyHolder;
import io.penstock.server.database.RuleSync;
import io.penstock.server.http.JsonResponses;
import io.penstock.server.tls.TlsReloader;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Says whether the process lives and whether it can serve. Thread-safe.
 *
 * <p>Redis that is away makes it degraded, not unready: without it every rule has its failure
 * policy, and a load balancer that took all nodes out would do more harm. So do keys of tokens that
 * can't be fetched, and a database that is away, unless there have never been rules to go on with.
 */
public final class HealthEndpoint {
  private static final int MAX_REJECTED = 100;

  private final PolicyHolder keeper;
  private final String store;
  private final BooleanSupplier available;
  private final Supplier<String> storeProblem;
  private final Supplier<Optional<RuleSync.SyncStatus>> database;
  private volatile Optional<TlsReloader> tls = Optional.empty();
  private volatile boolean ending;

  /**
   * @param store what kind of store there is
   * @param available whether it can be asked now
   * @param storeProblem why it can't be asked; empty if it can
   * @param database how the database stands, if there is one
   */
  public HealthEndpoint(
      PolicyHolder keeper,
      String store,
      BooleanSupplier available,
      Supplier<String> storeProblem,
      Supplier<Optional<RuleSync.SyncStatus>> database) {
    this.keeper = keeper;
    this.store = store;
    this.available = available;
    this.storeProblem = storeProblem;
    this.database = database;
  }

  /** Reports on the certificates of the proxy, if it has any. */
  public void watch(Optional<TlsReloader> certificates) {
    tls = certificates;
  }

  /** From now on, no new requests should come. */
  public void end() {
    ending = true;
  }

  void live(HttpServerRequest request) {
    JsonResponses.end(
        request.response(),
        json -> {
          json.writeStartObject();
          json.writeBooleanField("live", true);
          json.writeEndObject();
        });
  }

  void ready(HttpServerRequest request) {
    boolean ready = !ending && keeper.isLoaded();
    boolean there = available.getAsBoolean();
    Optional<RuleSync.SyncStatus> asked = database.get();
    boolean complete = asked.map(RuleSync.SyncStatus::available).orElse(true);
    Optional<TlsReloader.CertificateStatus> certificates = tls.map(TlsReloader::state);
    boolean valid = certificates.map(now -> now.problem() == null).orElse(true);
    ActivePolicy inForce = keeper.inForce();
    JwtVerifier jwt = keeper.engine().jwt();
    boolean verifies = inForce.loaded().policy().jwt().trust() == JwtSettings.Trust.VERIFY;
    boolean verifiable = !verifies || jwt.status().lastFailure() == null;
    request.response().setStatusCode(ready ? 200 : 503);
    JsonResponses.end(
        request.response(),
        json -> {
          json.writeStartObject();
          json.writeBooleanField("ready", ready);
          json.writeBooleanField("degraded", !there || !complete || !valid || !verifiable);
          json.writeObjectFieldStart("store");
          json.writeStringField("kind", store);
          json.writeBooleanField("available", there);
          if (!there) {
            json.writeStringField("problem", storeProblem.get());
          }
          json.writeEndObject();
          if (verifies) {
            write(jwt, json);
          }
          if (asked.isPresent()) {
            write(asked.get(), json);
          }
          if (certificates.isPresent()) {
            write(certificates.get(), json);
          }
          json.writeObjectFieldStart("policy");
          json.writeStringField("origin", inForce.origin());
          json.writeStringField("loaded_at", inForce.since().toString());
          json.writeNumberField("rules", inForce.loaded().policy().rules().size());
          writeRejected(inForce, json);
          json.writeEndObject();
          json.writeEndObject();
        });
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

  static void writeRejected(ActivePolicy inForce, JsonGenerator json) throws IOException {
    json.writeArrayFieldStart("rejected");
    List<Problem> rejected = inForce.rejected();
    for (Problem problem : rejected.subList(0, Math.min(rejected.size(), MAX_REJECTED))) {
      json.writeString(problem.toString());
    }
    if (rejected.size() > MAX_REJECTED) {
      json.writeString("and " + (rejected.size() - MAX_REJECTED) + " more");
    }
    json.writeEndArray();
  }
}
