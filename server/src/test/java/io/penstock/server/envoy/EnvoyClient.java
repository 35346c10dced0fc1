package io.penstock.server.envoy;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import com.google.protobuf.UInt64Value;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.penstock.server.envoy.proto.common.RateLimitDescriptor;
import io.penstock.server.envoy.proto.health.HealthCheckRequest;
import io.penstock.server.envoy.proto.health.HealthCheckResponse;
import io.penstock.server.envoy.proto.service.RateLimitRequest;
import io.penstock.server.envoy.proto.service.RateLimitResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.List;

/** A client with grpc-java. */
final class EnvoyClient implements AutoCloseable {
  private final ManagedChannel channel;
  private final CallOptions options;

  EnvoyClient(int port) {
    this(port, CallOptions.DEFAULT);
  }

  EnvoyClient(int port, CallOptions options) {
    this(NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build(), options);
  }

  EnvoyClient(ManagedChannel channel) {
    this(channel, CallOptions.DEFAULT);
  }

  private EnvoyClient(ManagedChannel channel, CallOptions options) {
    this.channel = channel;
    this.options = options;
  }

  /** Returns a client on the same connection that compresses its messages. */
  EnvoyClient compressed(String encoding) {
    return new EnvoyClient(channel, options.withCompression(encoding));
  }

  ManagedChannel channel() {
    return channel;
  }

  RateLimitResponse ask(RateLimitRequest request) {
    return call(
        "envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit",
        request,
        RateLimitResponse.parser());
  }

  /** Asks for one descriptor. */
  RateLimitResponse ask(String domain, RateLimitDescriptor... descriptors) {
    return ask(
        RateLimitRequest.newBuilder()
            .setDomain(domain)
            .addAllDescriptors(List.of(descriptors))
            .build());
  }

  HealthCheckResponse health(String service) {
    return call(
        "grpc.health.v1.Health/Check",
        HealthCheckRequest.newBuilder().setService(service).build(),
        HealthCheckResponse.parser());
  }

  /** Returns the statuses as they arrive. */
  Iterator<HealthCheckResponse> watch(String service) {
    return ClientCalls.blockingServerStreamingCall(
        channel,
        descriptor(
            MethodDescriptor.MethodType.SERVER_STREAMING,
            "grpc.health.v1.Health/Watch",
            HealthCheckResponse.parser()),
        CallOptions.DEFAULT,
        HealthCheckRequest.newBuilder().setService(service).build());
  }

  <A extends MessageLite> A call(String method, MessageLite request, Parser<A> parser) {
    return ClientCalls.blockingUnaryCall(
        channel, descriptor(MethodDescriptor.MethodType.UNARY, method, parser), options, request);
  }

  private static <A extends MessageLite> MethodDescriptor<MessageLite, A> descriptor(
      MethodDescriptor.MethodType type, String method, Parser<A> parser) {
    return MethodDescriptor.<MessageLite, A>newBuilder()
        .setType(type)
        .setFullMethodName(method)
        .setRequestMarshaller(new RequestMarshaller())
        .setResponseMarshaller(new ResponseMarshaller<>(parser))
        .build();
  }

  /** A descriptor of entries such as {@code user=ann}. */
  static RateLimitDescriptor descriptor(String... entries) {
    return entry(entries).build();
  }

  static RateLimitDescriptor descriptor(long hits, String... entries) {
    return entry(entries).setHitsAddend(UInt64Value.of(hits)).build();
  }

  static RateLimitDescriptor.Builder entry(String... entries) {
    RateLimitDescriptor.Builder descriptor = RateLimitDescriptor.newBuilder();
    for (String entry : entries) {
      String[] parts = entry.split("=", 2);
      descriptor.addEntries(
          RateLimitDescriptor.Entry.newBuilder().setKey(parts[0]).setValue(parts[1]));
    }
    return descriptor;
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }

  private static final class RequestMarshaller implements MethodDescriptor.Marshaller<MessageLite> {
    @Override
    public InputStream stream(MessageLite value) {
      return value.toByteString().newInput();
    }

    @Override
    public MessageLite parse(InputStream stream) {
      throw new UnsupportedOperationException();
    }
  }

  private record ResponseMarshaller<A extends MessageLite>(Parser<A> parser)
      implements MethodDescriptor.Marshaller<A> {
    @Override
    public InputStream stream(A value) {
      throw new UnsupportedOperationException();
    }

    @Override
    public A parse(InputStream stream) {
      try {
        return parser.parseFrom(stream);
      } catch (InvalidProtocolBufferException malformed) {
        throw new UncheckedIOException(new IOException(malformed));
      }
    }
  }
}
