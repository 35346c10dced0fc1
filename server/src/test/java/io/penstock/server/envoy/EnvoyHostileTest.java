package io.penstock.server.envoy;

import static io.penstock.server.envoy.EnvoyClient.descriptor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.MessageLite;
import com.google.protobuf.StringValue;
import io.grpc.CallOptions;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import io.penstock.server.envoy.proto.common.RateLimitDescriptor;
import io.penstock.server.envoy.proto.service.RateLimitRequest;
import io.penstock.server.envoy.proto.service.RateLimitResponse;
import io.penstock.server.envoy.proto.service.RateLimitResponse.Code;
import io.penstock.server.proxy.Http2Frames;
import io.penstock.testing.Waiting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hostile calls are rejected, and other clients don't notice. */
class EnvoyHostileTest {
  private static final String METHOD =
      "envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
  private static final int PATIENCE_MILLIS = 30_000;

  @TempDir private Path folder;
  private RunningServer server;
  private EnvoyClient client;
  private EnvoyClient compressing;
  private EnvoyClient other;

  @BeforeEach
  void start() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("envoy.yaml"),
            """
            domain: shop
            descriptors:
              - {key: user, rate_limit: {unit: hour, requests_per_unit: 1000000}}
            """);
    server =
        RunningServer.with(
            Map.of(
                Setting.ENVOY,
                file.toString(),
                Setting.ENVOY_HOST,
                "127.0.0.1",
                Setting.ENVOY_PORT,
                "0",
                Setting.REQUEST_TIMEOUT_MS,
                "3000"));
    client = new EnvoyClient(port());
    compressing = new EnvoyClient(port(), CallOptions.DEFAULT.withCompression("gzip"));
    other = new EnvoyClient(port());
    assertOthersAreServed();
  }

  @AfterEach
  void stop() {
    client.close();
    compressing.close();
    other.close();
    server.close();
  }

  @Test
  void ask_tooManyDescriptors_isRejected() {
    RateLimitRequest request =
        RateLimitRequest.newBuilder()
            .setDomain("shop")
            .addAllDescriptors(
                Collections.nCopies(10_000, RateLimitDescriptor.getDefaultInstance()))
            .build();

    Status rejected = failure(METHOD, request);
    assertThat(rejected.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(rejected.getDescription()).isEqualTo("descriptors must be at most 100: 10000");
    assertThat(client.ask("shop", descriptor("user=ann")).getOverallCode()).isEqualTo(Code.OK);
    assertOthersAreServed();
  }

  @Test
  void ask_tooManyEntries_isRejected() {
    String[] entries = new String[51];
    Arrays.fill(entries, "user=ann");

    assertThat(failure(METHOD, request(descriptor(entries))).getDescription())
        .isEqualTo("entries must be at most 50: 51");
  }

  @Test
  void ask_messageThatIsTooLarge_isRejected() {
    String large = "x".repeat(200_000);

    assertThat(failure(METHOD, request(descriptor("user=" + large))).getCode())
        .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(client.ask("shop", descriptor("user=ann")).getOverallCode()).isEqualTo(Code.OK);
    assertOthersAreServed();
  }

  @Test
  void ask_longAndUnusualValues_haveBucketsOfTheirOwn() {
    String long1 = "x".repeat(20_000) + "1";
    String long2 = "x".repeat(20_000) + "2";
    for (String value : new String[] {long1, long2, "\u0000{}%&=", "ü 😀"}) {
      assertThat(client.ask("shop", descriptor("user=" + value)).getStatuses(0).getLimitRemaining())
          .isEqualTo(999_999);
    }
  }

  @Test
  void ask_anotherMessage_isRejected() {
    MessageLite domainOnly = StringValue.of("no message of this service");

    assertThat(failure(METHOD, domainOnly).getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertOthersAreServed();
  }

  @Test
  void ask_compressedMessages_areRejectedBeforeTheyAreInflated() throws IOException {
    assertThat(
            catchThrowableOfType(
                    StatusRuntimeException.class,
                    () -> client.compressed("gzip").ask("shop", descriptor("user=ann")))
                .getStatus()
                .getCode())
        .isEqualTo(Status.Code.UNIMPLEMENTED);
    byte[] ask = request(descriptor("user=ann")).toByteArray();
    assertThat(status(frame(0, ask.length, ask), "grpc-encoding", "gzip")).isEqualTo("12");
    assertThat(status(frame(0, ask.length, ask), "grpc-encoding", "identity")).isEqualTo("0");
    assertOthersAreServed();
  }

  @Test
  void ask_otherFormats_areRejected() throws IOException {
    byte[] ask = request(descriptor("user=ann")).toByteArray();
    for (String type : new String[] {"application/grpc+json", "application/grpc+thrift"}) {
      assertThat(status(frame(0, ask.length, ask), "content-type", type)).isEqualTo("12");
    }
    assertThat(status(frame(0, ask.length, ask), "content-type", "application/grpc+proto"))
        .isEqualTo("0");
  }

  @Test
  void call_unknownMethod_isUnimplemented() {
    assertThat(failure("envoy.service.ratelimit.v3.RateLimitService/Other", request()).getCode())
        .isEqualTo(Status.Code.UNIMPLEMENTED);
    assertThat(failure("none.Service/Method", request()).getCode())
        .isEqualTo(Status.Code.UNIMPLEMENTED);
  }

  @Test
  void frames_malformedOrIncomplete_getAStatus() throws IOException {
    byte[] ask = request(descriptor("user=ann")).toByteArray();
    byte[][] unreadable = {
      {},
      {0, 0, 0},
      frame(0, 5, new byte[0]),
      frame(1, ask.length, ask),
      frame(0, 4, new byte[] {-1, -1, -1, -1}),
    };
    for (byte[] body : unreadable) {
      assertThat(status(body)).as(Arrays.toString(body)).isEqualTo("13");
    }
    assertThat(status(frame(0, -1, ask))).isEqualTo("8");
    assertThat(status(frame(0, Integer.MAX_VALUE, ask))).isEqualTo("8");
    assertOthersAreServed();
  }

  @Test
  void message_thatNeverArrives_isCanceled() throws IOException {
    try (Http2Frames frames = connect()) {
      head(frames, 1);
      frames.write(Http2Frames.DATA, 0, 1, new byte[] {0, 0, 0, 0});
      assertThat(endsStream(frames, 1)).isTrue();
    }
    assertOthersAreServed();
  }

  @Test
  void streams_resetRapidly_closeTheConnection() throws IOException {
    try (Http2Frames frames = connect()) {
      for (int stream = 1; stream < 40_000; stream += 2) {
        head(frames, stream);
        frames.write(Http2Frames.RESET, 0, stream, new byte[] {0, 0, 0, 8});
      }
      while (frames.any() != null) {
        // Until the connection is closed.
      }
    } catch (SocketTimeoutException open) {
      throw new AssertionError("the connection was not closed", open);
    } catch (IOException closed) {
      assertThat(closed).hasMessageNotContaining("timed out");
    }
    assertOthersAreServed();
  }

  @Test
  void hostileCalls_atTheSameTime_leaveOthersUnaffected() throws IOException {
    // Compressed by a thousand: below the limit on messages until it is decompressed.
    RateLimitRequest bomb = request(descriptor("user=" + "a".repeat(20_000_000)));
    RateLimitRequest many =
        RateLimitRequest.newBuilder()
            .setDomain("shop")
            .addAllDescriptors(
                Collections.nCopies(10_000, RateLimitDescriptor.getDefaultInstance()))
            .build();
    try (Bystander bystander = new Bystander()) {
      for (int round = 0; round < 10; round++) {
        Throwable unused =
            catchThrowable(() -> compressing.call(METHOD, bomb, RateLimitResponse.parser()));
        assertThat(failure(METHOD, many).getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        try (Http2Frames frames = connect()) {
          head(frames, 1);
          frames.write(Http2Frames.DATA, 0, 1, frame(0, -1, new byte[1_000]));
          head(frames, 3);
          frames.write(Http2Frames.DATA, Http2Frames.END_STREAM, 3, new byte[] {9, 9, 9});
          // An unfinished answer of garbage must not be the reason why others wait.
          bystander.awaitAnswers(5);
        }
      }
    }
  }

  /** A client that asks all the time, and fails the test if it isn't answered. */
  private final class Bystander implements AutoCloseable {
    private final AtomicLong answers = new AtomicLong();
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final Thread thread = new Thread(this::ask, "bystander");
    private volatile @Nullable Throwable failure;

    Bystander() {
      thread.start();
    }

    private void ask() {
      try {
        while (!stopped.get()) {
          assertOthersAreServed();
          answers.incrementAndGet();
        }
      } catch (Throwable unanswered) {
        failure = unanswered;
      }
    }

    void awaitAnswers(long more) {
      long before = answers.get();
      Waiting.await("answers to others")
          .until(() -> failure != null || answers.get() >= before + more);
      assertThat(failure).isNull();
    }

    @Override
    public void close() {
      stopped.set(true);
      Waiting.await("end of the bystander").until(() -> !thread.isAlive());
      assertThat(failure).isNull();
    }
  }

  private Http2Frames connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port());
    socket.setSoTimeout(PATIENCE_MILLIS);
    return new Http2Frames(socket);
  }

  private static void head(Http2Frames frames, int stream, String... more) throws IOException {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put(":method", "POST");
    headers.put(":scheme", "http");
    headers.put(":path", "/" + METHOD);
    headers.put(":authority", "penstock");
    headers.put("content-type", "application/grpc");
    headers.put("te", "trailers");
    for (int i = 0; i < more.length; i += 2) {
      headers.put(more[i], more[i + 1]);
    }
    frames.head(
        stream,
        false,
        headers.entrySet().stream()
            .flatMap(header -> Stream.of(header.getKey(), header.getValue()))
            .toArray(String[]::new));
  }

  /** Sends a body and returns the status of gRPC. */
  private String status(byte[] body, String... headers) throws IOException {
    try (Http2Frames frames = connect()) {
      head(frames, 1, headers);
      frames.write(Http2Frames.DATA, Http2Frames.END_STREAM, 1, body);
      for (Http2Frames.Frame frame = frames.next(Http2Frames.HEADERS);
          frame != null;
          frame = frames.next(Http2Frames.HEADERS)) {
        String status = frames.field(frame, "grpc-status");
        if (status != null) {
          return status;
        }
      }
      return "closed";
    }
  }

  /** Returns a gRPC frame whose length may be wrong. */
  private static byte[] frame(int compressed, int length, byte[] message) {
    return ByteBuffer.allocate(5 + message.length)
        .put((byte) compressed)
        .putInt(length)
        .put(message)
        .array();
  }

  /** Reads until the stream has ended or was reset. */
  private static boolean endsStream(Http2Frames frames, int stream) throws IOException {
    for (Http2Frames.Frame frame = frames.any(); frame != null; frame = frames.any()) {
      boolean ends =
          frame.type() == Http2Frames.RESET
              || ((frame.type() == Http2Frames.HEADERS || frame.type() == Http2Frames.DATA)
                  && (frame.flags() & Http2Frames.END_STREAM) != 0);
      if (frame.type() == Http2Frames.GO_AWAY || (frame.stream() == stream && ends)) {
        return true;
      }
    }
    return true;
  }

  private void assertOthersAreServed() {
    assertThat(other.ask("shop", descriptor("user=other")).getOverallCode()).isEqualTo(Code.OK);
  }

  private int port() {
    return server.server().envoyPort().orElseThrow();
  }

  private static RateLimitRequest request(RateLimitDescriptor... descriptors) {
    return RateLimitRequest.newBuilder()
        .setDomain("shop")
        .addAllDescriptors(Arrays.asList(descriptors))
        .build();
  }

  private Status failure(String method, MessageLite request) {
    return catchThrowableOfType(
            StatusRuntimeException.class,
            () -> client.call(method, request, RateLimitResponse.parser()))
        .getStatus();
  }
}
