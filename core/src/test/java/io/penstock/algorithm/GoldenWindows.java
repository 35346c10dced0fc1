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
 * Traces of the window limits with their answers, like {@link GoldenVectors}. The program writes
 * the file anew.
 */
public final class GoldenWindows {
  public static final String FILE = "/io/penstock/vectors/windows.csv";
  public static final long TICK_NANOS = 1_000;
  private static final String HEADER =
      "case,kind,limit,window,now,cost,allowed,remaining,retry_after,reset_after";
  private static final String ACROSS = "-across";
  private static final int STEPPING_ROWS = 40;
  private static final long EPOCH = 1_790_000_000_000_000L;

  /** A request for {@code cost} thousandths at {@code now}, and how things stand after it. */
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
     * Whether all stores give the same answer: not where the clock has stepped back out of a fixed
     * window, or while a counter goes by the share of a previous window. There Redis goes by the
     * level at the last write, and the process can't.
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

  /** All rows; a new case starts with an unused window. */
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

  /** Asks a window, and counts what passes. */
  static Row ask(Row asked, Window window) {
    if (asked.cost > 0) {
      window.advance(asked.now);
    }
    long wait = window.waitFor(asked.now, asked.cost, asked.limit);
    if (wait == 0 && asked.cost > 0) {
      window.add(asked.now, asked.cost);
    }
    return new Row(
        asked.name,
        asked.kind,
        asked.limit,
        asked.window,
        asked.now,
        asked.cost,
        wait == 0,
        Math.max(0, asked.limit - window.used(asked.now)),
        wait,
        window.resetAfter(asked.now));
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
        Row asked = new Row(name, kind, limits[i][0], limits[i][1], EPOCH, 0, false, 0, 0, 0);
        Window window = Window.of(asked.windowLimit(), TICK_NANOS);
        long now = EPOCH;
        for (int n = 0; n < 60; n++) {
          long most = random.nextInt(6) == 0 ? 2 * asked.window : asked.window / 9;
          now += random.nextLong(most);
          long cost = 1_000 * random.nextLong(asked.limit / 1_000 / 2 + 1);
          Row at = new Row(name, kind, asked.limit, asked.window, now, cost, false, 0, 0, 0);
          lines.add(ask(at, window).toCsv());
        }
      }
    }
    for (Counting kind : Counting.values()) {
      for (int i = 0; i < limits.length; i++) {
        String name = kind.name().toLowerCase(java.util.Locale.ROOT) + "-" + i;
        Row asked = new Row(name, kind, limits[i][0], limits[i][1], EPOCH, 0, false, 0, 0, 0);
        stepBack(asked, "-back", random, lines);
        stepBack(asked, ACROSS, random, lines);
      }
    }
    Files.write(Path.of(args[0]), lines);
  }

  /** Adds a trace in which about every fourth step is one back, of up to a window. */
  private static void stepBack(Row asked, String suffix, Random random, List<String> lines) {
    Window window = Window.of(asked.windowLimit(), TICK_NANOS);
    long length = asked.window;
    long now = EPOCH;
    long counting = Long.MIN_VALUE;
    for (int n = 0; n < STEPPING_ROWS; n++) {
      long index = now / length;
      if (random.nextInt(4) == 0) {
        long back = random.nextLong(length);
        boolean anywhere = suffix.equals(ACROSS) || asked.kind == Counting.SLIDING_WINDOW_LOG;
        now = anywhere ? now - back : Math.max(now - back, index * length);
      } else if (random.nextInt(6) == 0) {
        now += random.nextLong(2 * length, 4 * length);
      } else {
        now += random.nextLong(length / 9);
      }
      if (!suffix.equals(ACROSS)
          && asked.kind == Counting.SLIDING_WINDOW_COUNTER
          && now / length == counting + 1) {
        // Nothing of the previous window: its share is taken of the time that the store goes by.
        now += length;
      }
      long cost = 1_000 * random.nextLong(1, asked.limit / 1_000 / 2 + 2);
      Row at =
          new Row(asked.name + suffix, asked.kind, asked.limit, length, now, cost, false, 0, 0, 0);
      Row row = ask(at, window);
      if (row.allowed) {
        counting = now / length;
      }
      lines.add(row.toCsv());
    }
  }
}
