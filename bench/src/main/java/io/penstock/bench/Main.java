package io.penstock.bench;

import io.penstock.bench.contest.FailedRunException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Runs one kind of benchmark, such as {@code local [--quick] [--only <part>]}. */
public final class Main {
  private static final Map<String, Parts> RUNS =
      new TreeMap<>(
          Map.of(
              "local",
              Parts.LOCAL,
              "redis",
              Parts.REDIS,
              "http",
              Parts.HTTP,
              "spring",
              Parts.SPRING));

  private Main() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    try {
      run(List.of(args));
    } catch (WrongUsageException wrong) {
      String runs = String.join("|", RUNS.keySet());
      System.err.println("bench/run: " + wrong.getMessage());
      System.err.println("usage: bench/run " + runs + " " + Options.USAGE);
      System.exit(2);
    } catch (FailedRunException failed) {
      System.err.println("FAILED " + failed.getMessage());
      System.exit(1);
    }
  }

  private static void run(List<String> words) throws IOException, InterruptedException {
    Parts run = words.isEmpty() ? null : RUNS.get(words.get(0));
    if (run == null) {
      throw new WrongUsageException("say what to run; known: " + String.join(", ", RUNS.keySet()));
    }
    run.measure(Options.parse(words.subList(1, words.size())));
  }
}
