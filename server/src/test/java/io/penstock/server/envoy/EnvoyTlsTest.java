package io.penstock.server.envoy;

import static io.penstock.server.envoy.EnvoyClient.descriptor;
import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import io.penstock.server.SettingsReader;
import io.penstock.server.envoy.proto.service.RateLimitResponse.Code;
import io.penstock.server.proxy.TestPki;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TLS of the listener for Envoy, with grpc-java. */
class EnvoyTlsTest {
  private static final List<String> NAMES = List.of("server", "next", "client", "other");

  @TempDir private static Path shared;

  @TempDir private Path folder;
  private final List<AutoCloseable> open = new ArrayList<>();

  @BeforeAll
  static void makeCertificates() throws Exception {
    TestPki pki = new TestPki(shared);
    for (String name : NAMES) {
      pki.make(name, "EC", "-ext", "san=ip:127.0.0.1");
      Path unused = pki.certificate(name, shared);
      unused = pki.key(name, shared);
    }
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
  }

  private Map<Setting, String> settings() throws Exception {
    use("server");
    Map<Setting, String> settings = new EnumMap<>(Setting.class);
    settings.put(
        Setting.ENVOY,
        Files.writeString(
                folder.resolve("envoy.yaml"),
                "{domain: shop, descriptors: [{key: user, rate_limit: {unit: hour,"
                    + " requests_per_unit: 9}}]}")
            .toString());
    settings.put(Setting.ENVOY_HOST, "127.0.0.1");
    settings.put(Setting.ENVOY_PORT, "0");
    settings.put(Setting.ENVOY_TLS_CERT, folder.resolve("tls.crt").toString());
    settings.put(Setting.ENVOY_TLS_KEY, folder.resolve("tls.key").toString());
    return settings;
  }

  /** Writes the certificate and key that the server uses. */
  private void use(String name) throws Exception {
    for (String suffix : List.of(".crt", ".key")) {
      Files.copy(
          shared.resolve(name + suffix),
          folder.resolve("tls" + suffix),
          StandardCopyOption.REPLACE_EXISTING);
    }
  }

  private RunningServer start(Map<Setting, String> settings) {
    RunningServer server = RunningServer.with(settings);
    open.add(0, server);
    return server;
  }

  /**
   * Returns a new connection.
   *
   * @param own the client certificate; null for none
   */
  private EnvoyClient client(RunningServer server, String trusted, @Nullable String own)
      throws Exception {
    SslContextBuilder tls =
        GrpcSslContexts.forClient().trustManager(shared.resolve(trusted + ".crt").toFile());
    if (own != null) {
      tls.keyManager(shared.resolve(own + ".crt").toFile(), shared.resolve(own + ".key").toFile());
    }
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", server.server().envoyPort().orElseThrow())
            .sslContext(tls.build())
            .build();
    EnvoyClient client = new EnvoyClient(channel);
    open.add(0, client);
    return client;
  }

  private static boolean isServed(EnvoyClient client) {
    return client.ask("shop", descriptor("user=ann")).getOverallCode() == Code.OK;
  }

  private static Status.Code failure(EnvoyClient client) {
    return catchThrowableOfType(StatusRuntimeException.class, () -> isServed(client))
        .getStatus()
        .getCode();
  }

  @Test
  void ask_withTls_isAnswered() throws Exception {
    RunningServer server = start(settings());

    assertThat(isServed(client(server, "server", null))).isTrue();
    assertThat(failure(client(server, "other", null))).isEqualTo(Status.Code.UNAVAILABLE);
    EnvoyClient plaintext = new EnvoyClient(server.server().envoyPort().orElseThrow());
    open.add(0, plaintext);
    assertThat(failure(plaintext)).isEqualTo(Status.Code.UNAVAILABLE);
  }

  @Test
  void ask_withClientCa_needsACertificate() throws Exception {
    Map<Setting, String> settings = settings();
    settings.put(Setting.ENVOY_TLS_CLIENT_CA, shared.resolve("client.crt").toString());
    RunningServer server = start(settings);

    assertThat(isServed(client(server, "server", "client"))).isTrue();
    assertThat(failure(client(server, "server", "other"))).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(failure(client(server, "server", null))).isEqualTo(Status.Code.UNAVAILABLE);
  }

  @Test
  void files_changed_areUsedForNewConnections() throws Exception {
    RunningServer server = start(settings());
    EnvoyClient before = client(server, "server", null);
    assertThat(isServed(before)).isTrue();
    use("next");

    await("the new certificate")
        .until(
            () -> {
              try (EnvoyClient after = client(server, "next", null)) {
                return isServed(after);
              } catch (StatusRuntimeException old) {
                return false;
              }
            });
    assertThat(isServed(before)).isTrue();
    assertThat(server.admin("/metrics").body())
        .contains("penstock_tls_reloads_total{listener=\"envoy\",outcome=\"accepted\"} 1.0");
  }

  @Test
  void read_keyOfAnotherCertificate_isAnError() throws Exception {
    Map<Setting, String> settings = settings();
    settings.put(Setting.ENVOY_TLS_KEY, shared.resolve("other.key").toString());

    assertThatThrownBy(() -> SettingsReader.read(settings, Map.of(), null))
        .isInstanceOf(SettingsReader.SettingsException.class)
        .hasMessageStartingWith("--envoy-tls-key: ");
  }
}
