package io.penstock.server.proxy;

import static io.penstock.server.proxy.Http2Frames.DATA;
import static io.penstock.server.proxy.Http2Frames.END_STREAM;
import static io.penstock.server.proxy.Http2Frames.GO_AWAY;
import static io.penstock.server.proxy.Http2Frames.HEADERS;
import static io.penstock.server.proxy.Http2Frames.RESET;
import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.Setting;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * HTTP/2 origins that reset streams, send GOAWAY or close the connection, each at a given frame. A
 * client gets one response: 502, or one that is detectably truncated. None of these faults counts
 * as an internal error, and the share of the client is free for its next request.
 */
final class ProxyHttp2OriginFaultsTest {
  private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  private static final String BAD_GATEWAY = "HTTP/1.1 502 Bad Gateway\r\n";
  private static final int TIMES = 10;
  private static final int[] CODES = {0x0, 0x1, 0x2, 0x5, 0x7, 0x8, 0xb, 0xd};

  @TempDir private Path folder;
  private final LoggedWarnings warnings = new LoggedWarnings();

  /** How much of its response the origin sends. */
  private enum Progress {
    NOTHING,
    HEAD,
    PART,
    WHOLE
  }

  /** The fault after that. */
  private enum Fault {
    CLOSE,
    /** Closes with RST, so that data in flight may be lost. */
    ABORT,
    RESET_STREAM,
    RESET_AND_CLOSE,
    /** Reports that the request was not processed. */
    GO_AWAY_BEFORE,
    /** Reports that the request was processed, and closes. */
    GO_AWAY_AND_CLOSE,
    NONE
  }

  private record Plan(Progress progress, Fault fault, int code) {
    /** Sends everything at once, so that the proxy sees it in one read. */
    void answer(Http2Frames proxy, int stream) throws IOException {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      if (progress != Progress.NOTHING) {
        add(bytes, HEADERS, 4, stream, Http2Frames.block(":status", "200", "x-a", "b"));
      }
      if (progress == Progress.PART) {
        add(bytes, DATA, 0, stream, "hello".getBytes(ISO_8859_1));
      } else if (progress == Progress.WHOLE) {
        add(bytes, DATA, END_STREAM, stream, "hello".getBytes(ISO_8859_1));
      }
      switch (fault) {
        case RESET_STREAM, RESET_AND_CLOSE -> add(bytes, RESET, 0, stream, number(code));
        case GO_AWAY_BEFORE -> add(bytes, GO_AWAY, 0, 0, numbers(Math.max(0, stream - 2), code));
        case GO_AWAY_AND_CLOSE -> add(bytes, GO_AWAY, 0, 0, numbers(stream, code));
        case CLOSE, ABORT, NONE -> {}
      }
      proxy.socket().getOutputStream().write(bytes.toByteArray());
      switch (fault) {
        case CLOSE, RESET_AND_CLOSE, GO_AWAY_AND_CLOSE -> proxy.close();
        case ABORT -> {
          proxy.socket().setSoLinger(true, 0);
          proxy.close();
        }
        case RESET_STREAM, GO_AWAY_BEFORE, NONE -> {}
      }
    }

    /**
     * Returns whether the client may get its response before the proxy sees the rest of the fault.
     */
    boolean mayHitTheNext() {
      return progress == Progress.WHOLE || fault == Fault.RESET_AND_CLOSE;
    }

    private static void add(
        ByteArrayOutputStream bytes, int type, int flags, int stream, byte[] payload) {
      bytes.writeBytes(
          ByteBuffer.allocate(9)
              .putShort((short) (payload.length >> 8))
              .put((byte) payload.length)
              .put((byte) type)
              .put((byte) flags)
              .putInt(stream)
              .array());
      bytes.writeBytes(payload);
    }

    private static byte[] number(int number) {
      return ByteBuffer.allocate(4).putInt(number).array();
    }

    private static byte[] numbers(int first, int second) {
      return ByteBuffer.allocate(8).putInt(first).putInt(second).array();
    }
  }

  private static final Plan GOOD = new Plan(Progress.WHOLE, Fault.NONE, 0);

  static List<Plan> plans() {
    List<Plan> plans = new ArrayList<>();
    for (Progress progress : Progress.values()) {
      for (Fault fault : Fault.values()) {
        if (fault == Fault.RESET_STREAM) {
          for (int code : CODES) {
            plans.add(new Plan(progress, fault, code));
          }
        } else if (fault != Fault.NONE) {
          plans.add(new Plan(progress, fault, 2));
        }
      }
    }
    return plans;
  }

  @AfterEach
  void stopListening() {
    warnings.close();
  }

  @ParameterizedTest
  @MethodSource("plans")
  void origin_thatFails_resultsInExactlyOneResponse(Plan plan) throws Exception {
    try (SocketOrigin origin = origin(plan);
        ProxyFixture proxy = proxy(origin)) {
      int sent = 2 * TIMES;
      for (int i = 0; i < TIMES; i++) {
        String first = answer(proxy);
        while (plan.mayHitTheNext() && first.startsWith(BAD_GATEWAY)) {
          first = answer(proxy);
          sent++;
        }
        assertThat(first).startsWith("HTTP/1.1 200").endsWith("hello\r\n0\r\n\r\n");
        check(plan, answer(proxy));
      }
      await().until(() -> proxy.metric("penstock_proxy_in_flight") == 0);
      assertThat(proxy.metric("penstock_proxy_unavailable_total")).isZero();
      String metrics = proxy.server().admin("/metrics").body();
      assertThat(metrics)
          .contains("penstock_requests_failed_total{listener=\"proxy\"} 0.0")
          .contains("outcome=\"allowed\",rule=\"all\"} " + sent + ".0");
    }
    assertThat(warnings.messages()).isEmpty();
  }

  /** Allows one exchange at a time, so that a leaked share results in a 503. */
  private ProxyFixture proxy(SocketOrigin origin) {
    return new ProxyFixture(
        folder,
        ProxyFixture.UNLIMITED,
        origin.url(),
        Map.of(
            Setting.UPSTREAM_HTTP2,
            "true",
            Setting.UPSTREAM_CONNECTIONS,
            "1",
            Setting.UPSTREAM_CONNECTIONS_PER_CLIENT,
            "1"));
  }

  private static String answer(ProxyFixture proxy) throws IOException {
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    try (Socket client = proxy.connect()) {
      client.getOutputStream().write(GET.getBytes(ISO_8859_1));
      client.getInputStream().transferTo(read);
    }
    return read.toString(ISO_8859_1);
  }

  private static void check(Plan plan, String answer) {
    assertThat(answer.split("HTTP/1.1 ", -1)).as(answer).hasSize(2);
    boolean complete = answer.endsWith("hello\r\n0\r\n\r\n");
    boolean isRejected = answer.startsWith(BAD_GATEWAY);
    switch (plan.progress) {
      case NOTHING -> assertThat(isRejected).as(answer).isTrue();
      case HEAD ->
          // The head is forwarded at once, so it may be sent before the fault.
          assertThat(isRejected || !answer.contains("\r\n0\r\n")).as(answer).isTrue();
      case PART -> assertThat(complete).as(answer).isFalse();
      case WHOLE ->
          // Frames after the response may overtake it, and then it is truncated.
          assertThat(complete || isRejected || !answer.contains("\r\n0\r\n")).as(answer).isTrue();
    }
    assertThat(answer).doesNotStartWith("HTTP/1.1 500").doesNotStartWith("HTTP/1.1 503");
  }

  /**
   * Answers the first request on a connection, not the second one, and so on: another event loop
   * than that of the connection may serve the second one.
   */
  private static SocketOrigin origin(Plan plan) throws IOException {
    return SocketOrigin.http2(
        (frames, stream) -> (stream % 4 == 1 ? GOOD : plan).answer(frames, stream));
  }
}
