package io.penstock.bench;

import io.penstock.bench.capacity.Capacity;
import io.penstock.bench.contest.FailedRunException;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;

/** Runs benchmarks, such as {@code local [--quick] [--only <part>]}. */
public final class BenchMain {
  private static final String ALL = "all";
  private static final String CAPACITY = "capacity";

  private BenchMain() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    try {
      run(List.of(args));
    } catch (WrongUsageException wrong) {
      System.err.println("bench/run: " + wrong.getMessage());
      System.err.println("usage: bench/run " + known("|") + " " + Options.USAGE);
      System.exit(2);
    } catch (FailedRunException failed) {
      System.err.println("FAILED " + failed.getMessage());
      System.exit(1);
    }
  }

  private static void run(List<String> words) throws IOException, InterruptedException {
    String name = words.isEmpty() ? "" : words.get(0);
    if (name.equals(CAPACITY)) {
      System.out.println(Capacity.table());
      return;
    }
    List<Parts> runs =
        Parts.ALL.stream().filter(run -> name.equals(ALL) || run.name().equals(name)).toList();
    if (runs.isEmpty()) {
      throw new WrongUsageException("no run given; known: " + known(", "));
    }
    Options options = Options.parse(words.subList(1, words.size()));
    if (runs.size() > 1 && options.only() != null) {
      throw new WrongUsageException("--only requires a single run, not all");
    }
    new Session(name, options).measure(runs);
  }

  private static String known(String separator) {
    return Parts.ALL.stream().map(Parts::name).collect(Collectors.joining(separator))
        + separator
        + ALL
        + separator
        + CAPACITY;
  }
}
