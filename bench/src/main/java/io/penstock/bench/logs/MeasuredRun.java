package io.penstock.bench.logs;

import io.penstock.bench.contest.FailedRunException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A command that ran to its end.
 *
 * @param seconds from its start to its end
 * @param cpuSeconds processor time of all of its threads
 * @param peakBytes the largest resident set
 */
record MeasuredRun(double seconds, double cpuSeconds, double peakBytes) {
  private static final long POLL_MILLIS = 5;
  private static final String PEAK = "VmHWM:";

  /** Runs a command in bash, whose {@code time} reports the processor time exactly. */
  private static final String SCRIPT =
      "out=$1 err=$2; shift 2; TIMEFORMAT='%3R %3U %3S'; { time \"$@\" </dev/null >\"$out\" 2>\"$err\"; }";

  /**
   * @param folder for its output
   */
  static MeasuredRun of(List<String> command, Path folder)
      throws IOException, InterruptedException {
    Path output = folder.resolve("output");
    Path errors = folder.resolve("errors");
    Path times = folder.resolve("times");
    List<String> words =
        new ArrayList<>(
            List.of("bash", "-c", SCRIPT, "bash", output.toString(), errors.toString()));
    words.addAll(command);
    Process bash = new ProcessBuilder(words).redirectError(times.toFile()).start();
    Thread stop = new Thread(() -> bash.descendants().forEach(ProcessHandle::destroyForcibly));
    Runtime.getRuntime().addShutdownHook(stop);
    long peak = 0;
    while (!bash.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
      peak = Math.max(peak, bash.children().mapToLong(MeasuredRun::peak).sum());
    }
    Runtime.getRuntime().removeShutdownHook(stop);
    if (bash.exitValue() != 0) {
      throw new FailedRunException(
          command.get(0) + " exited with " + bash.exitValue() + ": " + Files.readString(errors));
    }
    String[] figures = Files.readString(times).strip().split(" ", -1);
    return new MeasuredRun(
        Double.parseDouble(figures[0]),
        Double.parseDouble(figures[1]) + Double.parseDouble(figures[2]),
        peak);
  }

  /** Returns the largest resident set so far; 0 if the process is not running. */
  private static long peak(ProcessHandle process) {
    try (Stream<String> lines = Files.lines(Path.of("/proc", "" + process.pid(), "status"))) {
      Optional<String> peak = lines.filter(line -> line.startsWith(PEAK)).findFirst();
      return peak.map(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024).orElse(0L);
    } catch (IOException | UncheckedIOException ended) {
      return 0;
    }
  }
}
