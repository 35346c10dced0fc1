package io.penstock.bench;

import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How a run was asked for.
 *
 * @param quick whether short and noisy will do
 * @param only the one part to run; null for all
 * @param report whether to write the findings to the page of all
 */
record Options(boolean quick, @Nullable String only, boolean report) {
  static final String USAGE = "[--quick] [--only <part>] [--report]";

  /** Reads the words behind the name of the run. */
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
        throw new WrongUsageException("--only needs the name of a part");
      } else {
        throw new WrongUsageException("unknown option: " + word);
      }
    }
    return new Options(quick, only, report);
  }

  /** As they were asked for. */
  @Override
  public String toString() {
    return (quick ? "--quick " : "")
        + (only == null ? "" : "--only " + only + " ")
        + (report ? "--report" : "")
        + (quick ? " (too short to be quoted)" : "");
  }

  /** The parts to run, of all that there are. */
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
