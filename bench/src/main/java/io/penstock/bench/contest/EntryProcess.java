package io.penstock.bench.contest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs one JVM that measures one entry. The output of JMH goes to a file. */
final class EntryProcess {
  private static final Path LOG = Path.of("bench", "target", "jmh.txt");

  private final Schedule schedule;
  private final List<String> heap;

  EntryProcess(Schedule schedule, String heap) {
    this.schedule = schedule;
    this.heap = List.of("-Xms" + heap, "-Xmx" + heap);
  }

  Sample run(Entry entry) {
    try {
      Files.createDirectories(LOG.getParent());
      return sample(new Runner(options(entry).build()).runSingle().getAggregatedResult());
    } catch (RunnerException failed) {
      throw new FailedRunException(entry + ": the fork failed, see " + LOG, failed);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private ChainedOptionsBuilder options(Entry entry) {
    TimeValue time = TimeValue.milliseconds(schedule.iteration().toMillis());
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include("^" + Pattern.quote(entry.benchmark()) + "$")
            .mode(Mode.Throughput)
            .timeUnit(TimeUnit.SECONDS)
            .threads(entry.row().threads())
            .forks(1)
            .warmupIterations(schedule.warmups())
            .warmupTime(time)
            .measurementIterations(schedule.iterations())
            .measurementTime(time)
            .addProfiler(GCProfiler.class)
            .jvmArgs(jvmOptions(entry))
            .shouldFailOnError(true)
            .verbosity(VerboseMode.NORMAL)
            .output(LOG.toString());
    entry.parameters().forEach(options::param);
    return options;
  }

  private String[] jvmOptions(Entry entry) {
    return Stream.of(Jvm.QUIET, heap, List.of(entry.collector().option()))
        .flatMap(List::stream)
        .toArray(String[]::new);
  }

  private static Sample sample(BenchmarkResult result) {
    return new Sample(
        result.getPrimaryResult().getScore(),
        secondary(result, "gc.alloc.rate.norm"),
        (long) secondary(result, "allowed"),
        (long) secondary(result, "denied"));
  }

  private static double secondary(BenchmarkResult result, String name) {
    return Objects.requireNonNull(result.getSecondaryResults().get(name), name).getScore();
  }
}
