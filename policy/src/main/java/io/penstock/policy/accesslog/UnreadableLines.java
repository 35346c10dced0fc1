package io.penstock.policy.accesslog;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Counts lines that could not be read, and keeps the first ones of each cause. Not thread-safe. */
public final class UnreadableLines {
  private static final int MAX_SAMPLES_PER_CAUSE = 3;
  private static final int MAX_SAMPLE_LENGTH = 120;

  private final Map<Cause, Long> counts = new EnumMap<>(Cause.class);
  private final List<UnreadableLine> samples = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();
  private long total;

  /** Why a line can't be read. */
  public enum Cause {
    OTHER_FORMAT("not in the format of the log"),
    NO_TIME("no valid time"),
    NO_REQUEST("no address, method or path"),
    COUNT_TOO_LARGE("a number of requests above " + EntryReader.MAX_COUNT),
    TOO_LONG("longer than " + LineReader.MAX_LINE / 1024 + " KiB"),
    OTHER_TIME("a time far from those of the lines around it");

    private final String text;

    Cause(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /**
   * A line that can't be read.
   *
   * @param text its beginning, with control characters escaped
   */
  public record UnreadableLine(String source, long number, Cause cause, String text) {}

  /**
   * @param text supplies the {@link #beginning} of the line, if it is needed
   */
  void add(String source, long number, Cause cause, Supplier<String> text) {
    total++;
    if (counts.merge(cause, 1L, Long::sum) <= MAX_SAMPLES_PER_CAUSE) {
      samples.add(new UnreadableLine(source, number, cause, text.get()));
    }
  }

  /** Returns the beginning of a line, with control characters escaped. */
  static String beginning(byte[] line, int from, int to) {
    int end = Math.min(to, from + MAX_SAMPLE_LENGTH);
    String text = new String(line, from, end - from, StandardCharsets.UTF_8);
    return SafeText.of(text) + (end < to ? "…" : "");
  }

  /** Records that the rest of a source can't be read. */
  void addProblem(String problem) {
    problems.add(problem);
  }

  /** Returns the number of lines. */
  public long total() {
    return total;
  }

  /** Returns the number of lines by cause. */
  public Map<Cause, Long> counts() {
    return Map.copyOf(counts);
  }

  /** Returns the first lines of each cause. */
  public List<UnreadableLine> samples() {
    return List.copyOf(samples);
  }

  /** Returns what is wrong with whole sources, such as compressed data that ends early. */
  public List<String> problems() {
    return List.copyOf(problems);
  }
}
