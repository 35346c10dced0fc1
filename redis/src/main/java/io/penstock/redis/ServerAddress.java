package io.penstock.redis;

/** The address of a server in a cluster. */
record ServerAddress(String host, int port) {
  static final ServerAddress UNKNOWN = new ServerAddress("", 0);

  /** Parses {@code host:port}, where the host may be an IPv6 address without brackets. */
  static ServerAddress parse(String text) {
    int colon = text.lastIndexOf(':');
    if (colon < 0) {
      throw new IllegalArgumentException("address must have a port: " + text);
    }
    return new ServerAddress(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
  }

  /**
   * If the server doesn't know its own host, replaces it with the host of the server that reported
   * it.
   */
  ServerAddress seenFrom(ServerAddress source) {
    return host.isEmpty() ? new ServerAddress(source.host, port) : this;
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
