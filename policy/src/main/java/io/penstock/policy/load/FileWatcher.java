package io.penstock.policy.load;

import io.penstock.NanoClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Watches a file, or the files of a folder, for changes. Thread-safe; the listener is called by one
 * thread at a time.
 *
 * <p>The watcher polls instead of using file system notifications. So it handles editors that write
 * by renaming, config maps that swap links, network mounts and deletions in the same way. A change
 * is read once all files have been stable for {@link #QUIET_PERIOD}, because the first half of a
 * file that is being written may also be valid. The listener is called only if the content has
 * changed. Files that the loader reads besides, such as those of secrets, are watched, too.
 *
 * @param <T> what is loaded from the files
 */
public class FileWatcher<T> implements AutoCloseable {
  /** The polling interval. */
  public static final Duration INTERVAL = Duration.ofMillis(250);

  /** How long files have to be stable before a change is read. */
  public static final Duration QUIET_PERIOD = Duration.ofSeconds(2);

  /**
   * Receives what was loaded, and errors.
   *
   * @param <T> what is loaded
   */
  public interface WatchListener<T> {
    /**
     * Called with what to use from now on. If this method throws, {@link #onRejected} is called
     * with the exception.
     */
    void onLoaded(T loaded);

    /**
     * Called once for each change that can't be used. What was loaded before stays active.
     *
     * @param reasons has a cause if loading failed because of an internal error
     */
    void onRejected(PolicyException reasons);
  }

  /** Lists the files below a file or folder. */
  public interface FileListing {
    List<Path> under(Path root) throws IOException;
  }

  private final Path root;
  private final FileListing listing;
  private final Duration interval;
  private final WatchListener<T> listener;
  private final Duration quietPeriod;
  private final NanoClock time;
  private final Function<ReadFiles, T> loader;
  private final Clock clock = Clock.systemUTC();
  private long seenNanos;
  private @Nullable ReadFiles loadedFiles;
  private @Nullable FileSignature loadedSignature;
  private @Nullable FileSignature seen;
  private @Nullable Thread thread;
  private boolean closed;

  /**
   * Creates a watcher that polls every {@link #INTERVAL} once it is started.
   *
   * @param loader loads the files, and records those that it reads
   */
  public FileWatcher(Path fileOrFolder, Function<ReadFiles, T> loader, WatchListener<T> listener) {
    this(fileOrFolder, PolicyFiles::under, loader, listener);
  }

  /** Like the other constructor, for the files of a folder that {@code listing} returns. */
  public FileWatcher(
      Path fileOrFolder,
      FileListing listing,
      Function<ReadFiles, T> loader,
      WatchListener<T> listener) {
    this(fileOrFolder, listing, INTERVAL, QUIET_PERIOD, listener, NanoClock.system(), loader);
  }

  FileWatcher(
      Path fileOrFolder,
      FileListing listing,
      Duration interval,
      Duration quietPeriod,
      WatchListener<T> listener,
      NanoClock time,
      Function<ReadFiles, T> loader) {
    if (interval.isNegative() || interval.isZero()) {
      throw new IllegalArgumentException("interval must be positive: " + interval);
    }
    this.root = fileOrFolder;
    this.listing = listing;
    this.interval = interval;
    this.quietPeriod = quietPeriod;
    this.listener = listener;
    this.time = time;
    this.loader = loader;
  }

  /**
   * Loads the files now and returns the result without calling the listener. Later changes are
   * compared with this version.
   *
   * @throws PolicyException if they can't be used
   */
  public synchronized T load() {
    ReadFiles read = new ReadFiles();
    try {
      return loader.apply(read);
    } finally {
      loadedFiles = read;
      loadedSignature = null;
      recordSeen(FileSignature.of(root, listing, read.files()));
    }
  }

  /** Loads the files now and calls the listener, whether or not anything has changed. */
  public synchronized void reload() {
    try {
      listener.onLoaded(load());
    } catch (PolicyException e) {
      listener.onRejected(e);
    } catch (RuntimeException | StackOverflowError e) {
      listener.onRejected(PolicyException.internalError(Location.of(root.toString()), e));
    }
  }

  /** Checks for changes once. */
  public synchronized void poll() {
    if (closed) {
      return;
    }
    FileSignature now =
        FileSignature.of(root, listing, loadedFiles == null ? Set.of() : loadedFiles.files());
    if (now.equals(loadedSignature)) {
      return;
    }
    if (!now.equals(seen)) {
      recordSeen(now);
      return;
    }
    if (time.nanos() - seenNanos < quietPeriod.toNanos()) {
      return;
    }
    if (loadedFiles != null && ReadFiles.now(now.files()).sameAs(loadedFiles)) {
      loadedSignature = now.isFresh(clock.instant()) ? null : now;
      return;
    }
    reload();
  }

  private void recordSeen(FileSignature now) {
    seen = now;
    seenNanos = time.nanos();
  }

  /** Starts checking for changes in a daemon thread. */
  public synchronized void start() {
    if (closed || thread != null) {
      throw new IllegalStateException("a watcher can be started once, before it is closed");
    }
    Thread watcherThread = new Thread(this::run, "penstock-file-watcher");
    watcherThread.setDaemon(true);
    watcherThread.start();
    thread = watcherThread;
  }

  /** Stops the watcher. The listener is not called afterwards. */
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
        poll();
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
