package io.penstock.server.proxy;

import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.server.Setting;
import io.penstock.server.SettingsReader;
import io.penstock.server.SettingsReader.SettingsException;
import io.penstock.server.tls.TlsFiles;
import io.penstock.server.tls.TlsMaterial;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * TLS of the proxy listener: certificates, client authentication, versions and ciphers, with JDK
 * sockets.
 */
class ProxyTlsTest {
  private static final String REQUEST = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

  @TempDir private static Path shared;
  private static TestPki pki;

  @TempDir private Path folder;

  @BeforeAll
  static void makeCertificates() throws Exception {
    String own = "san=ip:127.0.0.1,dns:one.example";
    pki =
        new TestPki(shared)
            .make("ec", "EC", "-ext", own)
            .make("rsa", "RSA", "-ext", own)
            .make("short", "RSA", "-keysize", "1024", "-ext", own)
            .make("two", "RSA", "-ext", "san=dns:two.example,dns:*.two.example")
            .make("known", "EC")
            .make("other", "EC")
            .make("expired", "EC", "-startdate", "-10d", "-validity", "5");
  }

  private Map<Setting, String> tls(String... aliases) throws Exception {
    List<String> certificates = new ArrayList<>();
    List<String> keys = new ArrayList<>();
    for (String alias : aliases) {
      certificates.add(pki.certificate(alias, folder).toString());
      keys.add(pki.key(alias, folder).toString());
    }
    Map<Setting, String> settings = new EnumMap<>(Setting.class);
    settings.put(Setting.PROXY_TLS_CERT, String.join(",", certificates));
    settings.put(Setting.PROXY_TLS_KEY, String.join(",", keys));
    settings.put(Setting.UPSTREAM, "http://localhost");
    return settings;
  }

  private ProxyFixture proxy(TestOrigin origin, Map<Setting, String> settings) {
    settings.put(Setting.UPSTREAM, origin.url());
    return new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url(), settings);
  }

  private static TestOrigin origin() {
    return new TestOrigin(request -> request.response().end("hello"));
  }

  /** Sends a request over TLS, and returns the certificate of the server. */
  private static X509Certificate ask(
      ProxyFixture proxy,
      SSLContext context,
      @Nullable String host,
      String @Nullable [] suites,
      String @Nullable [] protocols)
      throws IOException {
    try (SSLSocket socket =
        (SSLSocket)
            context
                .getSocketFactory()
                .createSocket(InetAddress.getLoopbackAddress(), proxy.port())) {
      socket.setSoTimeout(20_000);
      SSLParameters parameters = socket.getSSLParameters();
      if (host != null) {
        parameters.setServerNames(List.of(new SNIHostName(host)));
      }
      if (suites != null) {
        parameters.setCipherSuites(suites);
      }
      if (protocols != null) {
        parameters.setProtocols(protocols);
      }
      socket.setSSLParameters(parameters);
      socket.getOutputStream().write(REQUEST.getBytes(US_ASCII));
      socket.getOutputStream().flush();
      String answer = new String(socket.getInputStream().readAllBytes(), US_ASCII);
      if (!answer.startsWith("HTTP/1.1 200 ")) {
        throw new IOException("answered: " + answer);
      }
      return (X509Certificate) socket.getSession().getPeerCertificates()[0];
    }
  }

  private static X509Certificate ask(ProxyFixture proxy, SSLContext context) throws IOException {
    return ask(proxy, context, null, null, null);
  }

  @Test
  void start_keyOfAnotherCertificate_isRejected() throws Exception {
    Path certificate = pki.certificate("ec", folder);
    for (String other : List.of("other", "rsa")) {
      Path key = pki.key(other, folder);
      assertThatThrownBy(
              () ->
                  SettingsReader.read(
                      Map.of(
                          Setting.UPSTREAM,
                          "http://localhost",
                          Setting.PROXY_TLS_CERT,
                          certificate.toString(),
                          Setting.PROXY_TLS_KEY,
                          key.toString()),
                      Map.of(),
                      null))
          .isInstanceOf(SettingsException.class)
          .hasMessage(
              "--proxy-tls-key: "
                  + key
                  + " is not the private key of the certificate "
                  + certificate);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "ec, TLSv1.2, TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, EC",
    "rsa, TLSv1.2, TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, RSA"
  })
  void start_keyTypeWithoutSuite_isRejected(
      String alias, String protocol, String suite, String keyType) throws Exception {
    Map<Setting, String> settings = tls(alias);
    settings.put(Setting.PROXY_TLS_PROTOCOLS, protocol);
    settings.put(Setting.PROXY_TLS_CIPHERS, suite);
    assertThatThrownBy(() -> SettingsReader.read(settings, Map.of(), null))
        .isInstanceOf(SettingsException.class)
        .hasMessage(
            "--proxy-tls-cert: no client can connect: proxy_tls_protocols and proxy_tls_ciphers"
                + " allow no handshake with the "
                + keyType
                + " key of "
                + settings.get(Setting.PROXY_TLS_CERT));
  }

  /** Vert.x reads the file when the first connection is opened, and only in PEM format. */
  @Test
  void start_upstreamCaInDerFormat_isRejected() throws Exception {
    Path der = Files.write(folder.resolve("ca.der"), pki.x509("ec").getEncoded());
    assertThatThrownBy(
            () ->
                SettingsReader.read(
                    Map.of(
                        Setting.UPSTREAM, "https://localhost", Setting.UPSTREAM_CA, der.toString()),
                    Map.of(),
                    null))
        .isInstanceOf(SettingsException.class)
        .hasMessage("--upstream-ca: must contain certificates in PEM format: " + der);
  }

  @Test
  void start_unsupportedCurve_isRejectedAsSuch() throws Exception {
    Path certificate = resource("secp256k1.crt");
    Path key = resource("secp256k1.key");
    assertThatThrownBy(
            () ->
                SettingsReader.read(
                    Map.of(
                        Setting.UPSTREAM,
                        "http://localhost",
                        Setting.PROXY_TLS_CERT,
                        certificate.toString(),
                        Setting.PROXY_TLS_KEY,
                        key.toString()),
                    Map.of(),
                    null))
        .isInstanceOf(SettingsException.class)
        .hasMessageStartingWith("--proxy-tls-key: this JVM does not support the curve or size")
        .hasMessageContaining("secp256k1");
  }

  private Path resource(String name) throws IOException {
    try (InputStream content = ProxyTlsTest.class.getResourceAsStream(name)) {
      return Files.write(folder.resolve(name), Objects.requireNonNull(content).readAllBytes());
    }
  }

  @Test
  void warnings_shortKeyOrProtocolWithoutSuite_areReported() throws Exception {
    List<String> suites =
        List.of("TLS_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256");
    TlsFiles files =
        new TlsFiles(
            List.of(new TlsFiles.Pair(pki.certificate("short", folder), pki.key("short", folder))),
            Optional.empty(),
            false,
            List.of("TLSv1.2", "TLSv1.3"),
            suites);
    assertThat(TlsMaterial.load(files).warnings())
        .containsExactly(
            "the RSA key of CN=short has only 1024 bits; clients may reject keys of less than 2048",
            "no client can connect with TLSv1.2: proxy_tls_ciphers has no suite for the type of the"
                + " keys");
  }

  @Test
  void reload_keyTypeWithoutSuite_keepsTheCurrentCertificate() throws Exception {
    Map<Setting, String> settings = tls("rsa");
    settings.put(Setting.PROXY_TLS_PROTOCOLS, "TLSv1.2");
    settings.put(Setting.PROXY_TLS_CIPHERS, "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256");
    try (TestOrigin origin = origin();
        ProxyFixture proxy = proxy(origin, settings)) {
      Path certificate = Path.of(settings.get(Setting.PROXY_TLS_CERT));
      Path key = Path.of(settings.get(Setting.PROXY_TLS_KEY));
      Files.copy(pki.certificate("ec", shared), certificate, StandardCopyOption.REPLACE_EXISTING);
      Files.copy(pki.key("ec", shared), key, StandardCopyOption.REPLACE_EXISTING);
      proxy.server().server().reload();

      await().until(() -> readiness(proxy).contains("no client can connect"));
      assertThat(readiness(proxy)).contains("\"degraded\":true");
      assertThat(ask(proxy, pki.client())).isEqualTo(pki.x509("rsa"));
      assertThat(proxy.server().admin("/metrics").body())
          .contains("penstock_tls_reloads_total{listener=\"proxy\",outcome=\"accepted\"} 0.0");
    }
  }

  @Test
  void start_ownCertificateNotFirst_isRejected() throws Exception {
    Path chain = folder.resolve("chain.pem");
    Files.writeString(
        chain,
        Files.readString(pki.certificate("two", folder))
            + Files.readString(pki.certificate("rsa", folder)));
    Map<Setting, String> settings = tls("rsa");
    settings.put(Setting.PROXY_TLS_CERT, chain.toString());

    assertThatThrownBy(() -> SettingsReader.read(settings, Map.of(), null))
        .hasMessageContaining("must be the first of its chain: " + chain);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n"})
  void start_noCertificateInTheFile_isRejected(String content) throws Exception {
    Path file = Files.writeString(folder.resolve("bad.pem"), content);
    assertThatThrownBy(
            () ->
                SettingsReader.read(
                    Map.of(
                        Setting.UPSTREAM,
                        "http://localhost",
                        Setting.PROXY_TLS_CERT,
                        file.toString(),
                        Setting.PROXY_TLS_KEY,
                        file.toString()),
                    Map.of(),
                    null))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining(file.toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "TLS_AES_128_GCM_SHA256,TLS_AES_256_GCM_SHA384,TLS_CHACHA20_POLY1305_SHA256",
        "TLS_AES_256_GCM_SHA384,TLS_CHACHA20_POLY1305_SHA256,TLS_AES_128_GCM_SHA256",
        "TLS_CHACHA20_POLY1305_SHA256,TLS_AES_128_GCM_SHA256,TLS_AES_256_GCM_SHA384",
        "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
        "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"
      })
  void connect_suitesInAnotherOrder_thePreferredOneIsUsed(String suites) throws Exception {
    List<String> preferred = List.of(suites.split(","));
    String[] reversed = new String[preferred.size()];
    for (int i = 0; i < reversed.length; i++) {
      reversed[i] = preferred.get(reversed.length - 1 - i);
    }
    Map<Setting, String> settings = tls("ec");
    settings.put(Setting.PROXY_TLS_CIPHERS, suites);
    settings.put(Setting.PROXY_TLS_PROTOCOLS, suites.contains("_WITH_") ? "TLSv1.2" : "TLSv1.3");
    try (TestOrigin origin = origin();
        ProxyFixture proxy = proxy(origin, settings);
        SSLSocket socket =
            (SSLSocket)
                pki.client()
                    .getSocketFactory()
                    .createSocket(InetAddress.getLoopbackAddress(), proxy.port())) {
      socket.setSoTimeout(20_000);
      socket.setEnabledCipherSuites(reversed);
      assertThat(socket.getSession().getCipherSuite()).isEqualTo(preferred.get(0));
    }
  }

  @Test
  void connect_staticRsaOrCbc_isRejectedAndOthersAreAccepted() throws Exception {
    try (TestOrigin origin = origin();
        ProxyFixture proxy = proxy(origin, tls("rsa"))) {
      String[] old = {"TLSv1.2"};
      for (String weak :
          List.of(
              "TLS_RSA_WITH_AES_128_GCM_SHA256",
              "TLS_RSA_WITH_AES_128_CBC_SHA256",
              "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256",
              "TLS_DHE_RSA_WITH_AES_256_CBC_SHA256")) {
        assertThatThrownBy(() -> ask(proxy, pki.client(), null, new String[] {weak}, old))
            .as(weak)
            .isInstanceOf(IOException.class)
            // Newer JDKs disable static RSA in the client itself. ProxyTlsIT asks with OpenSSL.
            .hasMessageMatching("(?s).*(handshake_failure|No appropriate protocol).*");
      }
      for (String strong :
          List.of(
              "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
              "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256")) {
        ask(proxy, pki.client(), null, new String[] {strong}, old);
      }
      ask(proxy, pki.client(), null, null, new String[] {"TLSv1.3"});
    }
  }

  @Test
  void connect_oneProtocolEnabled_rejectsTheOther() throws Exception {
    Map<Setting, String> settings = tls("ec");
    settings.put(Setting.PROXY_TLS_PROTOCOLS, "TLSv1.3");
    try (TestOrigin origin = origin();
        ProxyFixture proxy = proxy(origin, settings)) {
      assertThatThrownBy(() -> ask(proxy, pki.client(), null, null, new String[] {"TLSv1.2"}))
          .isInstanceOf(IOException.class);
      ask(proxy, pki.client(), null, null, new String[] {"TLSv1.3"});
    }
  }

  @Test
  void connect_severalCertificates_areSelectedByHost() throws Exception {
    try (TestOrigin origin = origin();
        ProxyFixture proxy = proxy(origin, tls("ec", "two"))) {
      for (String[] protocols : new String[][] {{"TLSv1.2"}, {"TLSv1.3"}}) {
        assertThat(ask(proxy, pki.client(), "one.example", null, protocols))
            .isEqualTo(pki.x509("ec"));
        assertThat(ask(proxy, pki.client(), "two.example", null, protocols))
            .isEqualTo(pki.x509("two"));
        assertThat(ask(proxy, pki.client(), "A.Two.Example", null, protocols))
            .isEqualTo(pki.x509("two"));
        assertThat(ask(proxy, pki.client(), "a.b.two.example", null, protocols))
            .isEqualTo(pki.x509("ec"));
        assertThat(ask(proxy, pki.client(), "other.example", null, protocols))
            .isEqualTo(pki.x509("ec"));
        assertThat(ask(proxy, pki.client(), null, null, protocols)).isEqualTo(pki.x509("ec"));
      }
    }
  }

  @Test
  void connect_rsaAndEcForOneHost_selectsWhatTheClientSupports() throws Exception {
    try (TestOrigin origin = origin();
        ProxyFixture proxy = proxy(origin, tls("ec", "rsa"))) {
      String[] old = {"TLSv1.2"};
      assertThat(
              ask(
                  proxy,
                  pki.client(),
                  null,
                  new String[] {"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"},
                  old))
          .isEqualTo(pki.x509("rsa"));
      assertThat(
              ask(
                  proxy,
                  pki.client(),
                  "one.example",
                  new String[] {"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"},
                  old))
          .isEqualTo(pki.x509("ec"));
    }
  }

  @Test
  void connect_clientCertificates_areRequestedAndVerified() throws Exception {
    Map<Setting, String> settings = tls("ec");
    settings.put(Setting.PROXY_TLS_CLIENT_CA, pki.certificate("known", folder).toString());
    for (String auth : List.of("required", "optional")) {
      settings.put(Setting.PROXY_TLS_CLIENT_AUTH, auth);
      try (TestOrigin origin = origin();
          ProxyFixture proxy = proxy(origin, settings)) {
        assertThat(ask(proxy, pki.client("known"))).isEqualTo(pki.x509("ec"));
        if (auth.equals("required")) {
          assertThatThrownBy(() -> ask(proxy, pki.client())).isInstanceOf(IOException.class);
        } else {
          assertThat(ask(proxy, pki.client())).isEqualTo(pki.x509("ec"));
        }
      }
    }
  }

  @Test
  void reload_filesChange_usesNewCertificateAndKeepsItIfNextIsInvalid() throws Exception {
    Map<Setting, String> settings = tls("ec");
    Path certificate = Path.of(settings.get(Setting.PROXY_TLS_CERT));
    Path key = Path.of(settings.get(Setting.PROXY_TLS_KEY));
    byte[] oldKey = Files.readAllBytes(key);
    try (TestOrigin origin = origin();
        ProxyFixture proxy = proxy(origin, settings)) {
      assertThat(ask(proxy, pki.client())).isEqualTo(pki.x509("ec"));

      Files.copy(pki.certificate("rsa", shared), certificate, StandardCopyOption.REPLACE_EXISTING);
      Files.copy(pki.key("rsa", shared), key, StandardCopyOption.REPLACE_EXISTING);
      await().until(() -> isServed(proxy, "rsa"));
      assertThat(readiness(proxy)).contains("\"degraded\":false", "\"problem\":null");

      Files.write(key, oldKey);
      await().until(() -> readiness(proxy).contains("is not the private key of the certificate"));
      assertThat(readiness(proxy)).contains("\"degraded\":true");
      assertThat(ask(proxy, pki.client())).isEqualTo(pki.x509("rsa"));
      assertThat(proxy.server().admin("/metrics").body())
          .contains("penstock_tls_reloads_total{listener=\"proxy\",outcome=\"accepted\"} 1.0")
          .contains("penstock_tls_reloads_total{listener=\"proxy\",outcome=\"rejected\"} 1.0")
          .contains(
              "penstock_tls_certificate_expiry_timestamp_seconds{listener=\"proxy\"} "
                  + (double) pki.x509("rsa").getNotAfter().toInstant().getEpochSecond());

      Files.copy(pki.key("rsa", shared), key, StandardCopyOption.REPLACE_EXISTING);
      await().until(() -> readiness(proxy).contains("\"degraded\":false"));
    }
  }

  @Test
  void reload_clientCaChanges_appliesToEarlierSessions() throws Exception {
    Map<Setting, String> settings = tls("ec");
    Path clientCa = pki.certificate("known", folder);
    settings.put(Setting.PROXY_TLS_CLIENT_CA, clientCa.toString());
    SSLContext one = pki.client("known");
    SSLContext two = pki.client("other");
    try (TestOrigin origin = origin();
        ProxyFixture proxy = proxy(origin, settings)) {
      ask(proxy, one);
      assertThatThrownBy(() -> ask(proxy, two)).isInstanceOf(IOException.class);

      Files.copy(pki.certificate("other", shared), clientCa, StandardCopyOption.REPLACE_EXISTING);
      proxy.server().server().reload();

      ask(proxy, two);
      assertThatThrownBy(() -> ask(proxy, one)).isInstanceOf(IOException.class);
    }
  }

  @Test
  void start_expiredCertificate_isServedAndReported() throws Exception {
    try (TestOrigin origin = origin();
        ProxyFixture proxy = proxy(origin, tls("expired"))) {
      assertThat(readiness(proxy)).contains("\"degraded\":true", "expired at");
    }
  }

  private static String readiness(ProxyFixture proxy) {
    return proxy.server().admin("/readyz").body();
  }

  private boolean isServed(ProxyFixture proxy, String alias) {
    try {
      return ask(proxy, pki.client()).equals(pki.x509(alias));
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
