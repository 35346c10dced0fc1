package io.penstock.redis;

/** Where a server of a cluster is. */
record Address(String host, int port) {
  static final Address UNKNOWN = new Address("", 0);

  /** From {@code host:port}, where the host may be an IPv6 address without brackets. */
  static Address parse(String text) {
    int colon = text.lastIndexOf(':');
    if (colon < 0) {
      throw new IllegalArgumentException("address must have a port: " + text);
    }
    return new Address(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
  }

  /** A server that doesn't know its own host means the one that it was asked at. */
  Address seenFrom(Address asked) {
    return host.isEmpty() ? new Address(asked.host, port) : this;
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
