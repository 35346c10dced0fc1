package io.penstock.bench;

import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The options of a run.
 *
 * @param quick whether a short, noisy run is enough
 * @param only the part to run; null for all parts
 * @param report whether to write the results to docs/BENCHMARKS.md
 */
record Options(boolean quick, @Nullable String only, boolean report) {
  static final String USAGE = "[--quick] [--only <part>] [--report]";

  /** Parses the arguments after the name of the run. */
  static Options parse(List<String> words) {
    boolean quick = false;
    String only = null;
    boolean report = false;
    for (Iterator<String> rest = words.iterator(); rest.hasNext(); ) {
      String word = rest.next();
      if (word.equals("--quick")) {
        quick = true;
      } else if (word.equals("--report")) {
        report = true;
      } else if (word.equals("--only") && rest.hasNext()) {
        only = rest.next();
      } else if (word.equals("--only")) {
        throw new WrongUsageException("--only requires the name of a part");
      } else {
        throw new WrongUsageException("unknown option: " + word);
      }
    }
    return new Options(quick, only, report);
  }

  /** Returns the options as on the command line. */
  @Override
  public String toString() {
    return (quick ? "--quick " : "")
        + (only == null ? "" : "--only " + only + " ")
        + (report ? "--report" : "")
        + (quick ? " (too noisy to quote)" : "");
  }

  /** Returns the parts to run. */
  <T> List<T> choose(List<T> parts, Function<T, String> name) {
    if (only == null) {
      return parts;
    }
    List<T> chosen = parts.stream().filter(part -> name.apply(part).equals(only)).toList();
    if (chosen.isEmpty()) {
      String known = parts.stream().map(name).collect(Collectors.joining(", "));
      throw new WrongUsageException("unknown part: " + only + "; known: " + known);
    }
    return chosen;
  }
}
