package io.penstock.bench.local;

import io.penstock.bench.contest.FailedRunException;
import io.penstock.bench.contest.Jvm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs a program of this module in its own JVM. */
final class ProbeProcess {
  private ProbeProcess() {}

  /** Returns the output of the program. */
  static String run(Class<?> program, List<String> options, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(Jvm.QUIET);
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
    command.addAll(List.of(arguments));
    Process probe =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String printed = new String(probe.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (probe.waitFor() != 0) {
      throw new FailedRunException(
          "%s %s failed".formatted(program.getSimpleName(), String.join(" ", arguments)));
    }
    return printed;
  }
}
