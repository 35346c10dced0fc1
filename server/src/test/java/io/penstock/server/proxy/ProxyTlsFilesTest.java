package io.penstock.server.proxy;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.server.Setting;
import io.penstock.server.SettingsReader;
import io.penstock.server.SettingsReader.SettingsException;
import io.penstock.server.tls.TlsException;
import io.penstock.server.tls.TlsFiles;
import io.penstock.server.tls.TlsMaterial;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Special files in place of TLS files: opening a pipe without a writer would block forever. */
@Timeout(value = 90, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProxyTlsFilesTest {
  @TempDir private static Path shared;
  private static TestPki pki;

  @TempDir private Path folder;

  @BeforeAll
  static void makeCertificates() throws Exception {
    pki = new TestPki(shared).make("own", "EC", "-ext", "san=ip:127.0.0.1").make("known", "EC");
  }

  private Map<Setting, String> settings() throws Exception {
    Map<Setting, String> settings = new EnumMap<>(Setting.class);
    settings.put(Setting.UPSTREAM, "https://localhost");
    settings.put(Setting.PROXY_TLS_CERT, pki.certificate("own", folder).toString());
    settings.put(Setting.PROXY_TLS_KEY, pki.key("own", folder).toString());
    settings.put(Setting.PROXY_TLS_CLIENT_CA, pki.certificate("known", folder).toString());
    settings.put(Setting.PROXY_TLS_CLIENT_AUTH, "optional");
    return settings;
  }

  @ParameterizedTest
  @EnumSource(names = {"PROXY_TLS_CERT", "PROXY_TLS_KEY", "PROXY_TLS_CLIENT_CA", "UPSTREAM_CA"})
  void start_pipe_isRejected(Setting setting) throws Exception {
    Path pipe = makePipe(folder.resolve("pipe"));
    Map<Setting, String> settings = settings();
    settings.put(setting, pipe.toString());

    assertThatThrownBy(() -> SettingsReader.read(settings, Map.of(), null))
        .isInstanceOf(SettingsException.class)
        .hasMessage(setting.flag() + ": must be a regular file that can be read: " + pipe);
  }

  @Test
  void load_endlessOrLargeFile_isRejected() throws Exception {
    assertThatThrownBy(() -> TlsMaterial.checkAuthorities(Path.of("/dev/zero")))
        .isInstanceOf(TlsException.class)
        .hasMessage("cannot be read: /dev/zero: must be a regular file");
    Path large = folder.resolve("large");
    try (RandomAccessFile file = new RandomAccessFile(large.toFile(), "rw")) {
      file.setLength(1L << 40);
    }
    TlsFiles files =
        new TlsFiles(
            List.of(new TlsFiles.Pair(large, pki.key("own", folder))),
            Optional.empty(),
            false,
            List.of("TLSv1.3"),
            List.of("TLS_AES_128_GCM_SHA256"));
    assertThatThrownBy(() -> TlsMaterial.load(files))
        .isInstanceOf(TlsException.class)
        .hasMessage("cannot read a TLS file: " + large + ": must not be larger than 16 MiB");
  }

  /** The pipe is reported, and neither the watcher nor a requested reload of the rest hangs. */
  @ParameterizedTest
  @EnumSource(names = {"PROXY_TLS_CERT", "PROXY_TLS_KEY", "PROXY_TLS_CLIENT_CA"})
  void reload_pipe_isRejectedAndTheNextFileIsLoaded(Setting setting) throws Exception {
    Map<Setting, String> settings = settings();
    try (TestOrigin origin = new TestOrigin(request -> request.response().end("hello"))) {
      settings.put(Setting.UPSTREAM, origin.url());
      try (ProxyFixture proxy =
          new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url(), settings)) {
        Path file = Path.of(settings.get(setting));
        byte[] content = Files.readAllBytes(file);
        Files.delete(file);
        makePipe(file);

        proxy.server().server().reload();

        assertThat(readiness(proxy))
            .contains("\"degraded\":true", file + ": must be a regular file");
        Files.delete(file);
        Files.write(file, content);
        await().until(() -> readiness(proxy).contains("\"degraded\":false"));
      }
    }
  }

  private static Path makePipe(Path pipe) throws Exception {
    try {
      Process made = new ProcessBuilder("mkfifo", pipe.toString()).start();
      assumeTrue(made.waitFor(30, TimeUnit.SECONDS) && made.exitValue() == 0, "mkfifo works");
    } catch (IOException e) {
      assumeTrue(false, "mkfifo is there");
    }
    return pipe;
  }

  private static String readiness(ProxyFixture proxy) {
    return proxy.server().admin("/readyz").body();
  }
}
