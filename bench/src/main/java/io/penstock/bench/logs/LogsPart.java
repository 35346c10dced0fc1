package io.penstock.bench.logs;

import io.penstock.bench.contest.Programs;
import io.penstock.bench.report.Estimate;
import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Progress;
import io.penstock.bench.report.Ratio;
import io.penstock.bench.report.ReportTable;
import io.penstock.bench.report.RunLog;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** Measures replay and advice on a log, with other programs that read all of its lines. */
public final class LogsPart {
  private static final long LINES = 10_000_000;
  private static final long QUICK_LINES = 500_000;
  private static final int CLIENTS = 500_000;
  private static final int ROUNDS = 3;
  private static final double STEP_SECONDS = 30;
  private static final double BYTES_PER_MEBIBYTE = 1 << 20;
  private static final Path JAR = Path.of("cli", "target", "penstock.jar");
  private static final String POLICY =
      """
      rules:
        - {name: callers, limit_keys: ["ip:address"], rate: 1/s, burst: 20}
        - {name: login, limit_keys: ["ip:address"], match: {method: POST, path: /login}, rate: 5/min, burst: 5}
      """;

  private static final String NOTES =
      """
      A combined log of up to 500,000 clients, generated with a fixed seed and in the page cache. The programs run
      one after the other, each round in reverse order. replay applies two rules; advise computes limits for each
      address, and for each endpoint. goaccess writes its report as JSON. wc -l only counts lines. Penstock runs
      with the serial collector, as its start script does, and with the default heap.
      """;

  /** A program and its runs. */
  private record LogProgram(String name, List<String> command, List<MeasuredRun> runs) {
    List<Double> figures(ToDoubleFunction<MeasuredRun> figure) {
      return runs.stream().map(figure::applyAsDouble).toList();
    }

    double median(ToDoubleFunction<MeasuredRun> figure) {
      return Estimate.median(figures(figure));
    }
  }

  private final List<LogProgram> programs = new ArrayList<>();
  private final RunLog log;
  private final boolean quick;
  private final long lines;

  private LogsPart(boolean quick, RunLog log) {
    this.log = log;
    this.quick = quick;
    this.lines = quick ? QUICK_LINES : LINES;
  }

  public static Findings measure(boolean quick, RunLog log)
      throws IOException, InterruptedException {
    return new LogsPart(quick, log).measure();
  }

  private Findings measure() throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("penstock-bench-logs");
    Thread cleanup = new Thread(() -> delete(folder));
    // An aborted run leaves no large file behind.
    Runtime.getRuntime().addShutdownHook(cleanup);
    try {
      Path file = folder.resolve("access.log");
      try (OutputStream out = Files.newOutputStream(file)) {
        new CombinedLog(CLIENTS).write(lines, out);
      }
      enter(file, Files.writeString(folder.resolve("policy.yaml"), POLICY));
      run(folder);
      return new Findings(List.of(table(file)), NOTES, ratios());
    } finally {
      delete(folder);
      Runtime.getRuntime().removeShutdownHook(cleanup);
    }
  }

  private static void delete(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.deleteIfExists(file);
      }
      Files.deleteIfExists(folder);
    } catch (IOException e) {
      System.err.println("cannot delete " + folder + ": " + e.getMessage());
    }
  }

  private void enter(Path file, Path policy) {
    add("wc -l", "wc", "-l", "" + file);
    addPenstock("penstock replay", "replay", "--policy", "" + policy, "" + file);
    addPenstock("penstock advise", "advise", "--spare", "99", "" + file);
    addPenstock(
        "penstock advise --per endpoint",
        "advise",
        "--spare",
        "99",
        "--per",
        "endpoint",
        "" + file);
    Programs.find("goaccess")
        .ifPresent(
            goaccess ->
                add(
                    "goaccess",
                    "" + goaccess,
                    "" + file,
                    "--no-global-config",
                    "--log-format=COMBINED",
                    "--no-progress",
                    "-o",
                    file.resolveSibling("report.json").toString()));
  }

  private void add(String name, String... command) {
    programs.add(new LogProgram(name, List.of(command), new ArrayList<>()));
  }

  private void addPenstock(String name, String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+ExitOnOutOfMemoryError",
                "-XX:+IgnoreUnrecognizedVMOptions",
                "--sun-misc-unsafe-memory-access=allow",
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-jar",
                JAR.toString()));
    command.addAll(List.of(arguments));
    programs.add(new LogProgram(name, command, new ArrayList<>()));
  }

  private void run(Path folder) throws IOException, InterruptedException {
    int rounds = quick ? 1 : ROUNDS;
    Progress progress = new Progress(rounds * programs.size(), STEP_SECONDS);
    List<LogProgram> turns = new ArrayList<>(programs);
    for (int round = 1; round <= rounds; round++) {
      for (LogProgram program : turns) {
        progress.next("logs: %s, round %d of %d".formatted(program.name, round, rounds));
        MeasuredRun run = MeasuredRun.of(program.command, folder);
        program.runs.add(run);
        String row = "a log of " + lines + " lines";
        log.add(row, program.name, round, "seconds", run.seconds());
        log.add(row, program.name, round, "CPU seconds", run.cpuSeconds());
        log.add(row, program.name, round, "peak MiB", run.peakBytes() / BYTES_PER_MEBIBYTE);
      }
      Collections.reverse(turns);
    }
    progress.done();
  }

  private ReportTable table(Path file) throws IOException {
    ReportTable table =
        new ReportTable(
            format("reading a log of %,d lines, %,d MB", lines, Files.size(file) / 1_000_000),
            "",
            "seconds",
            "min..max",
            "CPU seconds",
            "lines/s",
            "peak MiB");
    for (LogProgram program : programs) {
      List<Double> seconds = program.figures(MeasuredRun::seconds);
      table.add(
          program.name,
          format("%,.2f", program.median(MeasuredRun::seconds)),
          format("%,.2f..%,.2f", Collections.min(seconds), Collections.max(seconds)),
          format("%,.2f", program.median(MeasuredRun::cpuSeconds)),
          format("%,.0f", lines / program.median(MeasuredRun::seconds)),
          format("%,.0f", program.median(MeasuredRun::peakBytes) / BYTES_PER_MEBIBYTE));
    }
    return table;
  }

  /** Returns the ratios. Those with targets are of the whole log only. */
  private List<Ratio> ratios() {
    List<Ratio> ratios = new ArrayList<>();
    for (LogProgram program : programs) {
      if (program.name.equals("penstock replay") || program.name.equals("penstock advise")) {
        String name = "logs." + program.name.substring("penstock ".length());
        if (!quick) {
          ratios.add(
              Ratio.of(name + ".seconds", Estimate.of(program.figures(MeasuredRun::seconds))));
          ratios.add(
              Ratio.of(
                  name + ".gibibytes",
                  Estimate.of(
                      program.figures(run -> run.peakBytes() / BYTES_PER_MEBIBYTE / 1024))));
        }
        programs.stream()
            .filter(peer -> peer.name.equals("goaccess"))
            .forEach(
                peer ->
                    ratios.add(
                        Ratio.of(
                            name + ".goaccess",
                            Estimate.ofRatios(
                                peer.figures(MeasuredRun::seconds),
                                program.figures(MeasuredRun::seconds)))));
      }
    }
    return ratios;
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
