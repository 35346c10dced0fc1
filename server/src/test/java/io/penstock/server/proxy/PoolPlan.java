package io.penstock.server.proxy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** The plan of one exchange, which depends only on the seed and the number of the exchange. */
final class PoolPlan {
  private static final int PERCENT = 100;
  private static final int MAX_UNITS = 40;

  /** How the origin frames its response. */
  enum Framing {
    LENGTH,
    CHUNKED,
    CHUNKED_WITH_TRAILER,
    NO_CONTENT,
    NOT_MODIFIED,
    UNTIL_CLOSE,
    HTTP10_KEPT,
    HTTP10_CLOSED,
    CLOSE_IN_A_LIST
  }

  /** What else the origin does. */
  enum Fault {
    NONE,
    SURPLUS_PART_OF_A_HEAD,
    SURPLUS_RESPONSE,
    SURPLUS_INTERIM,
    SURPLUS_TEXT,
    SURPLUS_LINE,
    CLOSE_AFTER,
    HALF_CLOSE_AFTER,
    CLOSE_BEFORE,
    CLOSE_WITHIN,
    GARBAGE,
    BAD_STATUS,
    UNASKED_SWITCH,
    LENGTH_AND_CHUNKS,
    BAD_CHUNK;

    boolean isSurplus() {
      return name().startsWith("SURPLUS");
    }
  }

  private static final Framing[] FRAMINGS = Framing.values();
  private static final Fault[] FAULTS = Fault.values();

  final long exchange;
  final String tag;
  final Framing framing;
  final Fault fault;
  final int[] interim;
  final int units;
  final boolean head;
  final boolean posts;
  final boolean chunkedRequest;
  final boolean expects;
  final int requestUnits;
  final boolean answersEarly;
  final boolean clientLeaves;
  final boolean splits;

  PoolPlan(long seed, long exchange) {
    SplittableRandom random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + exchange);
    this.exchange = exchange;
    this.tag = "t" + exchange + ";";
    this.framing =
        random.nextInt(PERCENT) < 70
            ? FRAMINGS[random.nextInt(3)]
            : FRAMINGS[random.nextInt(FRAMINGS.length)];
    this.fault =
        // A body that ends with the connection can't be followed by surplus bytes.
        random.nextInt(PERCENT) < 90 || framing == Framing.UNTIL_CLOSE
            ? Fault.NONE
            : FAULTS[random.nextInt(FAULTS.length)];
    int informational = random.nextInt(PERCENT);
    this.interim =
        new int
            [informational < 70
                ? 0
                : random.nextInt(informational < 98 ? 5 : 2 * InterimStatus.MAX_RESPONSES)];
    for (int i = 0; i < interim.length; i++) {
      interim[i] = random.nextInt(4) == 0 ? 100 : 102 + random.nextInt(98);
    }
    this.units = random.nextInt(20) == 0 ? random.nextInt(2_000) : random.nextInt(MAX_UNITS);
    int method = random.nextInt(PERCENT);
    this.head = method < 10;
    this.posts = method >= 75;
    this.chunkedRequest = random.nextBoolean();
    this.expects = posts && random.nextInt(PERCENT) < 3;
    this.requestUnits = random.nextInt(MAX_UNITS);
    this.answersEarly = posts && random.nextInt(PERCENT) < 10;
    this.clientLeaves = random.nextInt(PERCENT) < 1;
    this.splits = random.nextInt(PERCENT) < 10;
  }

  boolean hasBody() {
    return !head && framing != Framing.NO_CONTENT && framing != Framing.NOT_MODIFIED;
  }

  String body() {
    return tag.repeat(units);
  }

  String requestBody() {
    return tag.repeat(requestUnits);
  }

  /** Returns the request, without the body if it expects 100 (Continue). */
  String request() {
    String method = posts ? "POST" : head ? "HEAD" : "GET";
    StringBuilder request =
        new StringBuilder(method + " /" + exchange + " HTTP/1.1\r\nHost: a\r\nX-Tag: " + tag);
    if (posts) {
      request.append(
          chunkedRequest
              ? "\r\nTransfer-Encoding: chunked"
              : "\r\nContent-Length: " + requestBody().length());
      request.append(expects ? "\r\nExpect: 100-continue" : "");
    }
    return request.append("\r\n\r\n").toString();
  }

  /** Returns the head of the request for HTTP/2, as names and values. */
  String[] fields() {
    List<String> fields =
        new ArrayList<>(
            List.of(
                ":method",
                posts ? "POST" : head ? "HEAD" : "GET",
                ":scheme",
                "http",
                ":path",
                "/" + exchange,
                ":authority",
                "a",
                "x-tag",
                tag));
    if (posts && !chunkedRequest && !expects) {
      fields.addAll(List.of("content-length", Integer.toString(requestBody().length())));
    }
    if (expects) {
      fields.addAll(List.of("expect", "100-continue"));
    }
    return fields.toArray(String[]::new);
  }

  /** Returns the body as it is sent. */
  String requestBytes() {
    return !posts ? "" : chunkedRequest ? chunks(requestBody()) + "0\r\n\r\n" : requestBody();
  }

  static String chunks(String body) {
    StringBuilder chunks = new StringBuilder();
    for (int at = 0; at < body.length(); at += 100) {
      String chunk = body.substring(at, Math.min(body.length(), at + 100));
      chunks.append(Integer.toHexString(chunk.length())).append("\r\n").append(chunk);
      chunks.append("\r\n");
    }
    return chunks.toString();
  }

  /** Returns everything that the origin sends. */
  String response() {
    StringBuilder response = new StringBuilder();
    for (int status : interim) {
      response.append("HTTP/1.1 ").append(status).append(" Wait\r\nX-Tag: ").append(tag);
      response.append("\r\n\r\n");
    }
    response.append(answer());
    response.append(
        switch (fault) {
          case SURPLUS_PART_OF_A_HEAD -> "HTTP/1.1 200 OK\r\nX-Tag: " + tag + "\r\nX-Evil: " + tag;
          case SURPLUS_RESPONSE ->
              "HTTP/1.1 200 OK\r\nX-Tag: " + tag + "\r\nContent-Length: 4\r\n\r\nevil";
          case SURPLUS_INTERIM -> "HTTP/1.1 102 Evil\r\nX-Tag: " + tag + "\r\n\r\n";
          case SURPLUS_TEXT -> "evil" + tag;
          case SURPLUS_LINE -> "\r\n";
          default -> "";
        });
    return response.toString();
  }

  private String answer() {
    String named = "X-Tag: " + tag + "\r\n";
    return switch (fault) {
      case GARBAGE -> "evil " + tag + "\r\n" + named + "\r\n" + tag;
      case BAD_STATUS -> "HTTP/1.1 99999 Evil\r\n" + named + "Content-Length: 0\r\n\r\n";
      case UNASKED_SWITCH ->
          "HTTP/1.1 101 Evil\r\n" + named + "Connection: Upgrade\r\nUpgrade: x\r\n\r\n" + tag;
      case LENGTH_AND_CHUNKS ->
          "HTTP/1.1 200 OK\r\n"
              + named
              + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
      case BAD_CHUNK ->
          "HTTP/1.1 200 OK\r\n" + named + "Transfer-Encoding: chunked\r\n\r\nevil\r\n" + tag;
      default -> framed(named);
    };
  }

  private String framed(String named) {
    String length = "Content-Length: " + body().length() + "\r\n";
    String bytes = hasBody() ? body() : "";
    return switch (framing) {
      case LENGTH -> "HTTP/1.1 200 OK\r\n" + named + length + "\r\n" + bytes;
      case CHUNKED, CHUNKED_WITH_TRAILER -> {
        String trailer = framing == Framing.CHUNKED ? "" : "X-Trailer: " + tag + "\r\n";
        yield "HTTP/1.1 200 OK\r\n"
            + named
            + "Transfer-Encoding: chunked\r\n\r\n"
            + (head ? "" : chunks(bytes) + "0\r\n" + trailer + "\r\n");
      }
      case NO_CONTENT -> "HTTP/1.1 204 No Content\r\n" + named + "\r\n";
      case NOT_MODIFIED -> "HTTP/1.1 304 Not Modified\r\n" + named + length + "\r\n";
      case UNTIL_CLOSE -> "HTTP/1.1 200 OK\r\n" + named + "\r\n" + bytes;
      case HTTP10_KEPT ->
          "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n" + named + length + "\r\n" + bytes;
      case HTTP10_CLOSED -> "HTTP/1.0 200 OK\r\n" + named + length + "\r\n" + bytes;
      case CLOSE_IN_A_LIST ->
          "HTTP/1.1 200 OK\r\nConnection: x-a, Close\r\n" + named + length + "\r\n" + bytes;
    };
  }

  /** Returns whether the proxy must not send another request on the connection. */
  boolean forbidsReuse() {
    return switch (fault) {
      case NONE -> framing == Framing.HTTP10_CLOSED || framing == Framing.CLOSE_IN_A_LIST;
      case CLOSE_AFTER, HALF_CLOSE_AFTER, CLOSE_BEFORE, CLOSE_WITHIN -> false;
      default -> true;
    };
  }

  @Override
  public String toString() {
    return tag
        + " "
        + framing
        + " "
        + fault
        + " early "
        + answersEarly
        + " interim "
        + interim.length
        + (head ? " HEAD" : posts ? " POST" : " GET")
        + (expects ? " expecting 100" : "");
  }
}
