package io.penstock.redis;

/** Generates keys for probes, one for each slot. Immutable. */
final class ProbeKeys {
  private final String prefix;

  ProbeKeys(String keyPrefix) {
    this.prefix = keyPrefix + "probe";
  }

  /** Returns a key for a server that has all slots. */
  byte[] any() {
    return Utf8.bytes(prefix);
  }

  /** Searches for a key in a slot, which takes a millisecond or two. */
  byte[] in(int slot) {
    for (int i = 0; ; i++) {
      String key = prefix + i;
      if (SlotTable.slotOf(key) == slot) {
        return Utf8.bytes(key);
      }
    }
  }
}
