package io.penstock.bench.capacity;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Properties;

/**
 * The measurements that plans are based on. Times are CPU time.
 *
 * @param exactMicros of Redis, for an exact decision
 * @param leasedMicros of Redis, for a decision on a leased key
 * @param keyBytes memory of a bucket in Redis
 * @param clientMicros of a node, for a decision by Redis
 * @param localMicros of a node, for a decision from a lease or a cached denial
 * @param httpMicros of a node, for a request over HTTP
 * @param busyPercent the target utilization of a core
 */
record CapacityFigures(
    double exactMicros,
    double leasedMicros,
    double keyBytes,
    double clientMicros,
    double localMicros,
    double httpMicros,
    double busyPercent) {

  /** Reads {@code capacity.properties}, which documents the source of each value. */
  static CapacityFigures measured() {
    Properties file = new Properties();
    try (InputStream in = CapacityFigures.class.getResourceAsStream("/capacity.properties")) {
      file.load(Objects.requireNonNull(in, "capacity.properties"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new CapacityFigures(
        number(file, "redis.exact.micros"),
        number(file, "redis.leased.micros"),
        number(file, "redis.key.bytes"),
        number(file, "node.exact.micros"),
        number(file, "node.local.micros"),
        number(file, "node.http.micros"),
        number(file, "busy.percent"));
  }

  private static double number(Properties file, String name) {
    String text = file.getProperty(name);
    if (text == null) {
      throw new IllegalStateException("missing in capacity.properties: " + name);
    }
    return Double.parseDouble(text);
  }
}
