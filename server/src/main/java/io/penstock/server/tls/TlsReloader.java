package io.penstock.server.tls;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.vertx.core.Future;
import io.vertx.core.net.ServerSSLOptions;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reloads certificates when their files change; new connections use the new ones. Thread-safe.
 *
 * <p>The files are checked once a second and loaded when two checks find the same content, because
 * a certificate and its key are rarely written at the same time. Invalid files change nothing; the
 * error is logged, counted and reported by {@code /readyz}.
 */
public final class TlsReloader implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TlsReloader.class);
  private static final long PERIOD_MILLIS = 1_000;
  private static final long APPLY_TIMEOUT_SECONDS = 30;

  private final TlsFiles files;
  private final Function<ServerSSLOptions, Future<?>> apply;
  private final Counter accepted;
  private final Counter rejected;
  private final Thread thread = new Thread(this::watch, "penstock-tls");
  private volatile TlsMaterial current;
  private volatile @Nullable String problem;
  private byte @Nullable [] loaded;
  private byte @Nullable [] seen;

  /**
   * The state of the certificates. Immutable.
   *
   * @param problem why the current files are not in effect, or why the active certificates are
   *     invalid; null if there is no problem
   */
  public record CertificateStatus(
      int certificates, Instant loadedAt, Instant expiry, @Nullable String problem) {
    /** Returns the state of these certificates and those of another listener. */
    public CertificateStatus and(CertificateStatus other) {
      return new CertificateStatus(
          certificates + other.certificates,
          loadedAt.isAfter(other.loadedAt) ? loadedAt : other.loadedAt,
          expiry.isBefore(other.expiry) ? expiry : other.expiry,
          problem == null ? other.problem : problem);
    }
  }

  /**
   * @param listener the name of the listener in metrics
   * @param first the certificates that the listener was started with
   * @param apply applies new certificates to the listener
   */
  public TlsReloader(
      String listener,
      TlsMaterial first,
      Function<ServerSSLOptions, Future<?>> apply,
      MeterRegistry registry) {
    this.files = first.files();
    this.apply = apply;
    this.accepted = outcome(registry, listener, "accepted");
    this.rejected = outcome(registry, listener, "rejected");
    this.current = first;
    this.loaded = first.fingerprint();
    this.seen = loaded;
    TimeGauge.builder(
            "penstock.tls.certificate.expiry.timestamp",
            () -> current.expiry().getEpochSecond(),
            TimeUnit.SECONDS)
        .description("Expiry time of the certificate that expires first")
        .tag("listener", listener)
        .register(registry);
    first.warnings().forEach(LOG::warn);
    thread.setDaemon(true);
    thread.start();
  }

  private static Counter outcome(MeterRegistry registry, String listener, String outcome) {
    return Counter.builder("penstock.tls.reloads")
        .description("Reloads of certificates")
        .tag("listener", listener)
        .tag("outcome", outcome)
        .register(registry);
  }

  public CertificateStatus state() {
    TlsMaterial active = current;
    String rejection = problem;
    return new CertificateStatus(
        active.certificates(),
        active.loadedAt(),
        active.expiry(),
        rejection == null ? active.invalidity() : rejection);
  }

  private void watch() {
    try {
      while (true) {
        TimeUnit.MILLISECONDS.sleep(PERIOD_MILLIS);
        check(false);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Reloads the files immediately, changed or not. */
  public void reload() {
    check(true);
  }

  private synchronized void check(boolean force) {
    byte[] content;
    try {
      content = TlsMaterial.fingerprint(files);
    } catch (IOException e) {
      // The next readable content is loaded even if it has not changed.
      loaded = null;
      reject("cannot read a TLS file: " + e.getMessage());
      return;
    }
    boolean same = Arrays.equals(content, seen);
    seen = content;
    if (force || (same && !Arrays.equals(content, loaded))) {
      loaded = content;
      load();
    }
  }

  private void load() {
    try {
      TlsMaterial next = TlsMaterial.load(files);
      apply.apply(next.options()).await(APPLY_TIMEOUT_SECONDS, TimeUnit.SECONDS);
      current = next;
      problem = null;
      accepted.increment();
      LOG.info("TLS certificates reloaded; the first expires at {}", next.expiry());
      next.warnings().forEach(LOG::warn);
    } catch (TlsException e) {
      reject(String.valueOf(e.getMessage()));
    } catch (Exception e) {
      // The server rejected the options and keeps the current ones.
      reject("cannot apply certificates: " + e.getMessage());
    }
  }

  private void reject(String reason) {
    if (reason.equals(problem)) {
      return;
    }
    problem = reason;
    rejected.increment();
    LOG.warn("TLS certificates not reloaded; the current ones stay in effect: {}", reason);
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
