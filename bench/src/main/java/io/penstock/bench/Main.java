package io.penstock.bench;

import io.penstock.bench.contest.FailedRunException;
import io.penstock.bench.local.LocalRun;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Runs one kind of benchmark: {@code local [--quick]}. */
public final class Main {
  private static final Map<String, Run> RUNS = new TreeMap<>(Map.of("local", LocalRun::run));

  /** A kind of benchmark: prints its tables, then its RATIO lines, and nothing after them. */
  private interface Run {
    void run(boolean quick) throws IOException, InterruptedException;
  }

  private Main() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    List<String> words = List.of(args);
    Run run = words.isEmpty() ? null : RUNS.get(words.get(0));
    List<String> options = words.isEmpty() ? words : words.subList(1, words.size());
    boolean quick = options.equals(List.of("--quick"));
    if (run == null || !(quick || options.isEmpty())) {
      System.err.println("usage: bench/run " + String.join("|", RUNS.keySet()) + " [--quick]");
      System.exit(2);
      return;
    }
    try {
      run.run(quick);
    } catch (FailedRunException failed) {
      System.err.println("FAILED " + failed.getMessage());
      System.exit(1);
    }
  }
}
