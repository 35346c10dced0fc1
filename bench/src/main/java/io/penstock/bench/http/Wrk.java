package io.penstock.bench.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.bench.contest.FailedRunException;
import io.penstock.bench.contest.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The closed-loop load generator wrk. */
final class Wrk {
  static final int CONNECTIONS = 32;

  /** A response that takes longer counts as an error. */
  private static final long TIMEOUT_SECONDS = 2;

  private static final double MIN_DENIED_SHARE = 0.999;
  private static final Pattern RATE = Pattern.compile("Requests/sec:\\s+([0-9.]+)");
  private static final Pattern ALL = Pattern.compile("([0-9]+) requests in ");
  private static final Pattern ERRORS = Pattern.compile("Non-2xx or 3xx responses: ([0-9]+)");

  private final int connections;
  private final Path program;
  private final Path script;

  /**
   * The load of one run.
   *
   * @param perSecond the responses per second
   */
  record WrkLoad(double perSecond, long responses) {}

  Wrk() throws IOException {
    this(CONNECTIONS);
  }

  Wrk(int connections) throws IOException {
    this.connections = connections;
    this.program =
        Programs.find("wrk")
            .orElseThrow(
                () ->
                    new FailedRunException("wrk is not installed; on Debian: apt-get install wrk"));
    this.script = Files.createTempFile("penstock", ".lua");
    script.toFile().deleteOnExit();
  }

  /** Sends requests with one thread over all connections. */
  WrkLoad measure(int port, BenchRequest request, long seconds)
      throws IOException, InterruptedException {
    return measure(port, request, seconds, requests(request), TIMEOUT_SECONDS);
  }

  /** Sends the same requests to a server that has just started, with a longer timeout. */
  void warmUp(int port, BenchRequest request, long seconds)
      throws IOException, InterruptedException {
    WrkLoad unused = measure(port, request, seconds, requests(request), seconds);
  }

  private static String requests(BenchRequest request) {
    return "wrk.method = \"%s\"\nwrk.body = %s\n"
        .formatted(request.method, request.body.isEmpty() ? "nil" : "[[" + request.body + "]]");
  }

  /** Returns the requests per second with requests that a Lua script creates. */
  double measure(int port, BenchRequest request, long seconds, String requests)
      throws IOException, InterruptedException {
    return load(port, request, seconds, requests).perSecond;
  }

  /** Sends requests that a Lua script creates. */
  WrkLoad load(int port, BenchRequest request, long seconds, String requests)
      throws IOException, InterruptedException {
    return measure(port, request, seconds, requests, TIMEOUT_SECONDS);
  }

  private WrkLoad measure(
      int port, BenchRequest request, long seconds, String requests, long timeoutSeconds)
      throws IOException, InterruptedException {
    Files.writeString(script, requests);
    List<String> command = new ArrayList<>();
    command.addAll(List.of(program.toString(), "-t1", "-c" + connections, "-d" + seconds + "s"));
    command.addAll(List.of("--timeout", timeoutSeconds + "s", "-s", script.toString()));
    request.headers.forEach(header -> command.addAll(List.of("-H", header)));
    command.add("http://127.0.0.1:" + port + request.path);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    Matcher rate = RATE.matcher(output);
    Matcher all = ALL.matcher(output);
    if (process.waitFor() != 0
        || !rate.find()
        || !all.find()
        || !isAsExpected(request, output, Long.parseLong(all.group(1)))) {
      throw new FailedRunException(request + ": unexpected output of wrk: " + output);
    }
    return new WrkLoad(Double.parseDouble(rate.group(1)), Long.parseLong(all.group(1)));
  }

  /**
   * Returns whether the responses are as expected. A few allowed requests are tolerated, because
   * nginx can't deny all requests.
   */
  private static boolean isAsExpected(BenchRequest request, String output, long responses) {
    if (output.contains("Socket errors")) {
      return false;
    }
    Matcher errors = ERRORS.matcher(output);
    double errorCount = errors.find() ? Double.parseDouble(errors.group(1)) : 0;
    return request == BenchRequest.DENIED
        ? errorCount / responses >= MIN_DENIED_SHARE
        : errorCount == 0;
  }
}
