package io.penstock.bench.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Appends every measurement to files that are committed, before it is known whether the run is a
 * good one: {@code runs.csv} has a line for each run, {@code figures.csv} one for each figure of
 * each round.
 */
public final class RunLog {
  private static final String RUNS = "runs.csv";
  private static final String FIGURES = "figures.csv";
  private static final MathContext DIGITS = new MathContext(6);

  /** Null for a log that keeps nothing. */
  private final @Nullable Path folder;

  private final String started;
  private final String part;

  private RunLog(@Nullable Path folder, String started, String part) {
    this.folder = folder;
    this.started = started;
    this.part = part;
  }

  /** Returns a log that keeps nothing. */
  public static RunLog none() {
    return new RunLog(null, "", "");
  }

  /** Starts a run. */
  public static RunLog open(Path folder, String command) {
    String started = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    return open(folder, started, Commit.current(), Machine.name(), Machine.java(), command);
  }

  static RunLog open(Path folder, String started, String... columns) {
    RunLog log = new RunLog(folder, started, "");
    log.append(RUNS, "started,commit,machine,java,command", started + "," + line(columns));
    return log;
  }

  /** Returns the log of a part of this run. */
  public RunLog of(String run, String name) {
    return new RunLog(folder, started, run + " " + name);
  }

  /**
   * Appends a figure.
   *
   * @param round the number of the round, from 1
   * @param figure the name of the figure with its unit
   */
  public void add(String row, String contender, int round, String figure, double value) {
    String number =
        Double.isFinite(value) ? new BigDecimal(value, DIGITS).toPlainString() : "" + value;
    append(
        FIGURES,
        "started,part,row,contender,round,figure,value",
        line(started, part, row, contender, "" + round, figure, number));
  }

  private static String line(String... cells) {
    return Arrays.stream(cells).map(RunLog::quoted).collect(Collectors.joining(","));
  }

  private static String quoted(String cell) {
    return cell.matches("[^,\"\n]*") ? cell : "\"" + cell.replace("\"", "\"\"") + "\"";
  }

  private void append(String file, String header, String line) {
    if (folder == null) {
      return;
    }
    Path path = folder.resolve(file);
    try {
      Files.createDirectories(folder);
      if (!Files.exists(path)) {
        Files.writeString(path, header + "\n", UTF_8);
      }
      Files.writeString(path, line + "\n", UTF_8, StandardOpenOption.APPEND);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
