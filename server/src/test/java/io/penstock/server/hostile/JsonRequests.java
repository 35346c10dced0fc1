package io.penstock.server.hostile;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.Random;

/** Well-formed requests with random JSON bodies. */
final class JsonRequests {
  private static final String[] DECISION = {"/v1/check", "/v1/check/batch"};
  private static final String[] ADMIN = {
    "/v1/explain", "/v1/mode", "/v1/keys/peek", "/v1/keys/reset", "/v1/keys/grant", "/v1/rules"
  };
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
    String[] paths = listener == Listeners.Listener.ADMIN ? ADMIN : DECISION;
    byte[] body = body(random).getBytes(UTF_8);
    if (random.nextInt(4) == 0 && body.length > 0) {
      body[random.nextInt(body.length)] = (byte) random.nextInt(256);
    }
    String head =
        "POST "
            + paths[random.nextInt(paths.length)]
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
      default -> object(random, 0);
    };
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
