package io.penstock.bench.contest;

import io.penstock.bench.report.Progress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures entries by turns: one fork of each, then the next of each. What else the machine does
 * for a while then falls on all of them, not on one.
 */
public final class Contest {
  private final Schedule schedule;
  private final Fork fork;

  public Contest(Schedule schedule) {
    this(schedule, Jvm.HEAP);
  }

  /**
   * @param heap of each fork, as the JVM is told it
   */
  public Contest(Schedule schedule, String heap) {
    this.schedule = schedule;
    this.fork = new Fork(schedule, heap);
  }

  /** Fails if an entry does not answer what its row is about. */
  public Standings run(List<Entry> entries) {
    int total = entries.stream().mapToInt(schedule::forks).sum();
    Progress progress = new Progress(total, schedule.forkSeconds());
    Map<Entry, List<Sample>> samples = new LinkedHashMap<>();
    for (int round = 1; round <= schedule.decisiveForks(); round++) {
      for (Entry entry : entries) {
        int forks = schedule.forks(entry);
        if (round <= forks) {
          progress.next("%s, fork %d of %d".formatted(entry, round, forks));
          Sample sample = fork.run(entry);
          entry.row().outcome().check(entry, sample);
          samples.computeIfAbsent(entry, unused -> new ArrayList<>()).add(sample);
        }
      }
    }
    progress.done();
    Map<Entry, Score> scores = new LinkedHashMap<>();
    samples.forEach((entry, measured) -> scores.put(entry, new Score(measured)));
    return new Standings(scores);
  }
}
