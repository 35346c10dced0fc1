package io.penstock.bench.local;

import io.penstock.bench.contest.FailedRunException;
import io.penstock.bench.contest.Jvm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs {@link MemoryProbe} in its own JVM. */
final class MemoryRun {
  private MemoryRun() {}

  static double bytesPerKey(KeyedContender contender, int keys)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(Jvm.QUIET);
    // G1 rounds large arrays up to whole regions; the serial collector counts the objects.
    command.addAll(List.of("-XX:+UseSerialGC", "-Xmx6g"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(MemoryProbe.class.getName(), contender.name(), "" + keys));
    Process probe =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String printed = new String(probe.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (probe.waitFor() != 0) {
      throw new FailedRunException(
          "cannot measure the memory of " + contender + " with " + keys + " keys");
    }
    return Double.parseDouble(printed) / keys;
  }
}
