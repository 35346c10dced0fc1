package io.penstock.policy.load;

import io.penstock.NanoClock;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells when a policy has changed. Thread-safe; the listener is called by one thread at a time.
 *
 * <p>It looks at the files again and again instead of asking to be notified: editors that write by
 * renaming, config maps that swap links, network mounts and deletions are all the same to it. What
 * has changed is read once all files have looked the same for {@link #SETTLE}, because the first
 * half of a file that is being written may be a policy too, and is only told if what is in the
 * files has changed. Files that the policy names, such as those of secrets, are watched with it.
 */
public final class PolicyWatcher implements AutoCloseable {
  /** How often to look. */
  public static final Duration INTERVAL = Duration.ofMillis(250);

  /** How long files must have looked the same before a change is read. */
  public static final Duration SETTLE = Duration.ofSeconds(2);

  /** Is told of policies, good and bad. */
  public interface PolicyListener {
    /** There is a policy, to be used from now on. */
    void onLoaded(LoadedPolicy policy);

    /** What is there now can't be used: what was loaded before stays. Told once for each change. */
    void onRejected(PolicyException reasons);
  }

  private final Path root;
  private final Duration interval;
  private final PolicyListener listener;
  private final Duration settle;
  private final NanoClock time;
  private final Clock clock = Clock.systemUTC();
  private long seenNanos;
  private @Nullable ReadFiles known;
  private @Nullable FileSignature settled;
  private @Nullable FileSignature seen;
  private @Nullable Thread thread;
  private boolean closed;

  /** A watcher that looks every {@link #INTERVAL} once it is started. */
  public PolicyWatcher(Path fileOrFolder, PolicyListener listener) {
    this(fileOrFolder, INTERVAL, listener);
  }

  public PolicyWatcher(Path fileOrFolder, Duration interval, PolicyListener listener) {
    this(fileOrFolder, interval, SETTLE, listener, NanoClock.system());
  }

  PolicyWatcher(
      Path fileOrFolder,
      Duration interval,
      Duration settle,
      PolicyListener listener,
      NanoClock time) {
    if (interval.isNegative() || interval.isZero()) {
      throw new IllegalArgumentException("interval must be positive: " + interval);
    }
    this.root = fileOrFolder;
    this.interval = interval;
    this.settle = settle;
    this.listener = listener;
    this.time = time;
  }

  /**
   * Reads the policy now and tells the caller rather than the listener. What is there now is then
   * known, and only changes are told.
   *
   * @throws PolicyException if it can't be used
   */
  public synchronized LoadedPolicy load() {
    ReadFiles read = new ReadFiles();
    try {
      return PolicyLoader.load(root, read);
    } finally {
      known = read;
      settled = null;
      see(FileSignature.of(root, read.files()));
    }
  }

  /** Reads the policy now and tells the listener, whether or not anything has changed. */
  public synchronized void reload() {
    LoadedPolicy loaded;
    try {
      loaded = load();
    } catch (PolicyException e) {
      listener.onRejected(e);
      return;
    }
    listener.onLoaded(loaded);
  }

  /** Looks once. */
  public synchronized void look() {
    if (closed) {
      return;
    }
    FileSignature now = FileSignature.of(root, known == null ? Set.of() : known.files());
    if (now.equals(settled)) {
      return;
    }
    if (!now.equals(seen)) {
      see(now);
      return;
    }
    if (time.nanos() - seenNanos < settle.toNanos()) {
      return;
    }
    if (known != null && ReadFiles.now(now.files()).sameAs(known)) {
      settled = now.isFresh(clock.instant()) ? null : now;
      return;
    }
    reload();
  }

  private void see(FileSignature now) {
    seen = now;
    seenNanos = time.nanos();
  }

  /** Looks regularly from now on, in a thread that keeps no process alive. */
  public synchronized void start() {
    if (closed || thread != null) {
      throw new IllegalStateException("a watcher can be started once, before it is closed");
    }
    Thread looking = new Thread(this::run, "penstock-policy-watcher");
    looking.setDaemon(true);
    looking.start();
    thread = looking;
  }

  /** Stops looking; nothing is told afterwards. */
  @Override
  public synchronized void close() {
    closed = true;
    if (thread != null) {
      thread.interrupt();
    }
  }

  private void run() {
    Thread self = Thread.currentThread();
    while (!isClosed()) {
      try {
        Thread.sleep(interval.toMillis());
        look();
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException | Error e) {
        self.getUncaughtExceptionHandler().uncaughtException(self, e);
      }
    }
  }

  private synchronized boolean isClosed() {
    return closed;
  }
}
