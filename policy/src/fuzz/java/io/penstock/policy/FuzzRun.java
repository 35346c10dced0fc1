package io.penstock.policy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Fuzzes each target for some time in a separate process, and prints a summary line for each. Exits
 * with 1 if an input made a target fail or took too long; the input is then in the folder of the
 * target.
 */
public final class FuzzRun {
  private static final String DRIVER = "com.code_intelligence.jazzer.Jazzer";
  private static final List<Target> TARGETS =
      List.of(
          new Target("load.LoaderFuzz", 30),
          new Target("CostFuzz", 5),
          new Target("address.AddressFuzz", 10),
          new Target("http.HttpRequestFuzz", 10),
          new Target("jwt.JwtFuzz", 15),
          new Target("http.AnswersFuzz", 20),
          new Target("accesslog.LogFuzz", 10));

  /** Policies may refer to any file, so path traversal is not a bug here. */
  private static final String NOT_OUR_BUGS =
      "com.code_intelligence.jazzer.sanitizers.FilePathTraversal";

  /** Our own classes and the parsers that they use. */
  private static final String INSTRUMENTED =
      "io.penstock.**:org.yaml.**:com.fasterxml.jackson.core.**:com.nimbusds.**";

  private static final int MAX_SECONDS_PER_INPUT = 10;

  private static final int MAX_INPUT_LENGTH = 4096;
  private static final Pattern DONE = Pattern.compile("number_of_executed_units:\\s*(\\d+)");
  private static final Pattern COVERED = Pattern.compile(" cov: (\\d+) ");

  private final Path seeds;
  private final Path folder;

  /**
   * A fuzz target.
   *
   * @param className within our package
   * @param percent its share of the time; slow or complex targets get more
   */
  private record Target(String className, int percent) {
    String name() {
      return className.substring(className.indexOf('.') + 1);
    }
  }

  private FuzzRun(Path seeds, Path folder) {
    this.seeds = seeds;
    this.folder = folder;
  }

  /**
   * Arguments: the folder of seeds, the folder for results, the total time in seconds, and the name
   * of a single target or {@code all}.
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    FuzzRun run = new FuzzRun(Path.of(args[0]), Path.of(args[1]).toAbsolutePath());
    int seconds = Integer.parseInt(args[2]);
    boolean all = args[3].equals("all");
    List<Target> chosen =
        TARGETS.stream().filter(target -> all || target.name().equals(args[3])).toList();
    if (chosen.isEmpty()) {
      throw new IllegalArgumentException("fuzz.target must be all or one of " + TARGETS);
    }
    boolean sound = true;
    for (Target target : chosen) {
      sound &= run.fuzz(target, all ? Math.max(1, seconds * target.percent / 100) : seconds);
    }
    if (!sound) {
      System.exit(1);
    }
  }

  private boolean fuzz(Target target, int seconds) throws IOException, InterruptedException {
    String name = target.name();
    Path own = Files.createDirectories(folder.resolve(name));
    Path corpus = Files.createDirectories(own.resolve("corpus"));
    Path log = own.resolve("log.txt");
    Process process =
        new ProcessBuilder(command(target, seconds, own, corpus))
            .directory(own.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    boolean sound = process.waitFor() == 0;
    String written = Files.readString(log, ISO_8859_1);
    System.out.printf(
        "%-16s %d s, %s executions, %s edges covered, %s%n",
        name,
        seconds,
        last(DONE, written),
        last(COVERED, written),
        sound ? "no finding" : "FAILED: see " + log);
    return sound;
  }

  private List<String> command(Target target, int seconds, Path own, Path corpus) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // The driver attaches an agent to its own process to instrument classes as they are loaded.
    command.addAll(List.of("-XX:+IgnoreUnrecognizedVMOptions", "-XX:+EnableDynamicAgentLoading"));
    command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-Xmx1g", "-Xss1m"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), DRIVER));
    command.add("--target_class=io.penstock.policy." + target.className);
    command.add("--instrumentation_includes=" + INSTRUMENTED);
    command.add("--disabled_hooks=" + NOT_OUR_BUGS);
    command.add("--reproducer_path=" + own);
    command.add("-artifact_prefix=" + own + "/");
    command.add("-max_total_time=" + seconds);
    command.add("-timeout=" + MAX_SECONDS_PER_INPUT);
    command.add("-max_len=" + MAX_INPUT_LENGTH);
    command.add("-print_final_stats=1");
    Path dictionary = seeds.resolve(target.name() + ".dict").toAbsolutePath();
    if (Files.exists(dictionary)) {
      command.add("-dict=" + dictionary);
    }
    command.add(corpus.toString());
    Path good = seeds.resolve(target.name()).toAbsolutePath();
    if (Files.isDirectory(good)) {
      command.add(good.toString());
    }
    return command;
  }

  private static String last(Pattern figure, String written) {
    Matcher matcher = figure.matcher(written);
    String last = "?";
    while (matcher.find()) {
      last = matcher.group(1);
    }
    return last;
  }
}
