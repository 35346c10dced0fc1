package io.penstock.policy.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.NanoClock;
import io.penstock.policy.Rule;
import io.penstock.testing.ManualClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PolicyWatcherTest {
  private static final Duration QUIET_PERIOD = PolicyWatcher.QUIET_PERIOD;

  @TempDir Path folder;

  private final ManualClock clock = new ManualClock();
  private final List<String> events = new ArrayList<>();
  private final List<PolicyException> rejections = new ArrayList<>();
  private final PolicyWatcher.PolicyListener listener =
      new PolicyWatcher.PolicyListener() {
        @Override
        public void onLoaded(LoadedPolicy policy) {
          events.add(names(policy));
        }

        @Override
        public void onRejected(PolicyException reasons) {
          events.add("rejected");
          rejections.add(reasons);
        }
      };

  private static String names(LoadedPolicy loaded) {
    return String.join(" ", loaded.policy().rules().stream().map(Rule::name).toList());
  }

  private static String rule(String name) {
    return "{name: " + name + ", limit_keys: [], rate: 1/s}\n";
  }

  private static String rules(String... names) {
    StringBuilder text = new StringBuilder("rules:\n");
    for (String name : names) {
      text.append("  - {name: ").append(name).append(", limit_keys: [k_").append(name);
      text.append("], rate: 1/s}\n");
    }
    return text.toString();
  }

  private Path write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private PolicyWatcher watching(Path path) {
    PolicyWatcher watcher = watcher(path, Duration.ZERO);
    watcher.load();
    return watcher;
  }

  private PolicyWatcher watcher(Path path, Duration quietPeriod) {
    return new PolicyWatcher(path, PolicyWatcher.INTERVAL, quietPeriod, listener, clock);
  }

  /**
   * Polls more often than a change needs to be reported, so that a second report would be noticed.
   */
  private static void pollRepeatedly(PolicyWatcher watcher) {
    for (int i = 0; i < 6; i++) {
      watcher.poll();
    }
  }

  @Test
  void poll_nothingLoadedYet_notifiesOnce() throws IOException {
    PolicyWatcher watcher = watcher(write("p.yaml", rule("a")), Duration.ZERO);

    pollRepeatedly(watcher);

    assertThat(events).containsExactly("a");
  }

  @Test
  void poll_nothingChanged_doesNotNotify() throws IOException {
    pollRepeatedly(watching(write("p.yaml", rule("a"))));

    assertThat(events).isEmpty();
  }

  @Test
  void poll_writtenInPlace_notifiesAfterTwoPollsAgree() throws IOException {
    PolicyWatcher watcher = watching(write("p.yaml", rule("a")));
    write("p.yaml", rule("longer"));

    watcher.poll();
    assertThat(events).isEmpty();
    watcher.poll();
    assertThat(events).containsExactly("longer");
    pollRepeatedly(watcher);
    assertThat(events).containsExactly("longer");
  }

  @Test
  void poll_writerPausesAtValidPrefix_waitsForTheRest() throws IOException {
    PolicyWatcher watcher = watcher(write("p.yaml", rules("a", "b")), QUIET_PERIOD);
    watcher.load();

    write("p.yaml", rules("a"));
    pollFor(watcher, Duration.ofMillis(1_900));
    assertThat(events).isEmpty();
    write("p.yaml", rules("a", "longer"));
    pollFor(watcher, Duration.ofMillis(1_900));
    assertThat(events).isEmpty();

    pollFor(watcher, Duration.ofMillis(500));
    assertThat(events).containsExactly("a longer");
  }

  @Test
  void reload_fileChangedJustNow_doesNotWait() throws IOException {
    PolicyWatcher watcher = watcher(write("p.yaml", rule("a")), QUIET_PERIOD);
    watcher.load();
    write("p.yaml", rule("b"));

    watcher.reload();

    assertThat(events).containsExactly("b");
  }

  /** Polls as often as the thread of a watcher would. */
  private void pollFor(PolicyWatcher watcher, Duration time) {
    for (long ms = 0; ms < time.toMillis(); ms += 100) {
      watcher.poll();
      clock.advance(Duration.ofMillis(100));
    }
    watcher.poll();
  }

  @Test
  void poll_stillBeingWritten_waits() throws IOException {
    Path file = write("p.yaml", rule("a"));
    PolicyWatcher watcher = watching(file);

    for (int i = 1; i < 10; i++) {
      write("p.yaml", rule("b".repeat(i)));
      watcher.poll();
    }

    assertThat(events).isEmpty();
  }

  @Test
  void poll_sameSizeAndTimeSoonAfter_isNoticed() throws IOException {
    Path file = write("p.yaml", rule("a"));
    FileTime time = FileTime.from(Instant.now());
    Files.setLastModifiedTime(file, time);
    PolicyWatcher watcher = watching(file);
    watcher.poll();
    write("p.yaml", rule("b"));
    Files.setLastModifiedTime(file, time);

    pollRepeatedly(watcher);

    assertThat(events).containsExactly("b");
  }

  @Test
  void poll_replacedByRename_notifies() throws IOException {
    Path file = write("p.yaml", rule("a"));
    PolicyWatcher watcher = watching(file);
    Path next = write("p.yaml~", rule("b"));
    Files.setLastModifiedTime(next, Files.getLastModifiedTime(file));
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);

    pollRepeatedly(watcher);

    assertThat(events).containsExactly("b");
  }

  @Test
  void poll_linkSwappedInConfigMap_notifies() throws IOException {
    configMap("..1", "a");
    Files.createSymbolicLink(folder.resolve("..data"), Path.of("..1"));
    Files.createSymbolicLink(folder.resolve("p.yaml"), Path.of("..data/p.yaml"));
    PolicyWatcher ofFolder = watching(folder);
    PolicyWatcher ofFile = watching(folder.resolve("p.yaml"));

    configMap("..2", "b");
    swapTo("..2");
    pollRepeatedly(ofFolder);
    pollRepeatedly(ofFile);

    assertThat(events).containsExactly("p/b", "b");
  }

  @Test
  void poll_linkSwappedToSameContent_doesNotNotify() throws IOException {
    configMap("..1", "a");
    Files.createSymbolicLink(folder.resolve("..data"), Path.of("..1"));
    Files.createSymbolicLink(folder.resolve("p.yaml"), Path.of("..data/p.yaml"));
    PolicyWatcher watcher = watching(folder);

    configMap("..2", "a");
    swapTo("..2");
    pollRepeatedly(watcher);

    assertThat(events).isEmpty();
  }

  private void configMap(String name, String rule) throws IOException {
    Path data = Files.createDirectory(folder.resolve(name));
    Files.writeString(data.resolve("p.yaml"), rule(rule));
  }

  private void swapTo(String name) throws IOException {
    Path next = Files.createSymbolicLink(folder.resolve("..data_tmp"), Path.of(name));
    Files.move(
        next,
        folder.resolve("..data"),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }

  @Test
  void poll_touched_doesNotNotify() throws IOException {
    Path file = write("p.yaml", rule("a"));
    PolicyWatcher watcher = watching(file);
    Files.setLastModifiedTime(file, FileTime.from(Instant.EPOCH));

    pollRepeatedly(watcher);

    assertThat(events).isEmpty();
  }

  @Test
  void poll_deletedThenBack_notifiesOnceEach() throws IOException {
    Path file = write("p.yaml", rule("a"));
    PolicyWatcher watcher = watching(file);

    Files.delete(file);
    pollRepeatedly(watcher);
    assertThat(events).containsExactly("rejected");
    write("p.yaml", rule("a"));
    pollRepeatedly(watcher);

    assertThat(events).containsExactly("rejected", "a");
  }

  @Test
  void poll_brokenThenFixed_notifiesOnceEach() throws IOException {
    PolicyWatcher watcher = watching(write("p.yaml", rule("a")));

    write("p.yaml", "{name: ");
    pollRepeatedly(watcher);
    assertThat(events).containsExactly("rejected");
    write("p.yaml", rule("b"));
    pollRepeatedly(watcher);

    assertThat(events).containsExactly("rejected", "b");
  }

  @Test
  void poll_filesComeAndGoInFolder_notifies() throws IOException {
    write("a.yaml", rule("r"));
    PolicyWatcher watcher = watching(folder);

    write("b.yaml", "{name: s, limit_keys: [u], rate: 1/s}");
    pollRepeatedly(watcher);
    Files.delete(folder.resolve("a.yaml"));
    pollRepeatedly(watcher);
    Files.delete(folder.resolve("b.yaml"));
    pollRepeatedly(watcher);
    Files.delete(folder);
    pollRepeatedly(watcher);

    assertThat(events).containsExactly("a/r b/s", "b/s", "rejected", "rejected");
  }

  @Test
  void poll_secretInItsOwnFileChanges_notifies() throws IOException {
    write("salt", "one");
    PolicyWatcher watcher =
        watching(
            write(
                "p.yaml", "key_secret_file: salt\nrules: [{name: a, limit_keys: [], rate: 1/s}]"));

    write("salt", "another");
    pollRepeatedly(watcher);

    assertThat(events).containsExactly("a");
  }

  @Test
  void load_brokenAtFirst_throwsAndNotifiesWhenFixed() throws IOException {
    PolicyWatcher watcher = watcher(write("p.yaml", "nothing"), Duration.ZERO);

    assertThatThrownBy(watcher::load).isInstanceOf(PolicyException.class);
    pollRepeatedly(watcher);
    assertThat(events).isEmpty();
    write("p.yaml", rule("a"));
    pollRepeatedly(watcher);

    assertThat(events).containsExactly("a");
  }

  @Test
  void reload_nothingChanged_notifiesAnyway() throws IOException {
    PolicyWatcher watcher = watching(write("p.yaml", rule("a")));

    watcher.reload();
    write("p.yaml", "broken");
    watcher.reload();
    pollRepeatedly(watcher);

    assertThat(events).containsExactly("a", "rejected");
  }

  @Test
  void poll_closed_doesNotNotify() throws IOException {
    PolicyWatcher watcher = watching(write("p.yaml", rule("a")));
    watcher.close();
    write("p.yaml", rule("longer"));

    pollRepeatedly(watcher);

    assertThat(events).isEmpty();
    assertThatThrownBy(watcher::start).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void poll_loaderThrows_rejectsOnceAndLoadsTheNextChange() throws IOException {
    Path file = write("p.yaml", rule("a"));
    PolicyWatcher watcher = failing(file, new IllegalStateException("sesame"));
    watcher.load();

    write("p.yaml", rule("fails"));
    pollRepeatedly(watcher);
    assertThat(events).containsExactly("rejected");
    write("p.yaml", rule("b"));
    pollRepeatedly(watcher);

    assertThat(events).containsExactly("rejected", "b");
  }

  @Test
  void reload_loaderThrows_rejectsWithTheClassAndItsOriginOnly() throws IOException {
    for (Throwable failure :
        List.of(new IllegalStateException("sesame"), new StackOverflowError("sesame"))) {
      failure.initCause(new IllegalArgumentException("sesame"));
      Path file = write("p.yaml", rule("fails"));

      failing(file, failure).reload();

      PolicyException rejection = rejections.get(rejections.size() - 1);
      assertThat(rejection.problems())
          .singleElement()
          .asString()
          .startsWith(
              file
                  + ": cannot be loaded because of an internal error: "
                  + failure.getClass().getName()
                  + " at "
                  + PolicyWatcherTest.class.getName())
          .contains("(PolicyWatcherTest.java:");
      assertThat(rejection.getCause().getStackTrace()).isEqualTo(failure.getStackTrace());
      assertThat(rejection)
          .extracting(PolicyWatcherTest::printed)
          .asString()
          .doesNotContain("sesame");
    }
    assertThat(events).containsExactly("rejected", "rejected");
  }

  private static String printed(Throwable failure) {
    StringWriter printed = new StringWriter();
    failure.printStackTrace(new PrintWriter(printed));
    return printed.toString();
  }

  /** Returns a watcher whose loader throws for a file that contains the word {@code fails}. */
  private PolicyWatcher failing(Path file, Throwable failure) {
    return new PolicyWatcher(
        file,
        PolicyWatcher.INTERVAL,
        Duration.ZERO,
        listener,
        clock,
        read -> {
          LoadedPolicy loaded = PolicyLoader.load(file, Set.of(), read);
          if (!names(loaded).equals("fails")) {
            return loaded;
          }
          if (failure instanceof Error error) {
            throw error;
          }
          throw (RuntimeException) failure;
        });
  }

  @Test
  void start_listenerThrows_rejectsAndContinues() throws Exception {
    BlockingQueue<String> loaded = new LinkedBlockingQueue<>();
    BlockingQueue<PolicyException> rejected = new LinkedBlockingQueue<>();
    PolicyWatcher.PolicyListener throwing =
        new PolicyWatcher.PolicyListener() {
          @Override
          public void onLoaded(LoadedPolicy policy) {
            loaded.add(names(policy));
            throw new IllegalStateException("listener");
          }

          @Override
          public void onRejected(PolicyException reasons) {
            rejected.add(reasons);
          }
        };
    write("p.yaml", rule("a"));
    try (PolicyWatcher watcher =
        new PolicyWatcher(
            folder.resolve("p.yaml"),
            Duration.ofMillis(1),
            Duration.ZERO,
            throwing,
            NanoClock.system())) {
      watcher.start();
      assertThat(loaded.poll(30, TimeUnit.SECONDS)).isEqualTo("a");
      assertThat(rejected.poll(30, TimeUnit.SECONDS))
          .hasMessageContaining("internal error: java.lang.IllegalStateException at ");
      Path next = write("next", rule("b"));
      Files.move(next, folder.resolve("p.yaml"), StandardCopyOption.REPLACE_EXISTING);

      assertThat(loaded.poll(30, TimeUnit.SECONDS)).isEqualTo("b");
    }
  }
}
