package io.penstock.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.stub.ClientCalls;
import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import io.penstock.server.envoy.proto.reflection.v1.ServerReflectionRequest;
import io.penstock.server.envoy.proto.reflection.v1.ServerReflectionResponse;
import io.penstock.server.envoy.proto.reflection.v1.ServiceResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that knows nothing but the reflection service, as grpcurl does. */
class ReflectionTest {
  private static final String SERVICE = "envoy.service.ratelimit.v3.RateLimitService";

  private RunningServer server;
  private EnvoyClient client;

  @BeforeEach
  void start(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("envoy.yaml"), "domain: none");
    server =
        RunningServer.with(
            Map.of(
                Setting.ENVOY,
                file.toString(),
                Setting.ENVOY_HOST,
                "127.0.0.1",
                Setting.ENVOY_PORT,
                "0"));
    client = new EnvoyClient(server.server().envoyPort().orElseThrow());
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  /** Sends all requests in one call, and returns the answers. */
  private List<ServerReflectionResponse> ask(String version, ServerReflectionRequest... requests)
      throws InterruptedException {
    BlockingQueue<ServerReflectionResponse> answers = new LinkedBlockingQueue<>();
    var call =
        client
            .channel()
            .newCall(
                io.grpc.MethodDescriptor
                    .<ServerReflectionRequest, ServerReflectionResponse>newBuilder()
                    .setType(MethodType.BIDI_STREAMING)
                    .setFullMethodName(
                        "grpc.reflection." + version + ".ServerReflection/ServerReflectionInfo")
                    .setRequestMarshaller(marshaller(ServerReflectionRequest.parser()))
                    .setResponseMarshaller(marshaller(ServerReflectionResponse.parser()))
                    .build(),
                CallOptions.DEFAULT);
    var stream =
        ClientCalls.asyncBidiStreamingCall(
            call,
            new io.grpc.stub.StreamObserver<ServerReflectionResponse>() {
              @Override
              public void onNext(ServerReflectionResponse answer) {
                answers.add(answer);
              }

              @Override
              public void onError(Throwable failure) {}

              @Override
              public void onCompleted() {}
            });
    List<ServerReflectionResponse> received = new ArrayList<>();
    for (ServerReflectionRequest request : requests) {
      stream.onNext(request);
      received.add(answers.poll(1, TimeUnit.MINUTES));
    }
    stream.onCompleted();
    return received;
  }

  private static <M extends MessageLite> io.grpc.MethodDescriptor.Marshaller<M> marshaller(
      Parser<M> parser) {
    return new XdsFixture.ProtoMarshaller<>(parser);
  }

  private static ServerReflectionRequest symbol(String name) {
    return ServerReflectionRequest.newBuilder().setFileContainingSymbol(name).build();
  }

  @ParameterizedTest
  @ValueSource(strings = {"v1", "v1alpha"})
  void ask_services_areListed(String version) throws Exception {
    ServerReflectionRequest list =
        ServerReflectionRequest.newBuilder().setHost("a").setListServices("*").build();
    ServerReflectionResponse answer = ask(version, list).get(0);

    assertThat(answer.getOriginalRequest()).isEqualTo(list);
    assertThat(answer.getListServicesResponse().getServiceList())
        .extracting(ServiceResponse::getName)
        .contains(
            SERVICE,
            "envoy.service.auth.v3.Authorization",
            "grpc.health.v1.Health",
            "grpc.reflection.v1.ServerReflection",
            "grpc.reflection.v1alpha.ServerReflection");
  }

  @Test
  void ask_service_canBeCalledWithNothingElse() throws Exception {
    List<ServerReflectionResponse> answers =
        ask("v1", symbol(SERVICE), symbol(SERVICE + ".ShouldRateLimit"), symbol("none.Symbol"));
    assertThat(answers.get(1).getFileDescriptorResponse())
        .isEqualTo(answers.get(0).getFileDescriptorResponse());
    assertThat(answers.get(2).getErrorResponse().getErrorCode()).isEqualTo(5);

    Map<String, FileDescriptorProto> files = new HashMap<>();
    String first = "";
    for (ByteString bytes :
        answers.get(0).getFileDescriptorResponse().getFileDescriptorProtoList()) {
      FileDescriptorProto file = FileDescriptorProto.parseFrom(bytes);
      first = first.isEmpty() ? file.getName() : first;
      files.put(file.getName(), file);
    }
    MethodDescriptor method =
        build(first, files)
            .findServiceByName("RateLimitService")
            .findMethodByName("ShouldRateLimit");
    DynamicMessage request =
        DynamicMessage.newBuilder(method.getInputType())
            .setField(method.getInputType().findFieldByName("domain"), "none")
            .addRepeatedField(
                method.getInputType().findFieldByName("descriptors"),
                DynamicMessage.getDefaultInstance(
                    method.getInputType().findFieldByName("descriptors").getMessageType()))
            .build();
    DynamicMessage answer =
        client.call(
            SERVICE + "/ShouldRateLimit",
            request,
            DynamicMessage.getDefaultInstance(method.getOutputType()).getParserForType());
    assertThat(answer.getField(method.getOutputType().findFieldByName("overall_code")))
        .hasToString("OK");
  }

  private static FileDescriptor build(String name, Map<String, FileDescriptorProto> files)
      throws Exception {
    FileDescriptorProto file = files.get(name);
    List<FileDescriptor> imports = new ArrayList<>();
    for (String imported : file.getDependencyList()) {
      imports.add(build(imported, files));
    }
    return FileDescriptor.buildFrom(file, imports.toArray(FileDescriptor[]::new));
  }
}
