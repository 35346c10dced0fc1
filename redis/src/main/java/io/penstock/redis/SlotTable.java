package io.penstock.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.cluster.SlotHash;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The owners of all slots, as seen by one server. Immutable. */
record SlotTable(List<Range> ranges) {
  static final int SLOTS = SlotHash.SLOT_COUNT;

  SlotTable {
    ranges = List.copyOf(ranges);
  }

  /** Slots of one primary; {@code last} is inclusive. */
  record Range(int first, int last, ServerAddress owner) {}

  /** The slot of a key in Redis. */
  static int slotOf(String redisKey) {
    return SlotHash.getSlot(Utf8.bytes(redisKey));
  }

  /** The ranges in ascending order. */
  List<Range> inOrder() {
    return ranges.stream().sorted(Comparator.comparingInt(Range::first)).toList();
  }

  /**
   * Parses the reply to CLUSTER SLOTS. Each range has its first and last slot, its primary, and
   * replicas, which are ignored.
   */
  static SlotTable read(List<Object> slots, ServerAddress source) {
    List<Range> ranges = new ArrayList<>();
    for (Object entry : slots) {
      List<?> range = (List<?>) entry;
      List<?> primary = (List<?>) range.get(2);
      ServerAddress owner = new ServerAddress(text(primary.get(0)), number(primary.get(1)));
      ranges.add(new Range(number(range.get(0)), number(range.get(1)), owner.seenFrom(source)));
    }
    return new SlotTable(ranges);
  }

  private static int number(Object value) {
    return Math.toIntExact((Long) value);
  }

  /** Returns an empty string for an unknown host, which is null, empty or a question mark. */
  private static String text(@Nullable Object value) {
    String text = value instanceof byte[] bytes ? new String(bytes, UTF_8) : "";
    return text.equals("?") ? "" : text;
  }
}
