package io.penstock.bench.capacity;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Properties;

/**
 * What was measured.
 *
 * @param exactMicros of a core of Redis, for a decision on a key of its own
 * @param leasedMicros of a core of Redis, for a decision on a leased key
 * @param keyBytes of a bucket in Redis
 * @param clientMicros of a core of a node, for a decision by Redis
 * @param localMicros of a core of a node, for a decision by a lease or from memory
 * @param doorMicros of a core of a node, for a question over HTTP
 * @param busyPercent how much of a core is to be used
 */
record Figures(
    double exactMicros,
    double leasedMicros,
    double keyBytes,
    double clientMicros,
    double localMicros,
    double doorMicros,
    double busyPercent) {

  /** Those in {@code capacity.properties}, which says where each is from. */
  static Figures measured() {
    Properties file = new Properties();
    try (InputStream in = Figures.class.getResourceAsStream("/capacity.properties")) {
      file.load(Objects.requireNonNull(in, "capacity.properties"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new Figures(
        number(file, "redis.exact.micros"),
        number(file, "redis.leased.micros"),
        number(file, "redis.key.bytes"),
        number(file, "node.exact.micros"),
        number(file, "node.local.micros"),
        number(file, "node.door.micros"),
        number(file, "busy.percent"));
  }

  private static double number(Properties file, String name) {
    String text = file.getProperty(name);
    if (text == null) {
      throw new IllegalStateException("capacity.properties must have " + name);
    }
    return Double.parseDouble(text);
  }
}
