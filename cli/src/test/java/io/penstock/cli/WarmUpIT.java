package io.penstock.cli;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A service has loaded the classes that decide requests before it is ready. Counts the classes of
 * Penstock and Jackson that the first requests load, which doesn't depend on the speed of the
 * machine: two or three, and about 80 without a warm-up.
 */
@Tag("full")
class WarmUpIT {
  private static final int MAX_CLASSES = 30;

  @TempDir Path folder;

  @Test
  void serve_ready_hasLoadedTheClassesOfTheFirstRequests() throws Exception {
    Path policy =
        Files.writeString(
            folder.resolve("policy.yaml"),
            "{name: client, limit_keys: [\"ip:address\"], rate: 1/h, burst: 1}\n");
    Path log = folder.resolve("classes.log");
    try (Service service =
        Service.start(
            folder, List.of("-Xlog:class+load:file=" + log), "--policy", policy.toString())) {
      await("example").until(() -> service.process().out().contains("curl "));
      int before = loaded(log).size();
      assertThat(before).isGreaterThan(MAX_CLASSES);

      assertThat(service.forwardAuth("X-Original-URI", "/").statusCode()).isEqualTo(200);
      assertThat(service.forwardAuth("X-Original-URI", "/").statusCode()).isEqualTo(429);
      assertThat(service.check("{\"ip\":\"192.0.2.1\"}")).startsWith("{\"allowed\":true");

      List<String> after = loaded(log);
      List<String> more = after.subList(before, after.size());
      System.out.printf("%d classes before the first requests, %d by them%n", before, more.size());
      assertThat(more).hasSizeLessThan(MAX_CLASSES);
    }
  }

  /** Returns the lines for classes of Penstock and Jackson. */
  private static List<String> loaded(Path log) throws IOException {
    try (var lines = Files.lines(log)) {
      return lines
          .filter(line -> line.contains(" io.penstock.") || line.contains(" com.fasterxml."))
          .toList();
    }
  }
}
