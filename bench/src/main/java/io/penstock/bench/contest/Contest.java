package io.penstock.bench.contest;

import io.penstock.bench.report.Progress;
import io.penstock.bench.report.RunLog;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Measures entries in turns: one fork of each, then the next fork of each, in reverse order.
 * Temporary load of the machine then affects all entries, not just one.
 */
public final class Contest {
  private final Schedule schedule;
  private final EntryProcess fork;
  private final RunLog log;

  public Contest(Schedule schedule, RunLog log) {
    this(schedule, Jvm.HEAP, log);
  }

  /**
   * @param heap the heap size of each fork, such as {@code 2g}
   */
  public Contest(Schedule schedule, String heap, RunLog log) {
    this.schedule = schedule;
    this.fork = new EntryProcess(schedule, heap);
    this.log = log;
  }

  /** Measures all entries. Fails if an entry does not have the expected outcome. */
  public Standings run(List<Entry> entries) {
    int total = entries.stream().mapToInt(schedule::forks).sum();
    Progress progress = new Progress(total, schedule.forkSeconds());
    Map<Entry, List<Sample>> samples = new LinkedHashMap<>();
    // The tables have the order of the entries, not that of the last round.
    entries.forEach(entry -> samples.put(entry, new ArrayList<>()));
    List<Entry> turns = new ArrayList<>(entries);
    for (int round = 1; round <= schedule.maxForks(); round++) {
      for (Entry entry : turns) {
        int forks = schedule.forks(entry);
        if (round <= forks) {
          progress.next("%s, fork %d of %d".formatted(entry, round, forks));
          Sample sample = fork.run(entry);
          String row = entry.row().toString();
          log.add(row, entry.contender(), round, "ops/s", sample.opsPerSecond());
          log.add(row, entry.contender(), round, "bytes/op", sample.bytesPerOp());
          entry.row().outcome().check(entry, sample);
          Objects.requireNonNull(samples.get(entry)).add(sample);
        }
      }
      Collections.reverse(turns);
    }
    progress.done();
    Map<Entry, Score> scores = new LinkedHashMap<>();
    samples.forEach((entry, measured) -> scores.put(entry, new Score(measured)));
    return new Standings(scores);
  }
}
