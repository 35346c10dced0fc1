package io.penstock.server.envoy;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import io.penstock.server.envoy.proto.auth.ExternalAuthProto;
import io.penstock.server.envoy.proto.health.HealthProto;
import io.penstock.server.envoy.proto.reflection.v1.ErrorResponse;
import io.penstock.server.envoy.proto.reflection.v1.FileDescriptorResponse;
import io.penstock.server.envoy.proto.reflection.v1.ListServiceResponse;
import io.penstock.server.envoy.proto.reflection.v1.ServerReflectionRequest;
import io.penstock.server.envoy.proto.reflection.v1.ServerReflectionResponse;
import io.penstock.server.envoy.proto.reflection.v1.ServiceResponse;
import io.penstock.server.envoy.proto.service.RlsProto;
import io.vertx.grpc.common.GrpcStatus;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The reflection service of gRPC, which describes the services and messages to clients such as
 * grpcurl. Immutable.
 */
final class GrpcReflection {
  private static final List<FileDescriptor> ROOTS =
      List.of(
          RlsProto.getDescriptor(),
          ExternalAuthProto.getDescriptor(),
          HealthProto.getDescriptor(),
          io.penstock.server.envoy.proto.reflection.v1.ReflectionProto.getDescriptor(),
          io.penstock.server.envoy.proto.reflection.v1alpha.ReflectionProto.getDescriptor());

  /** All files, those that others import included. */
  private final Map<String, FileDescriptor> files = new LinkedHashMap<>();

  /** The files by the full names of what they declare. */
  private final Map<String, FileDescriptor> symbols = new HashMap<>();

  GrpcReflection() {
    ROOTS.forEach(this::add);
  }

  private void add(FileDescriptor file) {
    if (files.putIfAbsent(file.getName(), file) != null) {
      return;
    }
    file.getDependencies().forEach(this::add);
    file.getMessageTypes().forEach(type -> symbols.put(type.getFullName(), file));
    file.getEnumTypes().forEach(type -> symbols.put(type.getFullName(), file));
    for (ServiceDescriptor service : file.getServices()) {
      symbols.put(service.getFullName(), file);
      for (MethodDescriptor method : service.getMethods()) {
        symbols.put(method.getFullName(), file);
      }
    }
  }

  /** Answers a request; of older clients, after conversion. */
  ServerReflectionResponse answer(ServerReflectionRequest request) {
    ServerReflectionResponse.Builder response =
        ServerReflectionResponse.newBuilder()
            .setValidHost(request.getHost())
            .setOriginalRequest(request);
    switch (request.getMessageRequestCase()) {
      case LIST_SERVICES -> response.setListServicesResponse(services());
      case FILE_BY_FILENAME -> add(files.get(request.getFileByFilename()), response);
      case FILE_CONTAINING_SYMBOL -> add(file(request.getFileContainingSymbol()), response);
      default ->
          response.setErrorResponse(error(GrpcStatus.UNIMPLEMENTED, "there are no extensions"));
    }
    return response.build();
  }

  private ListServiceResponse services() {
    ListServiceResponse.Builder services = ListServiceResponse.newBuilder();
    ROOTS.stream()
        .map(FileDescriptor::getServices)
        .flatMap(Collection::stream)
        .forEach(
            service ->
                services.addService(ServiceResponse.newBuilder().setName(service.getFullName())));
    return services.build();
  }

  /** Returns the file that declares a symbol, or the message that contains it. */
  private @Nullable FileDescriptor file(String symbol) {
    for (String name = symbol; ; name = name.substring(0, name.lastIndexOf('.'))) {
      FileDescriptor file = symbols.get(name);
      if (file != null || name.indexOf('.') < 0) {
        return file;
      }
    }
  }

  /** Adds a file with all that it imports, or an error. */
  private static void add(
      @Nullable FileDescriptor file, ServerReflectionResponse.Builder response) {
    if (file == null) {
      response.setErrorResponse(error(GrpcStatus.NOT_FOUND, "unknown file or symbol"));
      return;
    }
    Map<String, ByteString> files = new LinkedHashMap<>();
    collect(file, files);
    response.setFileDescriptorResponse(
        FileDescriptorResponse.newBuilder().addAllFileDescriptorProto(files.values()));
  }

  private static void collect(FileDescriptor file, Map<String, ByteString> files) {
    if (files.putIfAbsent(file.getName(), file.toProto().toByteString()) == null) {
      file.getDependencies().forEach(imported -> collect(imported, files));
    }
  }

  private static ErrorResponse error(GrpcStatus status, String message) {
    return ErrorResponse.newBuilder().setErrorCode(status.code).setErrorMessage(message).build();
  }
}
