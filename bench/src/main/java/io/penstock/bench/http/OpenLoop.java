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
 * Asks at a rate that does not depend on the answers, as the world does. The time of an answer
 * counts from when its question was due, whether or not it could be sent then.
 */
final class OpenLoop {
  private static final int CONNECTIONS = 32;
  private static final long HIGHEST_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Histogram nanos = new Histogram(HIGHEST_NANOS, 3);
  private final Deque<Exchange> idle = new ArrayDeque<>();
  private final Deque<Long> waiting = new ArrayDeque<>();
  private long answered;

  private OpenLoop() {}

  /** Times of answers, in nanoseconds. */
  static Histogram ask(int port, Question question, double perSecond, long seconds)
      throws IOException {
    return new OpenLoop().run(port, question, perSecond, seconds);
  }

  private Histogram run(int port, Question question, double perSecond, long seconds)
      throws IOException {
    InetSocketAddress server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    byte[] request = question.bytes().getBytes(US_ASCII);
    List<Exchange> all = new ArrayList<>();
    try (Selector selector = Selector.open()) {
      for (int i = 0; i < CONNECTIONS; i++) {
        Exchange exchange = new Exchange(server, request, selector);
        all.add(exchange);
        idle.add(exchange);
      }
      long total = Math.round(perSecond * seconds);
      long start = System.nanoTime();
      long due = 0;
      while (answered < total) {
        long passed = System.nanoTime() - start;
        // Spins rather than sleeps: a timer would be late by more than an answer takes.
        for (; due < total && due * 1e9 / perSecond <= passed; due++) {
          waiting.add(start + Math.round(due * 1e9 / perSecond));
        }
        while (!waiting.isEmpty() && !idle.isEmpty()) {
          idle.remove().send(waiting.remove());
        }
        selector.selectNow(key -> receive((Exchange) key.attachment()));
        if (passed > TimeUnit.SECONDS.toNanos(seconds) + PATIENCE_NANOS) {
          throw new FailedRunException(
              "%s: %d of %d answers after %d s".formatted(question, answered, total, seconds + 5));
        }
      }
    } finally {
      for (Exchange exchange : all) {
        exchange.close();
      }
    }
    return nanos;
  }

  private void receive(Exchange exchange) {
    if (exchange.isAnswered()) {
      nanos.recordValue(Math.min(HIGHEST_NANOS, System.nanoTime() - exchange.dueNanos()));
      answered++;
      idle.add(exchange);
    }
  }
}
