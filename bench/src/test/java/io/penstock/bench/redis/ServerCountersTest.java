package io.penstock.bench.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class ServerCountersTest {
  private static final String INFO =
      """
      # Server\r
      redis_version:7.0.15\r
      # Memory\r
      used_memory:1048576\r
      # Stats\r
      total_net_input_bytes:300\r
      total_net_output_bytes:45\r
      # CPU\r
      used_cpu_sys:1.500000\r
      used_cpu_user:2.250000\r
      # Commandstats\r
      cmdstat_evalsha:calls=12,usec=340,usec_per_call=28.33,rejected_calls=0,failed_calls=1\r
      cmdstat_eval:calls=1,usec=60,usec_per_call=60.00,rejected_calls=0,failed_calls=0\r
      cmdstat_get:calls=99,usec=10,usec_per_call=0.10,rejected_calls=0,failed_calls=0\r
      """;

  private final ServerCounters counters = ServerCounters.parse(INFO);

  @Test
  void calls_severalCommands_areAddedUp() {
    assertThat(counters.calls(Set.of("evalsha", "eval"))).isEqualTo(13);
    assertThat(counters.micros(Set.of("evalsha", "eval"))).isEqualTo(400);
  }

  @Test
  void calls_neverUsed_isZero() {
    assertThat(counters.calls(Set.of("watch"))).isZero();
  }

  @Test
  void values_ofInfo_areConverted() {
    assertThat(counters.cpuMicros()).isEqualTo(3_750_000);
    assertThat(counters.usedMemory()).isEqualTo(1_048_576);
    assertThat(counters.wireBytes()).isEqualTo(345);
    assertThat(counters.text("redis_version")).contains("7.0.15");
  }
}
