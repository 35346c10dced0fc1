package io.penstock.server.envoy;

import com.google.protobuf.Any;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.ClientAuth;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.penstock.server.envoy.proto.config.RateLimitConfig;
import io.penstock.server.envoy.proto.discovery.DiscoveryRequest;
import io.penstock.server.envoy.proto.discovery.DiscoveryResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * An xDS server with grpc-java under mutual TLS. Like the one of Envoy Gateway, it sends the whole
 * configuration to each stream, and again whenever it changes. Thread-safe.
 */
final class XdsFixture implements AutoCloseable {
  private final Server server;
  private final List<StreamObserver<DiscoveryResponse>> streams = new ArrayList<>();
  private final List<DiscoveryRequest> received = new ArrayList<>();
  private List<RateLimitConfig> snapshot;
  private final int port;
  private int version;

  /** The files of a server that requires client certificates. */
  record ServerTls(Path certificate, Path key, Path clientCa) {}

  /**
   * @param port 0 for a free one
   * @param snapshot the first configuration
   */
  XdsFixture(int port, ServerTls tls, RateLimitConfig... snapshot) throws IOException {
    this.snapshot = List.of(snapshot);
    this.server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
            .sslContext(
                GrpcSslContexts.forServer(tls.certificate.toFile(), tls.key.toFile())
                    .trustManager(tls.clientCa.toFile())
                    .clientAuth(ClientAuth.REQUIRE)
                    .build())
            .addService(
                ServerServiceDefinition.builder(
                        "envoy.service.discovery.v3.AggregatedDiscoveryService")
                    .addMethod(method(), ServerCalls.asyncBidiStreamingCall(this::open))
                    .build())
            .build()
            .start();
    this.port = server.getPort();
  }

  int port() {
    return port;
  }

  /** Returns the messages of all clients so far. */
  synchronized List<DiscoveryRequest> received() {
    return List.copyOf(received);
  }

  /** Replaces the configuration, and sends it to all clients. */
  synchronized void push(RateLimitConfig... next) {
    snapshot = List.of(next);
    streams.forEach(this::send);
  }

  private synchronized StreamObserver<DiscoveryRequest> open(
      StreamObserver<DiscoveryResponse> stream) {
    return new StreamObserver<>() {
      @Override
      public void onNext(DiscoveryRequest request) {
        XdsFixture.this.received(request, stream);
      }

      @Override
      public void onError(Throwable failure) {
        remove(stream);
      }

      @Override
      public void onCompleted() {
        remove(stream);
        stream.onCompleted();
      }
    };
  }

  private synchronized void received(
      DiscoveryRequest request, StreamObserver<DiscoveryResponse> stream) {
    received.add(request);
    if (request.getResponseNonce().isEmpty()) {
      streams.add(stream);
      send(stream);
    }
  }

  private synchronized void remove(StreamObserver<DiscoveryResponse> stream) {
    streams.remove(stream);
  }

  private synchronized void send(StreamObserver<DiscoveryResponse> stream) {
    version++;
    DiscoveryResponse.Builder response =
        DiscoveryResponse.newBuilder()
            .setVersionInfo("v" + version)
            .setNonce("n" + version)
            .setTypeUrl(XdsClient.TYPE_URL);
    for (RateLimitConfig config : snapshot) {
      response.addResources(
          Any.newBuilder().setTypeUrl(XdsClient.TYPE_URL).setValue(config.toByteString()));
    }
    stream.onNext(response.build());
  }

  private static MethodDescriptor<DiscoveryRequest, DiscoveryResponse> method() {
    return MethodDescriptor.<DiscoveryRequest, DiscoveryResponse>newBuilder()
        .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
        .setFullMethodName(
            "envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources")
        .setRequestMarshaller(new ProtoMarshaller<>(DiscoveryRequest.parser()))
        .setResponseMarshaller(new ProtoMarshaller<>(DiscoveryResponse.parser()))
        .build();
  }

  @Override
  public void close() {
    server.shutdownNow();
    try {
      server.awaitTermination();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Converts messages for grpc-java. */
  record ProtoMarshaller<M extends MessageLite>(Parser<M> parser)
      implements MethodDescriptor.Marshaller<M> {
    @Override
    public InputStream stream(M value) {
      return value.toByteString().newInput();
    }

    @Override
    public M parse(InputStream stream) {
      try {
        return parser.parseFrom(stream);
      } catch (IOException malformed) {
        throw new UncheckedIOException(malformed);
      }
    }
  }
}
