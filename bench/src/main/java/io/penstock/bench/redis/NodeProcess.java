package io.penstock.bench.redis;

import io.penstock.bench.contest.FailedRunException;
import io.penstock.bench.contest.Jvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A {@link Node} in a JVM of its own. Not thread-safe. */
final class NodeProcess implements AutoCloseable {
  private static final List<String> HEAP = List.of("-Xms256m", "-Xmx512m");

  private final RedisContender contender;
  private final Process process;
  private final PrintWriter orders;
  private final BufferedReader answers;

  NodeProcess(RedisContender contender, Terms terms, String url) throws IOException {
    this.contender = contender;
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(Jvm.QUIET);
    command.addAll(HEAP);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Node.class.getName()));
    command.addAll(List.of(contender.name(), terms.name(), url + "/" + contender.database));
    this.process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    // A parent that is killed closes their input, which ends them too.
    this.orders = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
    this.answers = process.inputReader(StandardCharsets.UTF_8);
  }

  RedisContender contender() {
    return contender;
  }

  /** Asks for {@code millis} and waits for the tally. */
  Tally ask(Workload workload, int callers, long millis) throws IOException {
    begin(workload, callers, millis);
    return tally();
  }

  /** Begins to ask for {@code millis}; {@link #tally} waits for the end. */
  void begin(Workload workload, int callers, long millis) {
    order("ask %s %d %d".formatted(workload, callers, millis));
  }

  /** Lets each caller ask for each of its keys, at least once. */
  Tally fill(Workload workload, int callers) throws IOException {
    // The last has no fewer than any other.
    int times = workload.keysOf(callers - 1, callers).length;
    order("fill %s %d %d".formatted(workload, callers, times));
    return tally();
  }

  /** Takes the first token of the hot key; when it began to, in epoch milliseconds. */
  long first() throws IOException {
    order("first");
    return Long.parseLong(answer());
  }

  /** Begins to ask for the hot key; {@link #tally} waits for the end. */
  void askUntil(long epochMillis, int callers) {
    order("until %d %d".formatted(epochMillis, callers));
  }

  /** Stops it in its tracks. */
  void freeze() throws IOException, InterruptedException {
    signal("STOP");
  }

  void thaw() throws IOException, InterruptedException {
    signal("CONT");
  }

  private void signal(String name) throws IOException, InterruptedException {
    int status =
        new ProcessBuilder("kill", "-" + name, "" + process.pid()).inheritIO().start().waitFor();
    if (status != 0) {
      throw new FailedRunException("kill -" + name + " failed: " + status);
    }
  }

  Tally tally() throws IOException {
    return Tally.ofLine(answer());
  }

  private void order(String line) {
    orders.println(line);
  }

  private String answer() throws IOException {
    String line = answers.readLine();
    if (line == null) {
      throw new FailedRunException(
          "%s: the process of its callers ended with status %d"
              .formatted(contender.label, process.onExit().join().exitValue()));
    }
    return line;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
