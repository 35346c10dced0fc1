package io.penstock.policy.load;

import io.penstock.NanoClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.function.Function;

/** Watches a policy for changes. Thread-safe; the listener is called by one thread at a time. */
public final class PolicyWatcher extends FileWatcher<LoadedPolicy> {
  /** Receives new policies and errors. */
  public interface PolicyListener extends WatchListener<LoadedPolicy> {}

  /** Creates a watcher that polls every {@link #INTERVAL} once it is started. */
  public PolicyWatcher(Path fileOrFolder, PolicyListener listener) {
    this(fileOrFolder, INTERVAL, listener);
  }

  /**
   * Like {@link #PolicyWatcher(Path, PolicyListener)}, in an application that supplies attributes
   * of its own.
   *
   * @param supplied the names of these attributes, which rules may use without a declaration
   */
  public PolicyWatcher(Path fileOrFolder, PolicyListener listener, Set<String> supplied) {
    this(
        fileOrFolder,
        INTERVAL,
        QUIET_PERIOD,
        listener,
        NanoClock.system(),
        loader(fileOrFolder, Set.copyOf(supplied)));
  }

  public PolicyWatcher(Path fileOrFolder, Duration interval, PolicyListener listener) {
    this(fileOrFolder, interval, QUIET_PERIOD, listener, NanoClock.system());
  }

  PolicyWatcher(
      Path fileOrFolder,
      Duration interval,
      Duration quietPeriod,
      PolicyListener listener,
      NanoClock time) {
    this(fileOrFolder, interval, quietPeriod, listener, time, loader(fileOrFolder, Set.of()));
  }

  /**
   * @param loader loads the policy, and records the files that it reads
   */
  PolicyWatcher(
      Path fileOrFolder,
      Duration interval,
      Duration quietPeriod,
      PolicyListener listener,
      NanoClock time,
      Function<ReadFiles, LoadedPolicy> loader) {
    super(fileOrFolder, PolicyFiles::under, interval, quietPeriod, listener, time, loader);
  }

  private static Function<ReadFiles, LoadedPolicy> loader(Path root, Set<String> supplied) {
    return read -> PolicyLoader.load(root, supplied, read);
  }
}
