package io.penstock.server.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.policy.address.Cidr;
import io.penstock.server.database.DatabaseServices;
import io.penstock.server.database.RecentViolations;
import io.penstock.server.database.Violation;
import io.penstock.server.database.ViolationFilter;
import io.penstock.server.database.ViolationHistogram;
import io.penstock.server.database.ViolationRepository;
import io.penstock.server.database.ViolationSource;
import io.penstock.server.http.JsonResponses;
import io.penstock.server.http.ProblemResponses;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The endpoints that return denied requests (violations). Thread-safe. */
public final class ViolationEndpoints {
  private static final int DEFAULT_PAGE = 100;
  private static final int MAX_PAGE = 1_000;
  private static final int MAX_BARS = 500;
  private static final int DEFAULT_BARS = 60;
  private static final Set<String> FILTERS =
      Set.of("user", "address", "rule", "key", "endpoint", "from", "to", "mode");
  private static final Map<String, Boolean> IS_SHADOW = Map.of("enforce", false, "shadow", true);

  private final DatabaseCalls calls;
  private final boolean hasDatabase;
  private final Optional<RecentViolations> recent;

  /**
   * @param recent the violations in memory, which are returned instead of those of the database
   */
  public ViolationEndpoints(
      Vertx vertx, Optional<DatabaseServices> database, Optional<RecentViolations> recent) {
    this.calls = new DatabaseCalls(vertx, database);
    this.hasDatabase = database.isPresent();
    this.recent = recent;
  }

  private <T> void query(
      HttpServerRequest request, Function<ViolationSource, T> query, Consumer<T> then) {
    if (recent.isPresent()) {
      then.accept(query.apply(recent.get()));
    } else if (!hasDatabase) {
      ProblemResponses.end(
          request.response(),
          404,
          "Not Found",
          "Violations are not recorded, because the setting violations is false");
    } else {
      calls.respond(request, database -> query.apply(database.violations()), then);
    }
  }

  private String source() {
    return recent.isPresent() ? "memory" : "database";
  }

  /** Returns the parameters of a request that may have filters and some others. */
  private static Parameters parameters(HttpServerRequest request, String... others) {
    Set<String> names = new HashSet<>(FILTERS);
    names.addAll(List.of(others));
    return Parameters.of(request, names);
  }

  void list(HttpServerRequest request) {
    Parameters parameters = parameters(request, "after", "limit");
    ViolationFilter filter = filter(parameters);
    int limit = (int) parameters.whole("limit", 1, MAX_PAGE, DEFAULT_PAGE);
    ViolationRepository.Cursor after =
        parameters.parsed(
            "after",
            "must be the value of next in a response",
            text -> ViolationRepository.Cursor.parse(text).orElse(null));
    if (parameters.validOrRespond()) {
      query(
          request,
          violations -> violations.page(filter, Optional.ofNullable(after), limit),
          rows -> write(request, rows, limit));
    }
  }

  void top(HttpServerRequest request) {
    Parameters parameters = parameters(request, "by", "limit");
    ViolationFilter filter = filter(parameters);
    int limit = (int) parameters.whole("limit", 1, MAX_PAGE, 10);
    parameters.require("by");
    ViolationRepository.GroupBy by =
        parameters.parsed(
            "by", "must be user, address, rule, endpoint or key", ViolationEndpoints::by);
    if (parameters.validOrRespond() && by != null) {
      query(
          request,
          violations -> violations.top(by, filter, limit),
          offenders -> write(request, by, offenders));
    }
  }

  void histogram(HttpServerRequest request) {
    Parameters parameters = parameters(request, "bars");
    ViolationFilter filter = filter(parameters);
    int bars = (int) parameters.whole("bars", 1, MAX_BARS, DEFAULT_BARS);
    if (parameters.validOrRespond()) {
      query(
          request,
          violations -> violations.histogram(filter, bars),
          histogram -> write(request, histogram));
    }
  }

  private static ViolationRepository.@Nullable GroupBy by(String text) {
    for (ViolationRepository.GroupBy by : ViolationRepository.GroupBy.values()) {
      if (code(by).equals(text)) {
        return by;
      }
    }
    return null;
  }

  private static String code(ViolationRepository.GroupBy by) {
    return by.name().toLowerCase(Locale.ROOT);
  }

  private static ViolationFilter filter(Parameters parameters) {
    return new ViolationFilter(
        parameters.text("user"),
        parameters.parsed(
            "address",
            "must be an address or network",
            text -> Cidr.parse(text) == null ? null : text),
        parameters.text("rule"),
        parameters.text("key"),
        parameters.text("endpoint"),
        parameters.time("from"),
        parameters.time("to"),
        Boolean.TRUE.equals(
            parameters.parsed("mode", "must be enforce or shadow", IS_SHADOW::get)));
  }

  private void write(
      HttpServerRequest request, List<ViolationRepository.StoredViolation> rows, int limit) {
    JsonResponses.endLarge(
        request,
        json -> {
          json.writeStartObject();
          json.writeStringField("source", source());
          json.writeArrayFieldStart("violations");
          for (ViolationRepository.StoredViolation row : rows) {
            write(row, json);
          }
          json.writeEndArray();
          json.writeStringField(
              "next", rows.size() < limit ? null : rows.get(rows.size() - 1).cursor().toString());
          json.writeEndObject();
        });
  }

  private static void write(ViolationRepository.StoredViolation row, JsonGenerator json)
      throws IOException {
    Violation violation = row.violation();
    json.writeStartObject();
    json.writeNumberField("id", row.id());
    json.writeStringField("requested_at", violation.requestedAt().toString());
    json.writeStringField("rule", violation.rule());
    json.writeStringField("reason", violation.reason());
    json.writeStringField("key", violation.bucketKey());
    json.writeStringField("user", violation.userId());
    json.writeStringField("address", violation.address());
    json.writeStringField("endpoint", violation.endpoint());
    json.writeNumberField("tokens_at_time", violation.tokensAtTime());
    json.writeNumberField("denied", violation.denied());
    json.writeEndObject();
  }

  private void write(
      HttpServerRequest request,
      ViolationRepository.GroupBy by,
      List<ViolationRepository.Offender> offenders) {
    JsonResponses.end(
        request.response(),
        json -> {
          json.writeStartObject();
          json.writeStringField("source", source());
          json.writeStringField("by", code(by));
          json.writeArrayFieldStart("offenders");
          for (ViolationRepository.Offender offender : offenders) {
            json.writeStartObject();
            json.writeStringField("value", offender.value());
            json.writeNumberField("denied", offender.denied());
            json.writeEndObject();
          }
          json.writeEndArray();
          json.writeEndObject();
        });
  }

  private void write(HttpServerRequest request, ViolationHistogram histogram) {
    JsonResponses.end(
        request.response(),
        json -> {
          json.writeStartObject();
          json.writeStringField("source", source());
          json.writeStringField("start", histogram.start().toString());
          json.writeStringField("end", histogram.end().toString());
          json.writeNumberField("step_seconds", histogram.stepSeconds());
          json.writeArrayFieldStart("denied");
          for (long denied : histogram.denied()) {
            json.writeNumber(denied);
          }
          json.writeEndArray();
          json.writeEndObject();
        });
  }
}
