package io.penstock.redis;

/** Keys for probes, one in each slot. Immutable. */
final class ProbeKeys {
  private final String prefix;

  ProbeKeys(String keyPrefix) {
    this.prefix = keyPrefix + "probe";
  }

  /** For a server that has all slots. */
  byte[] any() {
    return Utf8.bytes(prefix);
  }

  /** A key that lies in a slot. Takes a millisecond or two. */
  byte[] in(int slot) {
    for (int i = 0; ; i++) {
      String key = prefix + i;
      if (SlotTable.slotOf(key) == slot) {
        return Utf8.bytes(key);
      }
    }
  }
}
