package io.penstock.redis;

/** Where a server of a cluster is. */
record ServerAddress(String host, int port) {
  static final ServerAddress UNKNOWN = new ServerAddress("", 0);

  /** From {@code host:port}, where the host may be an IPv6 address without brackets. */
  static ServerAddress parse(String text) {
    int colon = text.lastIndexOf(':');
    if (colon < 0) {
      throw new IllegalArgumentException("address must have a port: " + text);
    }
    return new ServerAddress(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
  }

  /** A server that doesn't know its own host means the one that it was asked at. */
  ServerAddress seenFrom(ServerAddress asked) {
    return host.isEmpty() ? new ServerAddress(asked.host, port) : this;
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
