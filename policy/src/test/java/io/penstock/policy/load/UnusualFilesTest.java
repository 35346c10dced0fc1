package io.penstock.policy.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.NanoClock;
import io.penstock.policy.jwt.KeySource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Special files: opening a pipe without a writer would block forever. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UnusualFilesTest {
  private static final String RULE = "{name: a, limit_keys: [], rate: 1/s}\n";

  @TempDir Path folder;

  private Path pipe(String name) throws Exception {
    Path pipe = folder.resolve(name);
    try {
      Process made = new ProcessBuilder("mkfifo", pipe.toString()).start();
      assumeTrue(made.waitFor(30, TimeUnit.SECONDS) && made.exitValue() == 0, "mkfifo works");
    } catch (IOException e) {
      assumeTrue(false, "mkfifo is there");
    }
    return pipe;
  }

  private static List<String> problems(Path root) {
    PolicyException e = catchThrowableOfType(PolicyException.class, () -> PolicyLoader.load(root));
    return e.problems().stream().map(Problem::toString).toList();
  }

  @Test
  void load_pipe_isAnError() throws Exception {
    Path pipe = pipe("p.yaml");

    assertThat(problems(pipe)).containsExactly(pipe + ": must be a regular file");
  }

  @Test
  void load_linkToPipe_isAnError() throws Exception {
    Path link = Files.createSymbolicLink(folder.resolve("link.yaml"), pipe("pipe"));

    assertThat(problems(link)).containsExactly(link + ": must be a regular file");
  }

  @Test
  void load_pipeInFolder_isAnErrorBesideTheRest() throws Exception {
    Files.writeString(folder.resolve("a.yaml"), RULE);
    Path pipe = pipe("b.yaml");

    assertThat(problems(folder)).containsExactly(pipe + ": must be a regular file");
  }

  @Test
  void load_device_isAnError() {
    Path device = Path.of("/dev/zero");
    assumeTrue(Files.exists(device), "there is a /dev/zero");

    assertThat(problems(device)).containsExactly("/dev/zero: must be a regular file");
  }

  @Test
  void load_secretInPipe_isAnError() throws Exception {
    pipe("salt");
    Path policy = Files.writeString(folder.resolve("p.yaml"), "key_secret_file: salt\nrules: []");

    assertThat(problems(policy)).singleElement().asString().contains("must be a regular file");
  }

  @Test
  void checked_keySetInPipe_isAnError() throws Exception {
    Path pipe = pipe("keys.jwks");

    assertThat(
            catchThrowableOfType(
                IllegalArgumentException.class, () -> KeySource.JwksFile.checked(pipe)))
        .hasMessageContaining("must be a regular file");
  }

  @Test
  void poll_pipeInPlaceOfTheFile_rejectsAndKeepsPolling() throws Exception {
    Path file = Files.writeString(folder.resolve("p.yaml"), RULE);
    List<String> events = new ArrayList<>();
    PolicyWatcher watcher =
        new PolicyWatcher(
            file,
            PolicyWatcher.INTERVAL,
            Duration.ZERO,
            new PolicyWatcher.PolicyListener() {
              @Override
              public void onLoaded(LoadedPolicy policy) {
                events.add("loaded");
              }

              @Override
              public void onRejected(PolicyException reasons) {
                events.add(String.valueOf(reasons.getMessage()));
              }
            },
            NanoClock.system());
    watcher.load();

    Files.delete(file);
    pipe("p.yaml");
    poll(watcher);
    Files.delete(file);
    Files.writeString(file, RULE);
    poll(watcher);

    assertThat(events).containsExactly(file + ": must be a regular file", "loaded");
  }

  private static void poll(PolicyWatcher watcher) {
    for (int i = 0; i < 6; i++) {
      watcher.poll();
    }
  }
}
