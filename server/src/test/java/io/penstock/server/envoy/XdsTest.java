package io.penstock.server.envoy;

import static io.penstock.server.envoy.EnvoyClient.descriptor;
import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import io.penstock.server.envoy.proto.config.RateLimitConfig;
import io.penstock.server.envoy.proto.config.RateLimitDescriptor;
import io.penstock.server.envoy.proto.config.RateLimitPolicy;
import io.penstock.server.envoy.proto.config.RateLimitUnit;
import io.penstock.server.envoy.proto.discovery.DiscoveryRequest;
import io.penstock.server.envoy.proto.health.HealthCheckResponse.ServingStatus;
import io.penstock.server.envoy.proto.service.RateLimitResponse;
import io.penstock.server.envoy.proto.service.RateLimitResponse.Code;
import io.penstock.server.proxy.LoggedWarnings;
import io.penstock.server.proxy.TestPki;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The configuration comes from an xDS server under mutual TLS. */
class XdsTest {
  private static final int CALLERS = 4;

  @TempDir private static Path shared;
  private static TestPki pki;

  private final List<AutoCloseable> open = new ArrayList<>();

  @BeforeAll
  static void makeCertificates() throws Exception {
    pki =
        new TestPki(shared)
            .make("server", "EC", "-ext", "san=dns:envoy-gateway")
            .make("client", "EC");
    for (String alias : List.of("server", "client")) {
      Path unused = pki.certificate(alias, shared);
      unused = pki.key(alias, shared);
    }
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
  }

  private XdsFixture xds(int port, RateLimitConfig... snapshot) throws Exception {
    XdsFixture xds =
        new XdsFixture(
            port,
            new XdsFixture.ServerTls(file("server.crt"), file("server.key"), file("client.crt")),
            snapshot);
    open.add(0, xds);
    return xds;
  }

  private RunningServer server(XdsFixture xds, Map<Setting, String> more) {
    Map<Setting, String> settings = new EnumMap<>(Setting.class);
    settings.put(Setting.ENVOY, "grpcs://127.0.0.1:" + xds.port());
    settings.put(Setting.ENVOY_HOST, "127.0.0.1");
    settings.put(Setting.ENVOY_PORT, "0");
    settings.put(Setting.ENVOY_XDS_CA, file("server.crt").toString());
    settings.put(Setting.ENVOY_XDS_CERT, file("client.crt").toString());
    settings.put(Setting.ENVOY_XDS_KEY, file("client.key").toString());
    settings.put(Setting.ENVOY_XDS_SERVER_NAME, "envoy-gateway");
    settings.put(Setting.ENVOY_XDS_NODE, "envoy-ratelimit");
    settings.put(Setting.ENVOY_XDS_BACKOFF_MS, "20");
    settings.put(Setting.ENVOY_XDS_MAX_BACKOFF_MS, "100");
    settings.putAll(more);
    RunningServer server = RunningServer.with(settings);
    open.add(0, server);
    return server;
  }

  private EnvoyClient client(RunningServer server) {
    EnvoyClient client = new EnvoyClient(server.server().envoyPort().orElseThrow());
    open.add(0, client);
    return client;
  }

  private static Path file(String name) {
    return shared.resolve(name);
  }

  private static RateLimitConfig config(String domain, int perHour) {
    return RateLimitConfig.newBuilder()
        .setName(domain)
        .setDomain(domain)
        .addDescriptors(
            RateLimitDescriptor.newBuilder()
                .setKey("user")
                .setRateLimit(
                    RateLimitPolicy.newBuilder()
                        .setUnit(RateLimitUnit.HOUR)
                        .setRequestsPerUnit(perHour))
                .setMetadata(
                    Struct.newBuilder()
                        .putFields("plan", Value.newBuilder().setStringValue("free").build()))
                .addDescriptors(
                    RateLimitDescriptor.newBuilder()
                        .setKey("path")
                        .setValue("/free")
                        .setRateLimit(RateLimitPolicy.newBuilder().setUnlimited(true))))
        .build();
  }

  @Test
  void start_configurationOfTheServer_isServed() throws Exception {
    XdsFixture xds = xds(0, config("one", 3), config("two", 5));
    EnvoyClient client = client(server(xds, Map.of(Setting.ENVOY_XDS_METADATA, "zone=a,rack=b")));

    RateLimitResponse.DescriptorStatus status =
        client.ask("one", descriptor("user=ann")).getStatuses(0);
    assertThat(status.getLimitRemaining()).isEqualTo(2);
    assertThat(status.getCurrentLimit().getUnit()).isEqualTo(RateLimitResponse.RateLimit.Unit.HOUR);
    assertThat(client.ask("two", descriptor("user=ann")).getStatuses(0).getLimitRemaining())
        .isEqualTo(4);
    assertThat(
            client
                .ask("one", descriptor("user=ann", "path=/free"))
                .getStatuses(0)
                .getLimitRemaining())
        .isEqualTo(-1);
    DiscoveryRequest first = xds.received().get(0);
    assertThat(first.getNode().getId()).isEqualTo("envoy-ratelimit");
    assertThat(first.getNode().getMetadata().getFieldsMap()).containsOnlyKeys("zone", "rack");
    await("the acknowledgement").until(() -> xds.received().size() == 2);
    DiscoveryRequest ack = xds.received().get(1);
    assertThat(ack.getVersionInfo()).isEqualTo("v1");
    assertThat(ack.getResponseNonce()).isEqualTo("n1");
    assertThat(ack.hasErrorDetail()).isFalse();
  }

  @Test
  void push_underLoad_takesEffectWithoutFailures() throws Exception {
    XdsFixture xds = xds(0, config("one", 1_000_000_000));
    EnvoyClient client = client(server(xds, Map.of()));
    AtomicBoolean stopped = new AtomicBoolean();
    AtomicReference<Code> last = new AtomicReference<>();
    List<CompletableFuture<Void>> callers = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      String user = "user=" + i;
      callers.add(
          CompletableFuture.runAsync(
              () -> {
                while (!stopped.get()) {
                  last.set(client.ask("one", descriptor(user)).getOverallCode());
                }
              }));
    }
    await("the first limit").until(() -> last.get() == Code.OK);
    xds.push(config("one", 0));
    await("the new limit").until(() -> last.get() == Code.OVER_LIMIT);
    xds.push(config("one", 1_000_000_000), config("two", 1));
    await("the last limit").until(() -> last.get() == Code.OK);
    stopped.set(true);

    // Fails if any call did.
    CompletableFuture.allOf(callers.toArray(CompletableFuture<?>[]::new)).join();
  }

  @Test
  void push_invalidConfiguration_isRejectedAndTheOldOneStays() throws Exception {
    XdsFixture xds = xds(0, config("one", 3));
    RunningServer server = server(xds, Map.of());
    EnvoyClient client = client(server);
    xds.push(config("one", 5), config("one", 7));
    await("the rejection")
        .until(() -> xds.received().stream().anyMatch(DiscoveryRequest::hasErrorDetail));

    DiscoveryRequest nack = xds.received().get(2);
    assertThat(nack.getVersionInfo()).isEqualTo("v1");
    assertThat(nack.getResponseNonce()).isEqualTo("n2");
    assertThat(nack.getErrorDetail().getMessage()).contains("is already configured");
    assertThat(client.ask("one", descriptor("user=ann")).getStatuses(0).getLimitRemaining())
        .isEqualTo(2);
    assertThat(server.admin("/readyz").body()).contains("already configured");
    xds.push(config("one", 9));
    await("the next configuration")
        .until(
            () ->
                client
                        .ask("one", descriptor("user=bob"))
                        .getStatuses(0)
                        .getCurrentLimit()
                        .getRequestsPerUnit()
                    == 9);
  }

  @Test
  void restart_ofTheServer_isSurvived() throws Exception {
    XdsFixture xds = xds(0, config("one", 3));
    EnvoyClient client = client(server(xds, Map.of()));
    xds.close();
    assertThat(client.ask("one", descriptor("user=ann")).getOverallCode()).isEqualTo(Code.OK);

    // Its versions start again.
    XdsFixture restarted = xds(xds.port(), config("one", 8));
    await("the configuration after the restart")
        .until(
            () ->
                client
                        .ask("one", descriptor("user=bob"))
                        .getStatuses(0)
                        .getCurrentLimit()
                        .getRequestsPerUnit()
                    == 8);
    assertThat(restarted.received().get(0).getVersionInfo()).isEmpty();
    assertThat(client.ask("one", descriptor("user=ann")).getStatuses(0).getLimitRemaining())
        .isLessThan(8);
  }

  @Test
  void start_withoutInitialConfiguration_answersUnavailable() throws Exception {
    XdsFixture stopped = xds(0);
    stopped.close();
    EnvoyClient client =
        client(
            server(
                stopped,
                Map.of(
                    Setting.ENVOY_START_WITHOUT_CONFIG,
                    "true",
                    Setting.ENVOY_HEALTH_NEEDS_CONFIG,
                    "true")));

    Status status =
        catchThrowableOfType(
                StatusRuntimeException.class, () -> client.ask("one", descriptor("user=ann")))
            .getStatus();
    assertThat(status.getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(client.health("ratelimit").getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
    var watched = client.watch("ratelimit");
    assertThat(watched.next().getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
    XdsFixture started = xds(stopped.port(), config("one", 3));
    assertThat(watched.next().getStatus()).isEqualTo(ServingStatus.SERVING);
    assertThat(client.ask("one", descriptor("user=ann")).getOverallCode()).isEqualTo(Code.OK);
    assertThat(started.received()).isNotEmpty();
  }

  @Test
  void start_serverHasAnotherName_isNotTrusted() throws Exception {
    XdsFixture xds = xds(0, config("one", 3));
    try (LoggedWarnings warnings = new LoggedWarnings()) {
      RunningServer unused =
          server(
              xds,
              Map.of(
                  Setting.ENVOY_XDS_SERVER_NAME,
                  "another",
                  Setting.ENVOY_START_WITHOUT_CONFIG,
                  "true"));
      await("failed connections")
          .until(
              () ->
                  warnings.messages().stream()
                          .filter(message -> message.startsWith("No configuration for Envoy from"))
                          .count()
                      >= 2);
    }
    assertThat(xds.received()).isEmpty();
  }
}
