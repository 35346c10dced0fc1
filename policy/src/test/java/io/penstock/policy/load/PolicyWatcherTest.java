package io.penstock.policy.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.NanoClock;
import io.penstock.policy.Rule;
import io.penstock.testing.ManualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PolicyWatcherTest {
  private static final Duration SETTLE = PolicyWatcher.SETTLE;

  @TempDir Path folder;

  private final ManualClock clock = new ManualClock();
  private final List<String> told = new ArrayList<>();
  private final PolicyWatcher.PolicyListener listener =
      new PolicyWatcher.PolicyListener() {
        @Override
        public void onLoaded(LoadedPolicy policy) {
          told.add(names(policy));
        }

        @Override
        public void onRejected(PolicyException reasons) {
          told.add("rejected");
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

  private PolicyWatcher watcher(Path path, Duration settle) {
    return new PolicyWatcher(path, PolicyWatcher.INTERVAL, settle, listener, clock);
  }

  /** More looks than a change takes to be told, so that telling it twice would be seen. */
  private static void lookOften(PolicyWatcher watcher) {
    for (int i = 0; i < 6; i++) {
      watcher.look();
    }
  }

  @Test
  void look_nothingLoadedYet_tellsOnce() throws IOException {
    PolicyWatcher watcher = watcher(write("p.yaml", rule("a")), Duration.ZERO);

    lookOften(watcher);

    assertThat(told).containsExactly("a");
  }

  @Test
  void look_nothingChanged_tellsNothing() throws IOException {
    lookOften(watching(write("p.yaml", rule("a"))));

    assertThat(told).isEmpty();
  }

  @Test
  void look_writtenInPlace_tellsAfterTwoLooksAgree() throws IOException {
    PolicyWatcher watcher = watching(write("p.yaml", rule("a")));
    write("p.yaml", rule("longer"));

    watcher.look();
    assertThat(told).isEmpty();
    watcher.look();
    assertThat(told).containsExactly("longer");
    lookOften(watcher);
    assertThat(told).containsExactly("longer");
  }

  @Test
  void look_writerPausesAtValidPrefix_waitsForTheRest() throws IOException {
    PolicyWatcher watcher = watcher(write("p.yaml", rules("a", "b")), SETTLE);
    watcher.load();

    write("p.yaml", rules("a"));
    lookFor(watcher, Duration.ofMillis(1_900));
    assertThat(told).isEmpty();
    write("p.yaml", rules("a", "longer"));
    lookFor(watcher, Duration.ofMillis(1_900));
    assertThat(told).isEmpty();

    lookFor(watcher, Duration.ofMillis(500));
    assertThat(told).containsExactly("a longer");
  }

  @Test
  void reload_fileChangedJustNow_doesNotWait() throws IOException {
    PolicyWatcher watcher = watcher(write("p.yaml", rule("a")), SETTLE);
    watcher.load();
    write("p.yaml", rule("b"));

    watcher.reload();

    assertThat(told).containsExactly("b");
  }

  /** Looks as often as the thread of a watcher would. */
  private void lookFor(PolicyWatcher watcher, Duration time) {
    for (long ms = 0; ms < time.toMillis(); ms += 100) {
      watcher.look();
      clock.advance(Duration.ofMillis(100));
    }
    watcher.look();
  }

  @Test
  void look_stillBeingWritten_waits() throws IOException {
    Path file = write("p.yaml", rule("a"));
    PolicyWatcher watcher = watching(file);

    for (int i = 1; i < 10; i++) {
      write("p.yaml", rule("b".repeat(i)));
      watcher.look();
    }

    assertThat(told).isEmpty();
  }

  @Test
  void look_sameSizeAndTimeSoonAfter_isNoticed() throws IOException {
    Path file = write("p.yaml", rule("a"));
    FileTime time = FileTime.from(Instant.now());
    Files.setLastModifiedTime(file, time);
    PolicyWatcher watcher = watching(file);
    watcher.look();
    write("p.yaml", rule("b"));
    Files.setLastModifiedTime(file, time);

    lookOften(watcher);

    assertThat(told).containsExactly("b");
  }

  @Test
  void look_replacedByRename_tells() throws IOException {
    Path file = write("p.yaml", rule("a"));
    PolicyWatcher watcher = watching(file);
    Path next = write("p.yaml~", rule("b"));
    Files.setLastModifiedTime(next, Files.getLastModifiedTime(file));
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);

    lookOften(watcher);

    assertThat(told).containsExactly("b");
  }

  @Test
  void look_linkSwappedInConfigMap_tells() throws IOException {
    configMap("..1", "a");
    Files.createSymbolicLink(folder.resolve("..data"), Path.of("..1"));
    Files.createSymbolicLink(folder.resolve("p.yaml"), Path.of("..data/p.yaml"));
    PolicyWatcher ofFolder = watching(folder);
    PolicyWatcher ofFile = watching(folder.resolve("p.yaml"));

    configMap("..2", "b");
    swapTo("..2");
    lookOften(ofFolder);
    lookOften(ofFile);

    assertThat(told).containsExactly("p/b", "b");
  }

  @Test
  void look_linkSwappedToSameContent_tellsNothing() throws IOException {
    configMap("..1", "a");
    Files.createSymbolicLink(folder.resolve("..data"), Path.of("..1"));
    Files.createSymbolicLink(folder.resolve("p.yaml"), Path.of("..data/p.yaml"));
    PolicyWatcher watcher = watching(folder);

    configMap("..2", "a");
    swapTo("..2");
    lookOften(watcher);

    assertThat(told).isEmpty();
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
  void look_touched_tellsNothing() throws IOException {
    Path file = write("p.yaml", rule("a"));
    PolicyWatcher watcher = watching(file);
    Files.setLastModifiedTime(file, FileTime.from(Instant.EPOCH));

    lookOften(watcher);

    assertThat(told).isEmpty();
  }

  @Test
  void look_deletedThenBack_tellsBothOnce() throws IOException {
    Path file = write("p.yaml", rule("a"));
    PolicyWatcher watcher = watching(file);

    Files.delete(file);
    lookOften(watcher);
    assertThat(told).containsExactly("rejected");
    write("p.yaml", rule("a"));
    lookOften(watcher);

    assertThat(told).containsExactly("rejected", "a");
  }

  @Test
  void look_brokenThenFixed_tellsEachOnce() throws IOException {
    PolicyWatcher watcher = watching(write("p.yaml", rule("a")));

    write("p.yaml", "{name: ");
    lookOften(watcher);
    assertThat(told).containsExactly("rejected");
    write("p.yaml", rule("b"));
    lookOften(watcher);

    assertThat(told).containsExactly("rejected", "b");
  }

  @Test
  void look_filesComeAndGoInFolder_tells() throws IOException {
    write("a.yaml", rule("r"));
    PolicyWatcher watcher = watching(folder);

    write("b.yaml", "{name: s, limit_keys: [u], rate: 1/s}");
    lookOften(watcher);
    Files.delete(folder.resolve("a.yaml"));
    lookOften(watcher);
    Files.delete(folder.resolve("b.yaml"));
    lookOften(watcher);
    Files.delete(folder);
    lookOften(watcher);

    assertThat(told).containsExactly("a/r b/s", "b/s", "rejected", "rejected");
  }

  @Test
  void look_secretInItsOwnFileChanges_tells() throws IOException {
    write("salt", "one");
    PolicyWatcher watcher =
        watching(
            write(
                "p.yaml", "key_secret_file: salt\nrules: [{name: a, limit_keys: [], rate: 1/s}]"));

    write("salt", "another");
    lookOften(watcher);

    assertThat(told).containsExactly("a");
  }

  @Test
  void load_brokenAtFirst_throwsAndTellsWhenFixed() throws IOException {
    PolicyWatcher watcher = watcher(write("p.yaml", "nothing"), Duration.ZERO);

    assertThatThrownBy(watcher::load).isInstanceOf(PolicyException.class);
    lookOften(watcher);
    assertThat(told).isEmpty();
    write("p.yaml", rule("a"));
    lookOften(watcher);

    assertThat(told).containsExactly("a");
  }

  @Test
  void reload_nothingChanged_tellsAllTheSame() throws IOException {
    PolicyWatcher watcher = watching(write("p.yaml", rule("a")));

    watcher.reload();
    write("p.yaml", "broken");
    watcher.reload();
    lookOften(watcher);

    assertThat(told).containsExactly("a", "rejected");
  }

  @Test
  void look_closed_tellsNothing() throws IOException {
    PolicyWatcher watcher = watching(write("p.yaml", rule("a")));
    watcher.close();
    write("p.yaml", rule("longer"));

    lookOften(watcher);

    assertThat(told).isEmpty();
    assertThatThrownBy(watcher::start).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void start_listenerThrows_goesOn() throws Exception {
    BlockingQueue<String> loaded = new LinkedBlockingQueue<>();
    BlockingQueue<Throwable> uncaught = new LinkedBlockingQueue<>();
    PolicyWatcher.PolicyListener failing =
        new PolicyWatcher.PolicyListener() {
          @Override
          public void onLoaded(LoadedPolicy policy) {
            Thread.currentThread().setUncaughtExceptionHandler((thread, e) -> uncaught.add(e));
            loaded.add(names(policy));
            throw new IllegalStateException("listener");
          }

          @Override
          public void onRejected(PolicyException reasons) {}
        };
    write("p.yaml", rule("a"));
    try (PolicyWatcher watcher =
        new PolicyWatcher(
            folder.resolve("p.yaml"),
            Duration.ofMillis(1),
            Duration.ZERO,
            failing,
            NanoClock.system())) {
      watcher.start();
      assertThat(loaded.poll(30, TimeUnit.SECONDS)).isEqualTo("a");
      Path next = write("next", rule("b"));
      Files.move(next, folder.resolve("p.yaml"), StandardCopyOption.REPLACE_EXISTING);

      assertThat(loaded.poll(30, TimeUnit.SECONDS)).isEqualTo("b");
      assertThat(uncaught.poll(30, TimeUnit.SECONDS)).hasMessage("listener");
    }
  }
}
