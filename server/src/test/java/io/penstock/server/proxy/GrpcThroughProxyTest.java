package io.penstock.server.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.penstock.server.Setting;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls from a gRPC client to a gRPC server, both of the reference implementation. */
final class GrpcThroughProxyTest {
  private static final String POLICY =
      """
      rules:
        - {name: once, limit_keys: [], match: {path: /test.Echo/Once}, rate: 1/h, burst: 1}
      """;
  private static final MethodDescriptor<String, String> ONCE = method("Once", MethodType.UNARY);
  private static final MethodDescriptor<String, String> UNARY = method("Unary", MethodType.UNARY);
  private static final MethodDescriptor<String, String> COUNT =
      method("Count", MethodType.SERVER_STREAMING);
  private static final MethodDescriptor<String, String> CHAT =
      method("Chat", MethodType.BIDI_STREAMING);
  private static final Metadata.Key<String> WHY =
      Metadata.Key.of("why", Metadata.ASCII_STRING_MARSHALLER);

  @TempDir private Path folder;
  private Server origin;
  private ProxyFixture proxy;
  private ManagedChannel channel;

  @BeforeEach
  void start() throws IOException {
    origin =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(
                ServerServiceDefinition.builder("test.Echo")
                    .addMethod(ONCE, ServerCalls.asyncUnaryCall(GrpcThroughProxyTest::echo))
                    .addMethod(UNARY, ServerCalls.asyncUnaryCall(GrpcThroughProxyTest::echo))
                    .addMethod(
                        COUNT, ServerCalls.asyncServerStreamingCall(GrpcThroughProxyTest::count))
                    .addMethod(CHAT, ServerCalls.asyncBidiStreamingCall(Chat::new))
                    .build())
            .build()
            .start();
    proxy =
        new ProxyFixture(
            folder,
            POLICY,
            "http://127.0.0.1:" + origin.getPort(),
            Map.of(Setting.UPSTREAM_HTTP2, "true"));
    channel = NettyChannelBuilder.forAddress("127.0.0.1", proxy.port()).usePlaintext().build();
  }

  @AfterEach
  void stop() throws InterruptedException {
    channel.shutdownNow().awaitTermination(20, TimeUnit.SECONDS);
    proxy.close();
    origin.shutdownNow().awaitTermination();
  }

  @Test
  void unary_call_isAnswered() {
    assertThat(call(UNARY, "hello")).isEqualTo("echo hello");
    String large = "x".repeat(1 << 20);
    assertThat(call(UNARY, large)).isEqualTo("echo " + large);
  }

  @Test
  void serverStreaming_call_deliversEachMessage() {
    List<String> counted = new ArrayList<>();
    ClientCalls.blockingServerStreamingCall(channel, COUNT, CallOptions.DEFAULT, "1000")
        .forEachRemaining(counted::add);
    assertThat(counted).hasSize(1_000).startsWith("1", "2").endsWith("1000");
  }

  @Test
  void bidirectional_call_exchangesMessages() throws InterruptedException {
    LinkedBlockingQueue<String> heard = new LinkedBlockingQueue<>();
    StreamObserver<String> out =
        ClientCalls.asyncBidiStreamingCall(
            channel.newCall(CHAT, CallOptions.DEFAULT), new Heard(heard));
    for (int i = 0; i < 100; i++) {
      out.onNext("message " + i);
      assertThat(heard.poll(20, TimeUnit.SECONDS)).isEqualTo("echo message " + i);
    }
    out.onCompleted();
    assertThat(heard.poll(20, TimeUnit.SECONDS)).isEqualTo("completed");
  }

  @Test
  void failure_ofTheOrigin_arrivesWithStatusAndTrailers() {
    StatusRuntimeException failure =
        catchThrowableOfType(StatusRuntimeException.class, () -> call(UNARY, "fail"));
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(failure.getStatus().getDescription()).isEqualTo("not this");
    assertThat(failure.getTrailers().get(WHY)).isEqualTo("because");
  }

  @Test
  void denied_call_isUnavailable_othersOnTheConnectionAreNot() {
    assertThat(call(ONCE, "a")).isEqualTo("echo a");
    StatusRuntimeException denied =
        catchThrowableOfType(StatusRuntimeException.class, () -> call(ONCE, "b"));
    assertThat(denied.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(denied.getStatus().getDescription()).contains("429");
    assertThat(call(UNARY, "c")).isEqualTo("echo c");
  }

  private String call(MethodDescriptor<String, String> method, String message) {
    return ClientCalls.blockingUnaryCall(
        channel, method, CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS), message);
  }

  private static void echo(String message, StreamObserver<String> answer) {
    if (message.equals("fail")) {
      Metadata trailers = new Metadata();
      trailers.put(WHY, "because");
      answer.onError(
          Status.INVALID_ARGUMENT.withDescription("not this").asRuntimeException(trailers));
      return;
    }
    answer.onNext("echo " + message);
    answer.onCompleted();
  }

  private static void count(String to, StreamObserver<String> answer) {
    for (int i = 1; i <= Integer.parseInt(to); i++) {
      answer.onNext(Integer.toString(i));
    }
    answer.onCompleted();
  }

  private record Chat(StreamObserver<String> answer) implements StreamObserver<String> {
    @Override
    public void onNext(String message) {
      answer.onNext("echo " + message);
    }

    @Override
    public void onError(Throwable failure) {
      answer.onError(failure);
    }

    @Override
    public void onCompleted() {
      answer.onCompleted();
    }
  }

  private record Heard(LinkedBlockingQueue<String> heard) implements StreamObserver<String> {
    @Override
    public void onNext(String message) {
      heard.add(message);
    }

    @Override
    public void onError(Throwable failure) {
      heard.add(failure.toString());
    }

    @Override
    public void onCompleted() {
      heard.add("completed");
    }
  }

  private static MethodDescriptor<String, String> method(String name, MethodType type) {
    return MethodDescriptor.<String, String>newBuilder(new Text(), new Text())
        .setType(type)
        .setFullMethodName("test.Echo/" + name)
        .build();
  }

  /** Passes messages unchanged, without generated code. */
  private static final class Text implements MethodDescriptor.Marshaller<String> {
    @Override
    public InputStream stream(String value) {
      return new ByteArrayInputStream(value.getBytes(UTF_8));
    }

    @Override
    public String parse(InputStream stream) {
      try {
        return new String(stream.readAllBytes(), UTF_8);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
