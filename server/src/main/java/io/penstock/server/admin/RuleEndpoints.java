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

/** Shows and changes the rules in the database. Thread-safe. */
public final class RuleEndpoints {
  private static final Logger LOG = LoggerFactory.getLogger(RuleEndpoints.class);
  private static final int USUAL_PAGE = 100;
  private static final int MAX_PAGE = 1_000;
  private static final int MAX_SET_BYTES = 32 << 20;
  private static final String DRY_RUN = "dry_run";

  private final DatabaseCalls asked;
  private final Bodies bodies;
  private final AccessTokens tokens;

  public RuleEndpoints(
      Vertx vertx, Optional<DatabaseServices> database, Bodies bodies, AccessTokens tokens) {
    this.asked = new DatabaseCalls(vertx, database);
    this.bodies = bodies;
    this.tokens = tokens;
  }

  void list(HttpServerRequest request) {
    Parameters parameters = Parameters.of(request, Set.of("after", "limit"));
    long after = parameters.whole("after", 0, Long.MAX_VALUE, 0);
    int limit = (int) parameters.whole("limit", 1, MAX_PAGE, USUAL_PAGE);
    if (parameters.good()) {
      asked.answer(
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
    asked.answer(
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
    RuleRepository.ChangeOptions how = how(request, parameters);
    if (!parameters.good()) {
      return;
    }
    bodies.read(
        request,
        body ->
            JsonDocuments.<RuleRequest.One>read(
                request,
                body,
                RuleRequest::readNew,
                wanted ->
                    asked.answer(
                        request,
                        database -> database.rules().create(wanted.draft(), how),
                        change -> {
                          request.response().setStatusCode(how.dryRun() ? 200 : 201);
                          writeChange(request, change, how);
                        })));
  }

  void replace(HttpServerRequest request, String name) {
    Parameters parameters = Parameters.of(request, Set.of(DRY_RUN));
    RuleRepository.ChangeOptions how = how(request, parameters);
    if (!parameters.good()) {
      return;
    }
    bodies.read(
        request,
        body ->
            JsonDocuments.<RuleRequest.One>read(
                request,
                body,
                RuleRequest::readChanged,
                wanted -> {
                  long version = Objects.requireNonNull(wanted.version());
                  asked.answer(
                      request,
                      database -> database.rules().replace(name, wanted.draft(), version, how),
                      change -> changed(request, name, change, how));
                }));
  }

  void delete(HttpServerRequest request, String name) {
    Parameters parameters = Parameters.of(request, Set.of(DRY_RUN, "version"));
    RuleRepository.ChangeOptions how = how(request, parameters);
    parameters.require("version");
    long version = parameters.whole("version", 0, Long.MAX_VALUE, 0);
    if (parameters.good()) {
      asked.answer(
          request,
          database -> database.rules().delete(name, version, how),
          change -> changed(request, name, change, how));
    }
  }

  /** All of some rules at once, or none of them. */
  void apply(HttpServerRequest request) {
    Parameters parameters = Parameters.of(request, Set.of(DRY_RUN));
    RuleRepository.ChangeOptions how = how(request, parameters);
    if (!parameters.good()) {
      return;
    }
    bodies
        .upTo(MAX_SET_BYTES)
        .read(
            request,
            body ->
                JsonDocuments.<RuleRequest.Many>read(
                    request,
                    body,
                    RuleRequest::readMany,
                    wanted ->
                        asked.answer(
                            request,
                            database ->
                                database.rules().apply(wanted.drafts(), wanted.alone(), how),
                            changes -> writeChanges(request, changes, how))));
  }

  void history(HttpServerRequest request) {
    Parameters parameters = Parameters.of(request, Set.of("rule", "before", "limit"));
    long before = parameters.whole("before", 1, Long.MAX_VALUE, Long.MAX_VALUE);
    int limit = (int) parameters.whole("limit", 1, MAX_PAGE, USUAL_PAGE);
    String rule = parameters.text("rule");
    if (parameters.good()) {
      asked.answer(
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

  private RuleRepository.ChangeOptions how(HttpServerRequest request, Parameters parameters) {
    return new RuleRepository.ChangeOptions(tokens.describe(request), parameters.flag(DRY_RUN));
  }

  private static void changed(
      HttpServerRequest request,
      String name,
      Optional<RuleChange> change,
      RuleRepository.ChangeOptions how) {
    if (change.isEmpty()) {
      notFound(request, name);
    } else {
      writeChange(request, change.get(), how);
    }
  }

  private static void writeChange(
      HttpServerRequest request, RuleChange change, RuleRepository.ChangeOptions how) {
    writeChanges(request, List.of(change), how);
  }

  private static void writeChanges(
      HttpServerRequest request, List<RuleChange> changes, RuleRepository.ChangeOptions how) {
    if (!how.dryRun()) {
      note(changes, how.by());
    }
    JsonResponses.end(
        request.response(),
        json -> {
          json.writeStartObject();
          json.writeBooleanField(DRY_RUN, how.dryRun());
          json.writeArrayFieldStart("changes");
          for (RuleChange change : changes) {
            change.write(json);
          }
          json.writeEndArray();
          json.writeEndObject();
        });
  }

  private static void note(List<RuleChange> changes, String by) {
    List<RuleChange> made = changes.stream().filter(change -> !change.isNone()).toList();
    if (made.size() == 1) {
      LOG.info("{} of rule {} in the database by {}", made.get(0).action(), made.get(0).name(), by);
    } else {
      LOG.info("{} rules in the database are changed by {}", made.size(), by);
    }
  }

  private static void notFound(HttpServerRequest request, String name) {
    ProblemResponses.end(
        request.response(), 404, "Not Found", "No rule in the database has this name: " + name);
  }
}
