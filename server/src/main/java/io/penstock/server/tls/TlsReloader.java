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
 * Puts new certificates into effect when their files change, for connections that begin afterwards.
 * Thread-safe.
 *
 * <p>Files are looked at once a second, and read when they are the same at two looks: a certificate
 * and its key are seldom written at the same time. What can't be used changes nothing; it is
 * logged, counted and reported by {@code /readyz}.
 */
public final class TlsReloader implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TlsReloader.class);
  private static final long PERIOD_MILLIS = 1_000;
  private static final long APPLY_SECONDS = 30;

  private final TlsFiles files;
  private final Function<ServerSSLOptions, Future<?>> apply;
  private final Counter accepted;
  private final Counter rejected;
  private final Thread thread = new Thread(this::watch, "penstock-tls");
  private volatile TlsMaterial current;
  private volatile @Nullable String problem;
  private byte @Nullable [] inEffect;
  private byte @Nullable [] seen;

  /**
   * How things stand. Immutable.
   *
   * @param problem why the files as they are now are not in effect, or what is wrong with what is;
   *     null if nothing is
   */
  public record CertificateStatus(
      int certificates, Instant loadedAt, Instant expiry, @Nullable String problem) {}

  /**
   * @param first what the listener began with
   * @param apply gives it to the listener
   */
  public TlsReloader(
      TlsFiles files,
      TlsMaterial first,
      Function<ServerSSLOptions, Future<?>> apply,
      MeterRegistry registry) {
    this.files = files;
    this.apply = apply;
    this.accepted = outcome(registry, "accepted");
    this.rejected = outcome(registry, "rejected");
    this.current = first;
    this.inEffect = first.fingerprint();
    this.seen = inEffect;
    TimeGauge.builder(
            "penstock.tls.certificate.expiry.timestamp",
            () -> current.expiry().getEpochSecond(),
            TimeUnit.SECONDS)
        .description("When the first certificate of the proxy expires")
        .register(registry);
    first.warnings().forEach(LOG::warn);
    thread.setDaemon(true);
    thread.start();
  }

  private static Counter outcome(MeterRegistry registry, String outcome) {
    return Counter.builder("penstock.tls.reloads")
        .description("Changes of certificates and keys")
        .tag("outcome", outcome)
        .register(registry);
  }

  public CertificateStatus state() {
    TlsMaterial served = current;
    String rejection = problem;
    return new CertificateStatus(
        served.certificates(),
        served.loadedAt(),
        served.expiry(),
        rejection == null ? served.invalidity() : rejection);
  }

  private void watch() {
    try {
      while (true) {
        TimeUnit.MILLISECONDS.sleep(PERIOD_MILLIS);
        look(false);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Reads the files at once, changed or not. */
  public void reload() {
    look(true);
  }

  private synchronized void look(boolean now) {
    byte[] content;
    try {
      content = TlsMaterial.fingerprint(files);
    } catch (IOException e) {
      // Whatever is there afterwards is read, changed or not.
      inEffect = null;
      reject("a file of TLS can't be read: " + e.getMessage());
      return;
    }
    boolean same = Arrays.equals(content, seen);
    seen = content;
    if (now || (same && !Arrays.equals(content, inEffect))) {
      inEffect = content;
      take();
    }
  }

  private void take() {
    try {
      TlsMaterial next = TlsMaterial.load(files);
      apply.apply(next.options()).await(APPLY_SECONDS, TimeUnit.SECONDS);
      current = next;
      problem = null;
      accepted.increment();
      LOG.info("TLS certificates reloaded; the first expires at {}", next.expiry());
      next.warnings().forEach(LOG::warn);
    } catch (TlsException e) {
      reject(String.valueOf(e.getMessage()));
    } catch (Exception e) {
      // Of the server, which goes on with what it has.
      reject("certificates can't be put into effect: " + e.getMessage());
    }
  }

  private void reject(String reason) {
    if (reason.equals(problem)) {
      return;
    }
    problem = reason;
    rejected.increment();
    LOG.warn("TLS certificates stay as they were: {}", reason);
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
