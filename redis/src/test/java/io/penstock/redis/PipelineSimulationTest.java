package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.redis.PipelineSimulation.Outcome;
import io.penstock.redis.PipelineSimulation.Scenario;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares batched calls with one call per request, in virtual time. */
class PipelineSimulationTest {
  private static final long LOOPBACK_NANOS = 40_000;

  static Stream<Scenario> scenarios() {
    return Stream.of(true, false)
        .flatMap(
            hotKey ->
                LongStream.of(LOOPBACK_NANOS, 200_000, 500_000, 1_000_000, 5_000_000)
                    .boxed()
                    .flatMap(
                        roundTrip ->
                            IntStream.of(1, 4, 16, 64, 256)
                                .mapToObj(
                                    callers -> new Scenario(true, hotKey, roundTrip, callers))));
  }

  private static Outcome unbatched(Scenario scenario) {
    return new PipelineSimulation(
            new Scenario(false, scenario.hotKey(), scenario.roundTripNanos(), scenario.callers()))
        .run();
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void window_anyRoundTripAndCallers_isNeverWorseThanOneCallPerRequest(Scenario scenario) {
    Outcome batched = new PipelineSimulation(scenario).run();
    Outcome unbatched = unbatched(scenario);
    assertThat((double) batched.requests() / unbatched.requests()).isGreaterThan(0.97);
    assertThat((double) batched.p50Nanos() / unbatched.p50Nanos()).isLessThan(1.03);
    assertThat((double) batched.p99Nanos() / unbatched.p99Nanos()).isLessThan(1.1);
  }

  @Test
  void window_manyCallersNearby_sendsFewLargeCalls() {
    Outcome outcome = new PipelineSimulation(new Scenario(true, true, LOOPBACK_NANOS, 64)).run();
    assertThat((double) outcome.calls() / outcome.requests()).isLessThan(0.2);
  }
}
