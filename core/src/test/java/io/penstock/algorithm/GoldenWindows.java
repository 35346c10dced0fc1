package io.penstock.algorithm;

import io.penstock.WindowLimit;
import io.penstock.WindowLimit.Counting;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Traces of the window limits with their expected results, like {@link GoldenVectors}. The main
 * method regenerates the file.
 */
public final class GoldenWindows {
  public static final String FILE = "/io/penstock/vectors/windows.csv";
  public static final long TICK_NANOS = 1_000;
  private static final String HEADER =
      "case,kind,limit,window,now,cost,allowed,remaining,retry_after,reset_after";
  private static final String ACROSS = "-across";
  private static final int STEPPING_ROWS = 40;
  private static final long EPOCH = 1_790_000_000_000_000L;

  /** A request for {@code cost} thousandths at {@code now}, and the expected result. */
  public record Row(
      String name,
      Counting kind,
      long limit,
      long window,
      long now,
      long cost,
      boolean allowed,
      long remaining,
      long retryAfter,
      long resetAfter) {

    /**
     * Whether all stores give the same result. They don't after the clock has stepped back out of a
     * fixed window, or while a counter includes a fraction of a previous window: there, Redis uses
     * the level at the last write, which the in-process store doesn't know.
     */
    public boolean isCommon() {
      return kind == Counting.SLIDING_WINDOW_LOG || !name.endsWith(ACROSS);
    }

    public WindowLimit windowLimit() {
      return new WindowLimit(kind, limit, Duration.of(window, ChronoUnit.MICROS));
    }

    private String toCsv() {
      return name
          + ","
          + kind
          + ","
          + limit
          + ","
          + window
          + ","
          + now
          + ","
          + cost
          + ","
          + allowed
          + ","
          + remaining
          + ","
          + retryAfter
          + ","
          + resetAfter;
    }

    private static Row parse(String line) {
      String[] f = line.split(",", -1);
      long[] n = new long[f.length];
      for (int i : new int[] {2, 3, 4, 5, 7, 8, 9}) {
        n[i] = Long.parseLong(f[i]);
      }
      return new Row(
          f[0],
          Counting.valueOf(f[1]),
          n[2],
          n[3],
          n[4],
          n[5],
          Boolean.parseBoolean(f[6]),
          n[7],
          n[8],
          n[9]);
    }
  }

  private GoldenWindows() {}

  /** Reads all rows; a new case starts with an unused window. */
  public static List<Row> read() {
    try (InputStream in = GoldenWindows.class.getResourceAsStream(FILE)) {
      if (in == null) {
        throw new IllegalStateException("no such resource: " + FILE);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#") && !line.equals(HEADER))
          .map(Row::parse)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Evaluates a request, and counts it if it is allowed. */
  static Row evaluate(Row row, Window window) {
    if (row.cost > 0) {
      window.advance(row.now);
    }
    long wait = window.waitFor(row.now, row.cost, row.limit);
    if (wait == 0 && row.cost > 0) {
      window.add(row.now, row.cost);
    }
    return new Row(
        row.name,
        row.kind,
        row.limit,
        row.window,
        row.now,
        row.cost,
        wait == 0,
        Math.max(0, row.limit - window.used(row.now)),
        wait,
        window.resetAfter(row.now));
  }

  public static void main(String[] args) throws IOException {
    Random random = new Random(7);
    List<String> lines = new ArrayList<>();
    lines.add(
        "# Traces of window limits, each from an unused one; times are microseconds, amounts");
    lines.add("# thousandths of a token. The clock steps back in traces whose names end in -back,");
    lines.add("# where all stores agree, and in -across, where only logs are the same in Redis.");
    lines.add(HEADER);
    long[][] limits = {{5_000, 1_000_000}, {100_000, 60_000_000}, {3_000, 86_400_000_000L}};
    for (Counting kind : Counting.values()) {
      for (int i = 0; i < limits.length; i++) {
        String name = kind.name().toLowerCase(java.util.Locale.ROOT) + "-" + i;
        Row row = new Row(name, kind, limits[i][0], limits[i][1], EPOCH, 0, false, 0, 0, 0);
        Window window = Window.of(row.windowLimit(), TICK_NANOS);
        long now = EPOCH;
        for (int n = 0; n < 60; n++) {
          long maxStep = random.nextInt(6) == 0 ? 2 * row.window : row.window / 9;
          now += random.nextLong(maxStep);
          long cost = 1_000 * random.nextLong(row.limit / 1_000 / 2 + 1);
          Row at = new Row(name, kind, row.limit, row.window, now, cost, false, 0, 0, 0);
          lines.add(evaluate(at, window).toCsv());
        }
      }
    }
    for (Counting kind : Counting.values()) {
      for (int i = 0; i < limits.length; i++) {
        String name = kind.name().toLowerCase(java.util.Locale.ROOT) + "-" + i;
        Row row = new Row(name, kind, limits[i][0], limits[i][1], EPOCH, 0, false, 0, 0, 0);
        stepBack(row, "-back", random, lines);
        stepBack(row, ACROSS, random, lines);
      }
    }
    Files.write(Path.of(args[0]), lines);
  }

  /** Adds a trace in which about every fourth step goes back, by up to one window. */
  private static void stepBack(Row row, String suffix, Random random, List<String> lines) {
    Window window = Window.of(row.windowLimit(), TICK_NANOS);
    long length = row.window;
    long now = EPOCH;
    long counting = Long.MIN_VALUE;
    for (int n = 0; n < STEPPING_ROWS; n++) {
      long index = now / length;
      if (random.nextInt(4) == 0) {
        long back = random.nextLong(length);
        boolean anywhere = suffix.equals(ACROSS) || row.kind == Counting.SLIDING_WINDOW_LOG;
        now = anywhere ? now - back : Math.max(now - back, index * length);
      } else if (random.nextInt(6) == 0) {
        now += random.nextLong(2 * length, 4 * length);
      } else {
        now += random.nextLong(length / 9);
      }
      if (!suffix.equals(ACROSS)
          && row.kind == Counting.SLIDING_WINDOW_COUNTER
          && now / length == counting + 1) {
        // Nothing from the previous window, because its fraction depends on the clock of the store.
        now += length;
      }
      long cost = 1_000 * random.nextLong(1, row.limit / 1_000 / 2 + 2);
      Row at = new Row(row.name + suffix, row.kind, row.limit, length, now, cost, false, 0, 0, 0);
      Row next = evaluate(at, window);
      if (next.allowed) {
        counting = now / length;
      }
      lines.add(next.toCsv());
    }
  }
}
