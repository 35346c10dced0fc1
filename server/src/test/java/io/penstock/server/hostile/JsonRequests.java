package io.penstock.server.hostile;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/** Well-formed requests with random JSON bodies. */
final class JsonRequests {
  private static final Map<Listeners.Listener, List<String>> PATHS =
      Map.of(
          Listeners.Listener.DECISION,
          List.of("/v1/check", "/v1/check/batch", "/json"),
          Listeners.Listener.ADMIN,
          List.of(
              "/v1/explain",
              "/v1/mode",
              "/v1/keys/peek",
              "/v1/keys/reset",
              "/v1/keys/grant",
              "/v1/keys/override",
              "/v1/keys/override/end",
              "/v1/rules",
              "/v1/simulate",
              "/v1/replay",
              "/v1/advise",
              "/v1/advise?per=endpoint&spare=100"),
          Listeners.Listener.ENVOY,
          List.of("/json"));
  private static final String[] NAMES = {
    "ip",
    "method",
    "path",
    "host",
    "headers",
    "query",
    "cookies",
    "jwt",
    "attributes",
    "cost",
    "dry_run",
    "checks",
    "rule",
    "tokens",
    "mode",
    "for",
    "key",
    "value",
    "domain",
    "descriptors",
    "entries",
    "hits_addend",
    "limit",
    "rate",
    "burst",
    "pattern",
    "kind",
    "arrivals",
    "at_ms",
    "requests",
    "duration_ms",
    "retry",
    "time",
    "x",
    "",
    "\\u0000",
    "\\ud800"
  };
  private static final String[] VALUES = {
    "1",
    "-1",
    "0.0001",
    "1e400",
    "1e-400",
    "1e999999999",
    "true",
    "null",
    "{}",
    "[]",
    "\"\"",
    "\"10.0.0.1\"",
    "\"::1\"",
    "\"/a%2fb\"",
    "\"%zz\"",
    "\"all\"",
    "\"enforce\"",
    "\"policy\"",
    "\"1s\"",
    "\"5/s\"",
    "\"0.0000001/h\"",
    "\"shop\"",
    "\"steady\"",
    "2147483648",
    "9223372036854775807",
    "\"\\ud800\"",
    "\"\\u0000\"",
    "NaN",
    "\"",
    "]",
    "}",
    ",",
    "'a'",
    "/**/"
  };
  private static final int MAX_DEPTH = 4;
  private static final int MAX_FIELDS = 6;

  private JsonRequests() {}

  static byte[] next(Listeners.Listener listener, Random random) {
    List<String> paths = Objects.requireNonNull(PATHS.get(listener));
    byte[] body = body(random).getBytes(UTF_8);
    if (random.nextInt(4) == 0 && body.length > 0) {
      body[random.nextInt(body.length)] = (byte) random.nextInt(256);
    }
    String head =
        "POST "
            + paths.get(random.nextInt(paths.size()))
            + " HTTP/1.1\r\nHost: a\r\nContent-Length: "
            + body.length
            + "\r\n\r\n";
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    request.writeBytes(head.getBytes(ISO_8859_1));
    request.writeBytes(body);
    return request.toByteArray();
  }

  private static String body(Random random) {
    return switch (random.nextInt(30)) {
      case 0 -> "1".repeat(random.nextInt(3_000));
      case 1 -> "{\"" + "a".repeat(random.nextInt(60_000)) + "\":1}";
      case 2 -> "[".repeat(random.nextInt(2_000));
      case 3 -> "{\"checks\":[" + "{\"x\":1},".repeat(random.nextInt(5_000)) + "{}]}";
      case 4 ->
          "{\"rule\":\"all\",\"ip\":\"127.0.0.1\",\"tokens\":" + value(random, MAX_DEPTH) + "}";
      case 5 -> "{\"cost\":" + "9".repeat(random.nextInt(1_500)) + "}";
      case 6 -> keyed(random);
      case 7 -> limited(random);
      case 8 -> simulated(random);
      case 9 -> logged(random);
      default -> object(random, 0);
    };
  }

  /** A request about a key, with a limit for it. */
  private static String keyed(Random random) {
    return "{\"rule\":\"all\",\"key\":{\"ip\":\"10.0.0."
        + random.nextInt(300)
        + "\"},\"rate\":\"5/s\",\"for\":"
        + value(random, MAX_DEPTH)
        + "}";
  }

  /** A request of Envoy. */
  private static String limited(Random random) {
    return "{\"domain\":\"shop\",\"hits_addend\":"
        + random.nextInt(5)
        + ",\"descriptors\":[{\"entries\":[{\"key\":\"user\",\"value\":"
        + value(random, MAX_DEPTH)
        + "}],\"limit\":"
        + value(random, MAX_DEPTH - 1)
        + "}]}";
  }

  private static String simulated(Random random) {
    return "{\"rate\":\"5/s\",\"duration_ms\":"
        + random.nextInt(100_000)
        + ",\"pattern\":{\"kind\":\"steady\",\"rate\":"
        + value(random, MAX_DEPTH)
        + "}}";
  }

  /** An access log in JSON. */
  private static String logged(Random random) {
    StringBuilder log = new StringBuilder();
    for (int i = random.nextInt(20); i >= 0; i--) {
      log.append("{\"time\":\"2026-01-01T00:00:")
          .append(random.nextInt(70))
          .append("Z\",\"remote_addr\":")
          .append(value(random, MAX_DEPTH))
          .append(",\"method\":\"GET\",\"path\":")
          .append(value(random, MAX_DEPTH))
          .append("}\n");
    }
    return log.toString();
  }

  private static String object(Random random, int depth) {
    StringBuilder json = new StringBuilder("{");
    int fields = random.nextInt(MAX_FIELDS);
    for (int i = 0; i < fields; i++) {
      json.append(i == 0 ? "" : ",")
          .append('"')
          .append(NAMES[random.nextInt(NAMES.length)])
          .append("\":")
          .append(value(random, depth + 1));
    }
    return json.append('}').toString();
  }

  private static String value(Random random, int depth) {
    int kind = depth < MAX_DEPTH ? random.nextInt(4) : 3;
    return switch (kind) {
      case 0 -> object(random, depth);
      case 1 -> "[" + object(random, depth) + "," + value(random, depth + 1) + "]";
      default -> VALUES[random.nextInt(VALUES.length)];
    };
  }
}
