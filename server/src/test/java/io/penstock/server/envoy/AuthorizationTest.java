package io.penstock.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import io.penstock.server.envoy.proto.auth.AttributeContext;
import io.penstock.server.envoy.proto.auth.CheckRequest;
import io.penstock.server.envoy.proto.auth.CheckResponse;
import io.penstock.server.envoy.proto.core.Address;
import io.penstock.server.envoy.proto.core.HeaderMap;
import io.penstock.server.envoy.proto.core.HeaderValue;
import io.penstock.server.envoy.proto.core.HeaderValueOption;
import io.penstock.server.envoy.proto.core.SocketAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** External authorization, asked by grpc-java. */
class AuthorizationTest {
  private static final String POLICY =
      """
      client_address: {trusted_proxies: [10.0.0.0/8]}
      rules:
        - {name: login, limit_keys: ["ip:address"], match: {path: /login, method: POST}, rate: 1/h, burst: 1}
        - {name: keyed, limit_keys: ["header:x-api-key"], match: {path: /api}, rate: 1/h, burst: 1}
        - {name: slow, limit_keys: ["ip:address"], match: {path: /slow}, rate: 1/s, burst: 1, on_limit: delay, max_delay_ms: 5000}
      """;

  @TempDir private Path folder;
  private RunningServer server;
  private EnvoyClient client;

  @BeforeEach
  void start() throws IOException {
    Path envoy = Files.writeString(folder.resolve("envoy.yaml"), "domain: none\n");
    server =
        RunningServer.with(
            Map.of(
                Setting.POLICY,
                RunningServer.write(folder, POLICY).toString(),
                Setting.ENVOY,
                envoy.toString(),
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

  @Test
  void check_withinTheLimit_isAllowedWithHeaders() {
    CheckResponse response = check("192.0.2.1", "POST", "/login?next=1", Map.of());

    assertThat(response.getStatus().getCode()).isZero();
    assertThat(response.hasOkResponse()).isTrue();
    assertThat(headers(response.getOkResponse().getResponseHeadersToAddList()))
        .contains("RateLimit-Limit: 1", "RateLimit-Remaining: 0");
  }

  @Test
  void check_overTheLimit_isDeniedWithTheProblem() {
    check("192.0.2.1", "POST", "/login", Map.of());
    CheckResponse response = check("192.0.2.1", "POST", "/login", Map.of());

    assertThat(response.getStatus().getCode()).isEqualTo(Status.Code.PERMISSION_DENIED.value());
    assertThat(response.getDeniedResponse().getStatus().getCodeValue()).isEqualTo(429);
    assertThat(response.getDeniedResponse().getBody())
        .contains("\"violated-policies\":[\"login\"]");
    assertThat(headers(response.getDeniedResponse().getHeadersList()))
        .contains("Content-Type: application/problem+json")
        .anyMatch(header -> header.startsWith("Retry-After: "));
    assertThat(check("192.0.2.2", "POST", "/login", Map.of()).hasOkResponse()).isTrue();
    assertThat(check("192.0.2.1", "GET", "/login", Map.of()).hasOkResponse()).isTrue();
  }

  @Test
  void check_forwardedFor_namesTheClient() {
    for (int i = 0; i < 2; i++) {
      CheckResponse response =
          check("10.0.0.1", "POST", "/login", Map.of("x-forwarded-for", "192.0.2." + i));
      assertThat(response.hasOkResponse()).isTrue();
    }
  }

  @Test
  void check_headerSentTwice_isDenied() {
    assertThat(check("192.0.2.1", "GET", "/api", Map.of("x-api-key", "a")).hasOkResponse())
        .isTrue();
    assertThat(check("192.0.2.1", "GET", "/api", Map.of("x-api-key", "a,b")).hasOkResponse())
        .isFalse();
    HeaderMap.Builder raw = HeaderMap.newBuilder();
    for (String value : List.of("a", "b")) {
      raw.addHeaders(HeaderValue.newBuilder().setKey("x-api-key").setValue(value));
    }
    assertThat(ask(request("192.0.2.1", "GET", "/api").setHeaderMap(raw)).hasOkResponse())
        .isFalse();
  }

  @Test
  void check_requestThatWouldWait_isDenied() {
    assertThat(check("192.0.2.1", "GET", "/slow", Map.of()).hasOkResponse()).isTrue();
    assertThat(
            check("192.0.2.1", "GET", "/slow", Map.of())
                .getDeniedResponse()
                .getStatus()
                .getCodeValue())
        .isEqualTo(429);
  }

  @Test
  void check_ambiguousTarget_isRejected() {
    for (String target : List.of("login", "http://a/login", "/login#x", "")) {
      assertThat(
              check("192.0.2.1", "POST", target, Map.of())
                  .getDeniedResponse()
                  .getStatus()
                  .getCodeValue())
          .as(target)
          .isEqualTo(400);
    }
  }

  @Test
  void check_withoutRequest_isInvalid() {
    assertThat(
            catchThrowableOfType(
                    StatusRuntimeException.class,
                    () -> ask(AttributeContext.HttpRequest.newBuilder()))
                .getStatus()
                .getCode())
        .isEqualTo(Status.Code.INVALID_ARGUMENT);
  }

  private String source = "";

  private CheckResponse check(
      String address, String method, String path, Map<String, String> headers) {
    return ask(request(address, method, path).putAllHeaders(headers));
  }

  private AttributeContext.HttpRequest.Builder request(String address, String method, String path) {
    source = address;
    return AttributeContext.HttpRequest.newBuilder()
        .setMethod(method)
        .setPath(path)
        .setHost("shop.example");
  }

  private CheckResponse ask(AttributeContext.HttpRequest.Builder http) {
    return client.call(
        "envoy.service.auth.v3.Authorization/Check",
        CheckRequest.newBuilder()
            .setAttributes(
                AttributeContext.newBuilder()
                    .setSource(
                        AttributeContext.Peer.newBuilder()
                            .setAddress(
                                Address.newBuilder()
                                    .setSocketAddress(
                                        SocketAddress.newBuilder().setAddress(source))))
                    .setRequest(AttributeContext.Request.newBuilder().setHttp(http)))
            .build(),
        CheckResponse.parser());
  }

  private static List<String> headers(List<HeaderValueOption> options) {
    return options.stream()
        .map(HeaderValueOption::getHeader)
        .map(header -> header.getKey() + ": " + header.getValue())
        .toList();
  }
}
