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

/** The parameters of a query, checked. Belongs to one request. */
final class Parameters {
  private static final int MAX_WRONG = 10;

  private final HttpServerRequest request;
  private final Map<String, String> values = new HashMap<>();
  private final List<String> wrong = new ArrayList<>();

  private Parameters(HttpServerRequest request) {
    this.request = request;
  }

  /** The parameters of a request; such as are not among {@code known} are wrong. */
  static Parameters of(HttpServerRequest request, Set<String> known) {
    Parameters parameters = new Parameters(request);
    MultiMap query = QueryStrings.of(request);
    if (query == null) {
      parameters.wrong.add("the query must be percent-encoded");
      return parameters;
    }
    query.forEach((name, value) -> parameters.add(name, value, known));
    return parameters;
  }

  private void add(String name, String value, Set<String> known) {
    if (wrong.size() >= MAX_WRONG) {
      return;
    }
    if (!known.contains(name)) {
      wrong.add("there is no parameter " + name + "; there are " + known);
    } else if (value.indexOf('\0') >= 0) {
      wrong.add(name + " must not have NUL in it");
    } else if (values.put(name, value) != null) {
      wrong.add(name + " must be given once");
    }
  }

  @Nullable String text(String name) {
    return values.get(name);
  }

  boolean flag(String name) {
    String value = values.get(name);
    if (value != null && !value.equals("true") && !value.equals("false")) {
      wrong.add(name + " must be true or false");
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

  long whole(String name, long least, long most, long otherwise) {
    Long number =
        parsed(
            name,
            "must be a whole number from " + least + " to " + most,
            text -> {
              try {
                long parsed = Long.parseLong(text);
                return parsed < least || parsed > most ? null : parsed;
              } catch (NumberFormatException e) {
                return null;
              }
            });
    return number == null ? otherwise : number;
  }

  /** What {@code parser} makes of a value; it is wrong if that is nothing. */
  <T> @Nullable T parsed(String name, String rule, Function<String, @Nullable T> parser) {
    String text = values.get(name);
    if (text == null) {
      return null;
    }
    T parsed = parser.apply(text);
    if (parsed == null) {
      wrong.add(name + " " + rule);
    }
    return parsed;
  }

  /** It is wrong if a parameter is missing. */
  void require(String name) {
    if (!values.containsKey(name)) {
      wrong.add(name + " is required");
    }
  }

  /** Whether all is well; if not, the client has been told. */
  boolean good() {
    if (wrong.isEmpty()) {
      return true;
    }
    ProblemResponses.end(request.response(), 400, "Bad Request", String.join("; ", wrong));
    return false;
  }
}
