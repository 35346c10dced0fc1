package io.penstock.server.envoy;

/** An entry of a descriptor in a request. */
record DescriptorEntry(String key, String value) {
  /** Returns the text that configured entries are matched against. */
  String composite() {
    return key + "_" + value;
  }
}
