package io.penstock.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.algorithm.Bucket.TakeResult;
import io.penstock.algorithm.GoldenVectors.Op;
import io.penstock.algorithm.GoldenVectors.Row;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** P11: the pure function reproduces the golden vectors exactly. */
class GoldenVectorsTest {
  @TestFactory
  Stream<DynamicTest> bucket_onEveryTrace_givesTheGoldenAnswers() {
    List<List<Row>> traces = GoldenVectors.read();
    assertThat(traces).hasSizeGreaterThan(30);
    return traces.stream()
        .map(trace -> DynamicTest.dynamicTest(trace.get(0).name(), () -> replay(trace)));
  }

  private static void replay(List<Row> trace) {
    FixedPointRate fixedRate = fixedRate(trace.get(0));
    Bucket bucket = Bucket.full(trace.get(0).now());
    for (Row row : trace) {
      FixedPointRate next = fixedRate(row);
      if (!next.equals(fixedRate)) {
        bucket = bucket.under(next, fixedRate, row.now(), row.reach());
        fixedRate = next;
      }
      if (row.op() == Op.TAKE) {
        TakeResult verdict =
            bucket.take(fixedRate, row.now(), row.cost(), row.maxDelay(), row.reach());
        assertThat(verdict.allowed()).as("%s", row).isEqualTo(row.allowed());
        assertThat(verdict.neverAllowed()).as("%s", row).isEqualTo(row.neverAllowed());
        assertThat(verdict.retryAfter()).as("%s", row).isEqualTo(row.retryAfter());
        assertThat(verdict.delay()).as("%s", row).isEqualTo(row.delay());
        assertThat(fixedRate.remaining(verdict.debt())).as("%s", row).isEqualTo(row.remaining());
        assertThat(fixedRate.ticks(verdict.debt())).as("%s", row).isEqualTo(row.resetAfter());
        bucket = verdict.next();
      } else if (row.op() == Op.CHARGE) {
        bucket = bucket.charge(fixedRate, row.now(), row.cost(), row.reach());
      } else {
        bucket = bucket.refund(fixedRate, row.now(), row.cost(), row.reach());
      }
      assertThat(bucket).as("%s", row).isEqualTo(new Bucket(row.fullAt(), row.remainder()));
    }
  }

  private static FixedPointRate fixedRate(Row row) {
    return FixedPointRate.of(row.limit(), GoldenVectors.TICK_NANOS);
  }
}
