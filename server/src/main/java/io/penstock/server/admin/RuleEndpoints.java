package io.penstock.server.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.server.database.DatabaseServices;
import io.penstock.server.database.RuleChange;
import io.penstock.server.database.RuleHistory;
import io.penstock.server.database.RuleRepository;
import io.penstock.server.database.StoredRule;
import io.penstock.server.http.AccessTokens;
import io.penstock.server.http.Bodies;
import io.penstock.server.http.JsonDocuments;
import io.penstock.server.http.JsonResponses;
import io.penstock.server.http.ProblemResponses;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The endpoints that return and change the rules in the database. Thread-safe. */
public final class RuleEndpoints {
  private static final Logger LOG = LoggerFactory.getLogger(RuleEndpoints.class);
  private static final int DEFAULT_PAGE = 100;
  private static final int MAX_PAGE = 1_000;
  private static final int MAX_SET_BYTES = 32 << 20;
  private static final String DRY_RUN = "dry_run";

  private final DatabaseCalls calls;
  private final Bodies bodies;
  private final AccessTokens tokens;

  public RuleEndpoints(
      Vertx vertx, Optional<DatabaseServices> database, Bodies bodies, AccessTokens tokens) {
    this.calls = new DatabaseCalls(vertx, database);
    this.bodies = bodies;
    this.tokens = tokens;
  }

  void list(HttpServerRequest request) {
    Parameters parameters = Parameters.of(request, Set.of("after", "limit"));
    long after = parameters.whole("after", 0, Long.MAX_VALUE, 0);
    int limit = (int) parameters.whole("limit", 1, MAX_PAGE, DEFAULT_PAGE);
    if (parameters.validOrRespond()) {
      calls.respond(
          request,
          database -> database.rules().page(after, limit),
          rules -> writePage(request, rules, limit));
    }
  }

  private static void writePage(HttpServerRequest request, List<StoredRule> rules, int limit) {
    JsonResponses.end(
        request.response(),
        json -> {
          json.writeStartObject();
          json.writeArrayFieldStart("rules");
          for (StoredRule rule : rules) {
            rule.write(json);
          }
          json.writeEndArray();
          writeNext(rules.size() < limit ? null : rules.get(rules.size() - 1).id(), json);
          json.writeEndObject();
        });
  }

  private static void writeNext(@Nullable Long next, JsonGenerator json) throws IOException {
    if (next == null) {
      json.writeNullField("next");
    } else {
      json.writeNumberField("next", next);
    }
  }

  void show(HttpServerRequest request, String name) {
    calls.respond(
        request,
        database -> database.rules().find(name),
        found -> {
          if (found.isEmpty()) {
            notFound(request, name);
          } else {
            JsonResponses.end(request.response(), found.get()::write);
          }
        });
  }

  void create(HttpServerRequest request) {
    Parameters parameters = Parameters.of(request, Set.of(DRY_RUN));
    RuleRepository.ChangeOptions options = options(request, parameters);
    if (!parameters.validOrRespond()) {
      return;
    }
    bodies.read(
        request,
        body ->
            JsonDocuments.<RuleRequest.RuleUpdate>read(
                request,
                body,
                RuleRequest::readNew,
                requested ->
                    calls.respond(
                        request,
                        database -> database.rules().create(requested.draft(), options),
                        change -> {
                          request.response().setStatusCode(options.dryRun() ? 200 : 201);
                          writeChange(request, change, options);
                        })));
  }

  void replace(HttpServerRequest request, String name) {
    Parameters parameters = Parameters.of(request, Set.of(DRY_RUN));
    RuleRepository.ChangeOptions options = options(request, parameters);
    if (!parameters.validOrRespond()) {
      return;
    }
    bodies.read(
        request,
        body ->
            JsonDocuments.<RuleRequest.RuleUpdate>read(
                request,
                body,
                RuleRequest::readChanged,
                requested -> {
                  long version = Objects.requireNonNull(requested.version());
                  calls.respond(
                      request,
                      database ->
                          database.rules().replace(name, requested.draft(), version, options),
                      change -> changed(request, name, change, options));
                }));
  }

  void delete(HttpServerRequest request, String name) {
    Parameters parameters = Parameters.of(request, Set.of(DRY_RUN, "version"));
    RuleRepository.ChangeOptions options = options(request, parameters);
    parameters.require("version");
    long version = parameters.whole("version", 0, Long.MAX_VALUE, 0);
    if (parameters.validOrRespond()) {
      calls.respond(
          request,
          database -> database.rules().delete(name, version, options),
          change -> changed(request, name, change, options));
    }
  }

  /** Applies a set of rules in one transaction. */
  void apply(HttpServerRequest request) {
    Parameters parameters = Parameters.of(request, Set.of(DRY_RUN));
    RuleRepository.ChangeOptions options = options(request, parameters);
    if (!parameters.validOrRespond()) {
      return;
    }
    bodies
        .upTo(MAX_SET_BYTES)
        .read(
            request,
            body ->
                JsonDocuments.<RuleRequest.RuleSetUpdate>read(
                    request,
                    body,
                    RuleRequest::readMany,
                    requested ->
                        calls.respond(
                            request,
                            database ->
                                database
                                    .rules()
                                    .apply(requested.drafts(), requested.alone(), options),
                            changes -> writeChanges(request, changes, options))));
  }

  void history(HttpServerRequest request) {
    Parameters parameters = Parameters.of(request, Set.of("rule", "before", "limit"));
    long before = parameters.whole("before", 1, Long.MAX_VALUE, Long.MAX_VALUE);
    int limit = (int) parameters.whole("limit", 1, MAX_PAGE, DEFAULT_PAGE);
    String rule = parameters.text("rule");
    if (parameters.validOrRespond()) {
      calls.respond(
          request,
          database -> database.history().page(rule, before, limit),
          changes -> writeHistory(request, changes, limit));
    }
  }

  private static void writeHistory(
      HttpServerRequest request, List<RuleHistory.RuleRevision> changes, int limit) {
    JsonResponses.end(
        request.response(),
        json -> {
          json.writeStartObject();
          json.writeArrayFieldStart("changes");
          for (RuleHistory.RuleRevision change : changes) {
            change.write(json);
          }
          json.writeEndArray();
          writeNext(changes.size() < limit ? null : changes.get(changes.size() - 1).id(), json);
          json.writeEndObject();
        });
  }

  private RuleRepository.ChangeOptions options(HttpServerRequest request, Parameters parameters) {
    return new RuleRepository.ChangeOptions(tokens.describe(request), parameters.flag(DRY_RUN));
  }

  private static void changed(
      HttpServerRequest request,
      String name,
      Optional<RuleChange> change,
      RuleRepository.ChangeOptions options) {
    if (change.isEmpty()) {
      notFound(request, name);
    } else {
      writeChange(request, change.get(), options);
    }
  }

  private static void writeChange(
      HttpServerRequest request, RuleChange change, RuleRepository.ChangeOptions options) {
    writeChanges(request, List.of(change), options);
  }

  private static void writeChanges(
      HttpServerRequest request, List<RuleChange> changes, RuleRepository.ChangeOptions options) {
    if (!options.dryRun()) {
      log(changes, options.by());
    }
    JsonResponses.end(
        request.response(),
        json -> {
          json.writeStartObject();
          json.writeBooleanField(DRY_RUN, options.dryRun());
          json.writeArrayFieldStart("changes");
          for (RuleChange change : changes) {
            change.write(json);
          }
          json.writeEndArray();
          json.writeEndObject();
        });
  }

  private static void log(List<RuleChange> changes, String by) {
    List<RuleChange> effective = changes.stream().filter(change -> !change.isNone()).toList();
    if (effective.size() == 1) {
      LOG.info(
          "rule changed in the database ({}): {}, by {}",
          effective.get(0).action(),
          effective.get(0).name(),
          by);
    } else {
      LOG.info("{} rules changed in the database by {}", effective.size(), by);
    }
  }

  private static void notFound(HttpServerRequest request, String name) {
    ProblemResponses.end(
        request.response(), 404, "Not Found", "No rule in the database has this name: " + name);
  }
}
