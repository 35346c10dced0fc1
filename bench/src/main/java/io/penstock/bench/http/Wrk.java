package io.penstock.bench.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.bench.contest.FailedRunException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The load generator wrk: as many requests as a server answers. */
final class Wrk {
  static final int CONNECTIONS = 32;

  /** An answer that takes longer is none. */
  private static final long TIMEOUT_SECONDS = 2;

  private static final double MAX = 0.999;
  private static final Pattern RATE = Pattern.compile("Requests/sec:\\s+([0-9.]+)");
  private static final Pattern ALL = Pattern.compile("([0-9]+) requests in ");
  private static final Pattern REFUSED = Pattern.compile("Non-2xx or 3xx responses: ([0-9]+)");

  private final int connections;
  private final Path program;
  private final Path script;

  Wrk() throws IOException {
    this(CONNECTIONS);
  }

  Wrk(int connections) throws IOException {
    this.connections = connections;
    this.program =
        Programs.find("wrk")
            .orElseThrow(
                () -> new FailedRunException("wrk is needed: on Debian, apt-get install wrk"));
    this.script = Files.createTempFile("penstock", ".lua");
    script.toFile().deleteOnExit();
  }

  /** Requests a second, asked by one thread over all connections. */
  double ask(int port, Question question, long seconds) throws IOException, InterruptedException {
    return ask(port, question, seconds, requests(question));
  }

  /** Asks the same of a server that has just started, and may take its time. */
  void warmUp(int port, Question question, long seconds) throws IOException, InterruptedException {
    ask(port, question, seconds, requests(question), seconds);
  }

  private static String requests(Question question) {
    return "wrk.method = \"%s\"\nwrk.body = %s\n"
        .formatted(question.method, question.body.isEmpty() ? "nil" : "[[" + question.body + "]]");
  }

  /** The same with requests that a script makes. */
  double ask(int port, Question question, long seconds, String requests)
      throws IOException, InterruptedException {
    return ask(port, question, seconds, requests, TIMEOUT_SECONDS);
  }

  private double ask(
      int port, Question question, long seconds, String requests, long timeoutSeconds)
      throws IOException, InterruptedException {
    Files.writeString(script, requests);
    List<String> command = new ArrayList<>();
    command.addAll(List.of(program.toString(), "-t1", "-c" + connections, "-d" + seconds + "s"));
    command.addAll(List.of("--timeout", timeoutSeconds + "s", "-s", script.toString()));
    question.headers.forEach(header -> command.addAll(List.of("-H", header)));
    command.add("http://127.0.0.1:" + port + question.path);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    Matcher rate = RATE.matcher(output);
    if (process.waitFor() != 0 || !rate.find() || !isAsExpected(question, output)) {
      throw new FailedRunException(question + ": wrk says " + output);
    }
    return Double.parseDouble(rate.group(1));
  }

  /** Whether all were answered as they should be; nginx can't be told to deny for ever. */
  private static boolean isAsExpected(Question question, String output) {
    Matcher all = ALL.matcher(output);
    if (!all.find() || output.contains("Socket errors")) {
      return false;
    }
    Matcher refused = REFUSED.matcher(output);
    double refusals = refused.find() ? Double.parseDouble(refused.group(1)) : 0;
    return question == Question.DENIED
        ? refusals / Double.parseDouble(all.group(1)) >= MAX
        : refusals == 0;
  }
}
