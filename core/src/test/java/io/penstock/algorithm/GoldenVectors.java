package io.penstock.algorithm;

import io.penstock.Rate;
import io.penstock.TokenBucket;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Traces with their expected results, with ticks of one microsecond, that every implementation of
 * the token bucket has to reproduce. A trace consists of the rows of one case in order; it starts
 * with a full bucket. Costs and remaining tokens are thousandths, times are ticks.
 */
public final class GoldenVectors {
  public static final String FILE = "/io/penstock/vectors/token-bucket.csv";
  public static final long TICK_NANOS = 1_000;
  static final String HEADER =
      "case,rate,period_ms,burst,op,now,cost,max_delay,reach,"
          + "allowed,never_allowed,remaining,retry_after,reset_after,delay,full_at,remainder";

  /** The operation of a row. */
  public enum Op {
    TAKE,
    CHARGE,
    REFUND
  }

  /** A request, its expected result, and the state of the bucket afterwards. */
  public record Row(
      String name,
      BigDecimal rate,
      long periodMillis,
      long burst,
      Op op,
      long now,
      long cost,
      long maxDelay,
      long reach,
      boolean allowed,
      boolean neverAllowed,
      long remaining,
      long retryAfter,
      long resetAfter,
      long delay,
      long fullAt,
      long remainder) {

    public TokenBucket limit() {
      return new TokenBucket(Rate.of(rate, Duration.ofMillis(periodMillis)), burst);
    }

    String toCsv() {
      return String.join(
          ",",
          name,
          rate.toPlainString(),
          "" + periodMillis,
          "" + burst,
          op.name(),
          "" + now,
          "" + cost,
          "" + maxDelay,
          "" + reach,
          "" + allowed,
          "" + neverAllowed,
          "" + remaining,
          "" + retryAfter,
          "" + resetAfter,
          "" + delay,
          "" + fullAt,
          "" + remainder);
    }

    static Row parse(String line) {
      String[] f = line.split(",", -1);
      return new Row(
          f[0],
          new BigDecimal(f[1]),
          Long.parseLong(f[2]),
          Long.parseLong(f[3]),
          Op.valueOf(f[4]),
          Long.parseLong(f[5]),
          Long.parseLong(f[6]),
          Long.parseLong(f[7]),
          Long.parseLong(f[8]),
          Boolean.parseBoolean(f[9]),
          Boolean.parseBoolean(f[10]),
          Long.parseLong(f[11]),
          Long.parseLong(f[12]),
          Long.parseLong(f[13]),
          Long.parseLong(f[14]),
          Long.parseLong(f[15]),
          Long.parseLong(f[16]));
    }
  }

  private GoldenVectors() {}

  /** Reads all traces of the file. */
  public static List<List<Row>> read() {
    List<List<Row>> traces = new ArrayList<>();
    String name = "";
    for (String line : lines()) {
      if (line.startsWith("#") || line.equals(HEADER)) {
        continue;
      }
      Row row = Row.parse(line);
      if (!row.name.equals(name)) {
        traces.add(new ArrayList<>());
        name = row.name;
      }
      traces.get(traces.size() - 1).add(row);
    }
    return traces;
  }

  private static List<String> lines() {
    try (InputStream in = GoldenVectors.class.getResourceAsStream(FILE)) {
      if (in == null) {
        throw new IllegalStateException("no such resource: " + FILE);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
