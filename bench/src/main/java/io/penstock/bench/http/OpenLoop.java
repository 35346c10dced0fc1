package io.penstock.bench.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.penstock.bench.contest.FailedRunException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * An open-loop load generator: it sends at a rate that does not depend on the responses. Latency
 * counts from the scheduled time of a request, whether or not it could be sent then.
 */
final class OpenLoop {
  private static final int CONNECTIONS = 32;
  private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Histogram nanos = new Histogram(MAX_NANOS, 3);
  private final Deque<BenchConnection> idle = new ArrayDeque<>();
  private final Deque<Long> waiting = new ArrayDeque<>();
  private long completed;

  private OpenLoop() {}

  /** Generates load and returns the latencies in nanoseconds. */
  static Histogram run(int port, BenchRequest request, double perSecond, long seconds)
      throws IOException {
    return new OpenLoop().generate(port, request, perSecond, seconds);
  }

  private Histogram generate(int port, BenchRequest request, double perSecond, long seconds)
      throws IOException {
    InetSocketAddress server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    byte[] bytes = request.bytes().getBytes(US_ASCII);
    List<BenchConnection> all = new ArrayList<>();
    try (Selector selector = Selector.open()) {
      for (int i = 0; i < CONNECTIONS; i++) {
        BenchConnection connection = new BenchConnection(server, bytes, selector);
        all.add(connection);
        idle.add(connection);
      }
      long total = Math.round(perSecond * seconds);
      long start = System.nanoTime();
      long due = 0;
      while (completed < total) {
        long passed = System.nanoTime() - start;
        // Spins instead of sleeping: a timer would be late by more than the latency.
        for (; due < total && due * 1e9 / perSecond <= passed; due++) {
          waiting.add(start + Math.round(due * 1e9 / perSecond));
        }
        while (!waiting.isEmpty() && !idle.isEmpty()) {
          idle.remove().send(waiting.remove());
        }
        selector.selectNow(key -> receive((BenchConnection) key.attachment()));
        if (passed > TimeUnit.SECONDS.toNanos(seconds) + TIMEOUT_NANOS) {
          throw new FailedRunException(
              "%s: %d of %d responses after %d s"
                  .formatted(request, completed, total, seconds + 5));
        }
      }
    } finally {
      for (BenchConnection connection : all) {
        connection.close();
      }
    }
    return nanos;
  }

  private void receive(BenchConnection connection) {
    if (connection.readResponse()) {
      nanos.recordValue(Math.min(MAX_NANOS, System.nanoTime() - connection.dueNanos()));
      completed++;
      idle.add(connection);
    }
  }
}
