package io.penstock.server;

import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.server.http.HttpListener;
import io.penstock.server.tls.TlsException;
import io.penstock.server.tls.TlsFiles;
import io.penstock.server.tls.TlsMaterial;
import io.penstock.server.tls.TlsReloader;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** The certificates of all listeners with TLS, and their reloads. Thread-safe. */
final class ListenerCertificates implements AutoCloseable {
  private final MeterRegistry registry;
  private final List<TlsReloader> reloaders = new CopyOnWriteArrayList<>();

  ListenerCertificates(MeterRegistry registry) {
    this.registry = registry;
  }

  /**
   * Loads the certificates of a listener.
   *
   * @param setting the setting that errors refer to
   * @throws StartException if they are invalid
   */
  static Optional<TlsMaterial> load(Setting setting, Optional<TlsFiles> files) {
    return files.map(
        given -> {
          try {
            return TlsMaterial.load(given);
          } catch (TlsException e) {
            throw StartException.unusable(setting, e);
          }
        });
  }

  /**
   * Reloads the certificates of a listener when their files change.
   *
   * @param name the name of the listener in metrics
   */
  void watch(String name, Optional<TlsMaterial> first, HttpListener listener) {
    first.ifPresent(
        material -> reloaders.add(new TlsReloader(name, material, listener::updateTls, registry)));
  }

  /** Returns the state of all certificates; empty if no listener has any. */
  Optional<TlsReloader.CertificateStatus> status() {
    return reloaders.stream().map(TlsReloader::state).reduce(TlsReloader.CertificateStatus::and);
  }

  /** Reloads all certificates immediately, changed or not. */
  void reload() {
    reloaders.forEach(TlsReloader::reload);
  }

  @Override
  public void close() {
    reloaders.forEach(TlsReloader::close);
  }
}
