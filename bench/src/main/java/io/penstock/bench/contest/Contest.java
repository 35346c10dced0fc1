package io.penstock.bench.contest;

import io.penstock.bench.report.Progress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures entries in turns: one fork of each, then the next fork of each. Temporary load of the
 * machine then affects all entries, not just one.
 */
public final class Contest {
  private final Schedule schedule;
  private final Fork fork;

  public Contest(Schedule schedule) {
    this(schedule, Jvm.HEAP);
  }

  /**
   * @param heap the heap size of each fork, such as {@code 2g}
   */
  public Contest(Schedule schedule, String heap) {
    this.schedule = schedule;
    this.fork = new Fork(schedule, heap);
  }

  /** Measures all entries. Fails if an entry does not have the expected outcome. */
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
