package io.penstock.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class SlotTableTest {
  private static final ServerAddress SOURCE = new ServerAddress("10.0.0.1", 7000);

  private static int slot(char family, String name, String key) {
    return SlotTable.slotOf(RedisKeys.of(RedisKeys.prefix("penstock:", family, name), key));
  }

  @Test
  void slotOf_oneKeyOfSeveralLimiters_isTheSame() {
    for (String key :
        List.of("42", "a}b", "{", "x".repeat(5_000), "\u00e9\ud83d\ude00", "\ud83d")) {
      assertThat(slot('t', "user", key))
          .as(key)
          .isEqualTo(slot('w', "a:{name}", key))
          .isEqualTo(slot('l', "x", key));
    }
  }

  @Test
  void slotOf_globalBucket_isThatOfItsName() {
    assertThat(slot('t', "global", "")).isEqualTo(SlotTable.slotOf("{global}"));
    assertThat(slot('t', "global", "")).isEqualTo(slot('w', "global", ""));
    assertThat(slot('t', "global", "")).isNotEqualTo(slot('t', "other", ""));
  }

  @Test
  void slotOf_keyThatClosesTheTag_isValidNevertheless() {
    // An empty tag is ignored and the whole name is hashed, so these are requested one by one.
    assertThat(slot('t', "user", "}x")).isNotEqualTo(slot('t', "other", "}x"));
  }

  @Test
  void slotOf_exampleOfTheSpecification_isReproduced() {
    assertThat(SlotTable.slotOf("123456789")).isEqualTo(0x31c3);
  }

  @Test
  void read_primaryAndReplica_takesThePrimary() {
    SlotTable table =
        SlotTable.read(
            List.of(
                List.of(5L, 9L, server("10.0.0.2", 7001), server("10.0.0.3", 7002)),
                List.of(0L, 4L, server("", 7003)),
                List.of(10L, 10L, server(null, 7004)),
                List.of(11L, 12L, server("?", 7005))),
            SOURCE);
    assertThat(table.inOrder())
        .containsExactly(
            new SlotTable.Range(0, 4, new ServerAddress("10.0.0.1", 7003)),
            new SlotTable.Range(5, 9, new ServerAddress("10.0.0.2", 7001)),
            new SlotTable.Range(10, 10, new ServerAddress("10.0.0.1", 7004)),
            new SlotTable.Range(11, 12, new ServerAddress("10.0.0.1", 7005)));
  }

  private static List<Object> server(String host, long port) {
    return Arrays.asList(
        host == null ? null : host.getBytes(UTF_8), port, "id".getBytes(UTF_8), List.of());
  }

  @Test
  void probeKeys_anySlot_areInThatSlot() {
    ProbeKeys keys = new ProbeKeys("penstock:");
    for (int slot : new int[] {0, 1, 5_460, 16_383}) {
      assertThat(SlotTable.slotOf(new String(keys.in(slot), UTF_8))).isEqualTo(slot);
    }
  }
}
