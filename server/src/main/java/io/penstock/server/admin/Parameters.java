package io.penstock.server.admin;

import io.penstock.server.http.Refusals;
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
  private final HttpServerRequest request;
  private final Map<String, String> values = new HashMap<>();
  private final List<String> wrong = new ArrayList<>();

  private Parameters(HttpServerRequest request) {
    this.request = request;
  }

  /** The parameters of a request; such as are not among {@code known} are wrong. */
  static Parameters of(HttpServerRequest request, Set<String> known) {
    Parameters parameters = new Parameters(request);
    request
        .params()
        .forEach(
            (name, value) -> {
              if (!known.contains(name)) {
                parameters.wrong.add("there is no parameter " + name + "; there are " + known);
              } else if (value.indexOf('\0') >= 0) {
                parameters.wrong.add(name + " must not have NUL in it");
              } else if (parameters.values.put(name, value) != null) {
                parameters.wrong.add(name + " must be given once");
              }
            });
    return parameters;
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
    Refusals.end(request.response(), 400, "Bad Request", String.join("; ", wrong));
    return false;
  }
}
