package io.penstock.server.admin;

import io.penstock.server.http.ProblemResponses;
import io.penstock.server.http.QueryStrings;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The validated query parameters of one request. Not thread-safe. */
final class Parameters {
  private static final int MAX_ERRORS = 10;

  private final HttpServerRequest request;
  private final Map<String, String> values = new HashMap<>();
  private final List<String> errors = new ArrayList<>();

  private Parameters(HttpServerRequest request) {
    this.request = request;
  }

  /** Reads the parameters of a request; names that are not in {@code known} are errors. */
  static Parameters of(HttpServerRequest request, Set<String> known) {
    Parameters parameters = new Parameters(request);
    MultiMap query = QueryStrings.of(request);
    if (query == null) {
      parameters.errors.add("the query must be percent-encoded");
      return parameters;
    }
    query.forEach((name, value) -> parameters.add(name, value, known));
    return parameters;
  }

  private void add(String name, String value, Set<String> known) {
    if (errors.size() >= MAX_ERRORS) {
      return;
    }
    if (!known.contains(name)) {
      errors.add("unknown parameter: " + name + "; must be one of " + known);
    } else if (value.indexOf('\0') >= 0) {
      errors.add(name + " must not contain NUL");
    } else if (values.put(name, value) != null) {
      errors.add(name + " must not be repeated");
    }
  }

  @Nullable String text(String name) {
    return values.get(name);
  }

  boolean flag(String name) {
    String value = values.get(name);
    if (value != null && !value.equals("true") && !value.equals("false")) {
      errors.add(name + " must be true or false");
    }
    return "true".equals(value);
  }

  @Nullable Instant time(String name) {
    return parsed(
        name,
        "must be a time such as 2026-01-31T12:00:00Z",
        text -> {
          try {
            Instant time = Instant.parse(text);
            return time.isBefore(Instant.EPOCH)
                    || time.isAfter(Instant.ofEpochSecond(253402300799L))
                ? null
                : time;
          } catch (DateTimeException e) {
            return null;
          }
        });
  }

  long whole(String name, long min, long max, long defaultValue) {
    Long number =
        parsed(
            name,
            "must be a whole number from " + min + " to " + max,
            text -> {
              try {
                long parsed = Long.parseLong(text);
                return parsed < min || parsed > max ? null : parsed;
              } catch (NumberFormatException e) {
                return null;
              }
            });
    return number == null ? defaultValue : number;
  }

  /** Parses a value; adds an error if {@code parser} returns null. */
  <T> @Nullable T parsed(String name, String rule, Function<String, @Nullable T> parser) {
    String text = values.get(name);
    if (text == null) {
      return null;
    }
    T parsed = parser.apply(text);
    if (parsed == null) {
      errors.add(name + " " + rule);
    }
    return parsed;
  }

  /** Adds an error if a parameter is missing. */
  void require(String name) {
    if (!values.containsKey(name)) {
      errors.add(name + " is required");
    }
  }

  /** Returns whether all parameters are valid; if not, responds with 400. */
  boolean validOrRespond() {
    if (errors.isEmpty()) {
      return true;
    }
    ProblemResponses.end(request.response(), 400, "Bad Request", String.join("; ", errors));
    return false;
  }
}
