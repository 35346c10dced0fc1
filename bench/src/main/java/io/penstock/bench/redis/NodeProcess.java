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

/** A {@link BenchNode} in its own JVM. Not thread-safe. */
final class NodeProcess implements AutoCloseable {
  private static final List<String> HEAP = List.of("-Xms256m", "-Xmx512m");

  private final RedisContender contender;
  private final Process process;
  private final PrintWriter commands;
  private final BufferedReader output;

  NodeProcess(RedisContender contender, RedisLimits limits, String url) throws IOException {
    this.contender = contender;
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(Jvm.QUIET);
    command.addAll(HEAP);
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), BenchNode.class.getName()));
    command.addAll(List.of(contender.name(), limits.name(), url + "/" + contender.database));
    this.process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    // If the parent is killed, the input is closed, which ends the process too.
    this.commands = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
    this.output = process.inputReader(StandardCharsets.UTF_8);
  }

  RedisContender contender() {
    return contender;
  }

  /** Sends requests for {@code millis} and waits for the tally. */
  Tally ask(Workload workload, int callers, long millis) throws IOException {
    begin(workload, callers, millis);
    return tally();
  }

  /** Starts to send requests for {@code millis}; {@link #tally} waits for the end. */
  void begin(Workload workload, int callers, long millis) {
    send("ask %s %d %d".formatted(workload, callers, millis));
  }

  /** Sends requests for {@code millis}, and records the latency of each. */
  Tally time(Workload workload, int callers, long millis) throws IOException {
    send("time %s %d %d".formatted(workload, callers, millis));
    return tally();
  }

  /** Lets each caller request each of its keys at least once. */
  Tally fill(Workload workload, int callers) throws IOException {
    // The last caller has the most keys.
    int times = workload.keysOf(callers - 1, callers).length;
    send("fill %s %d %d".formatted(workload, callers, times));
    return tally();
  }

  /** Takes the first token of the hot key, and returns the start time in epoch milliseconds. */
  long first() throws IOException {
    send("first");
    return Long.parseLong(readLine());
  }

  /** Starts to request the hot key; {@link #tally} waits for the end. */
  void askUntil(long epochMillis, int callers) {
    send("until %d %d".formatted(epochMillis, callers));
  }

  /** Starts to request the hot key; {@link #tally} counts responses that arrive later, too. */
  void spendUntil(long epochMillis, int callers) {
    send("spend %d %d".formatted(epochMillis, callers));
  }

  /** Requests the hot key until it is denied, and returns the number of grants. */
  long drain() throws IOException {
    send("drain");
    return Long.parseLong(readLine());
  }

  /** Suspends the process. */
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
    return Tally.ofLine(readLine());
  }

  private void send(String line) {
    commands.println(line);
  }

  private String readLine() throws IOException {
    String line = output.readLine();
    if (line == null) {
      throw new FailedRunException(
          "%s: the process of its callers exited with status %d"
              .formatted(contender.label, process.onExit().join().exitValue()));
    }
    return line;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
