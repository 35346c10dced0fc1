package io.penstock.algorithm;

import io.penstock.Rate;
import io.penstock.TokenBucket;
import io.penstock.algorithm.Bucket.TakeResult;
import io.penstock.algorithm.GoldenVectors.Op;
import io.penstock.algorithm.GoldenVectors.Row;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Regenerates the golden vectors: {@code java io.penstock.algorithm.GoldenVectorsWriter FILE}. Only
 * for an intended change of the semantics; the file is the contract and is maintained by hand.
 */
public final class GoldenVectorsWriter {
  /** A time in 2026 in microseconds, as on the clock of a Redis server. */
  private static final long EPOCH = 1_790_000_000_000_000L;

  private final List<Row> rows = new ArrayList<>();
  private final Random random = new Random(42);

  private record Terms(String rate, long periodMillis, long burst) {}

  public static void main(String[] args) throws IOException {
    GoldenVectorsWriter writer = new GoldenVectorsWriter();
    writer.writeAll();
    List<String> lines = new ArrayList<>();
    lines.add("# Traces of a token bucket, each from a full one; ticks are microseconds, amounts");
    lines.add("# thousandths of a token, full_at and remainder the state after the row.");
    lines.add(GoldenVectors.HEADER);
    writer.rows.forEach(row -> lines.add(row.toCsv()));
    Files.write(Path.of(args[0]), lines);
  }

  private void writeAll() {
    Terms[] terms = {
      new Terms("5", 1_000, 20_000),
      new Terms("3", 1_000, 3_000),
      new Terms("10", 1_000, 10_000),
      new Terms("0.083", 1_000, 5_000),
      new Terms("1", 60_000, 3_000),
      new Terms("0.0001", 1_000, 1_000),
      new Terms("1000", 3_600_000, 50_000),
      new Terms("1", 86_400_000, 1_000),
      new Terms("7", 1_000, 1),
      new Terms("999999", 1_000, 1_000_000),
      new Terms("1000000", 1_000, 1_000_000_000_000L),
      new Terms("12345.678901", 999, 777_777_777)
    };
    for (int i = 0; i < terms.length; i++) {
      trace("honest-" + i, 60, terms[i], terms[i], false);
      trace("hostile-" + i, 40, terms[i], terms[i], true);
      trace("changing-" + i, 40, terms[i], terms[(i + 1) % terms.length], false);
    }
  }

  private void trace(String name, int length, Terms first, Terms second, boolean hostile) {
    Terms terms = first;
    FixedPointRate fixedRate = fixedRate(terms);
    long now = EPOCH + random.nextInt(1_000_000);
    Bucket bucket = Bucket.full(now);
    long reach = 0;
    for (int i = 0; i < length; i++) {
      long window = fixedRate.ticks(fixedRate.burst());
      now += i == 0 ? 0 : step(window, hostile);
      if (!first.equals(second) && random.nextInt(4) == 0) {
        terms = terms.equals(first) ? second : first;
        bucket = bucket.under(fixedRate(terms), fixedRate, now, reach);
        fixedRate = fixedRate(terms);
      }
      Op op = random.nextInt(10) == 0 ? (random.nextBoolean() ? Op.CHARGE : Op.REFUND) : Op.TAKE;
      long cost = cost(terms.burst);
      long delay = op == Op.TAKE && random.nextInt(5) == 0 ? random.nextLong(1, window + 2) : 0;
      TakeResult verdict = apply(fixedRate, bucket, op, now, cost, delay, reach);
      bucket = verdict.next();
      rows.add(row(name, terms, op, now, cost, delay, reach, fixedRate, verdict));
      if (verdict.allowed() && cost > 0) {
        reach = Math.max(reach, fixedRate.ticks(verdict.debt() - fixedRate.burst()));
      }
    }
  }

  private static TakeResult apply(
      FixedPointRate fixedRate, Bucket bucket, Op op, long now, long cost, long delay, long reach) {
    if (op == Op.TAKE) {
      return bucket.take(fixedRate, now, cost, delay, reach);
    }
    Bucket next =
        op == Op.CHARGE
            ? bucket.charge(fixedRate, now, cost, reach)
            : bucket.refund(fixedRate, now, cost, reach);
    long debt = next.debt(fixedRate, now, Long.MAX_VALUE);
    return new TakeResult(true, false, next, debt, 0, fixedRate.ticks(debt - fixedRate.burst()));
  }

  private static Row row(
      String name,
      Terms terms,
      Op op,
      long now,
      long cost,
      long delay,
      long reach,
      FixedPointRate fixedRate,
      TakeResult verdict) {
    return new Row(
        name,
        new BigDecimal(terms.rate),
        terms.periodMillis,
        terms.burst,
        op,
        now,
        cost,
        delay,
        reach,
        verdict.allowed(),
        verdict.neverAllowed(),
        fixedRate.remaining(verdict.debt()),
        verdict.retryAfter(),
        fixedRate.ticks(verdict.debt()),
        verdict.delay(),
        verdict.next().fullAt(),
        verdict.next().remainder());
  }

  private long step(long window, boolean hostile) {
    if (hostile && random.nextInt(4) == 0) {
      return -random.nextLong(1, 3 * window + 2);
    }
    long[] bounds = {1, 2, window / 7 + 2, window + 2, 2 * window + 2};
    return random.nextLong(bounds[random.nextInt(bounds.length)]);
  }

  private long cost(long burst) {
    long[] costs = {0, 1, 1_000, burst / 3, burst / 2 + 1, burst, burst + 1};
    return costs[random.nextInt(costs.length)];
  }

  private static FixedPointRate fixedRate(Terms terms) {
    Rate rate = Rate.of(new BigDecimal(terms.rate), Duration.ofMillis(terms.periodMillis));
    return FixedPointRate.of(new TokenBucket(rate, terms.burst), GoldenVectors.TICK_NANOS);
  }
}
