package io.penstock.redis;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Random;

/**
 * Simulates callers that send one request after another, an event loop, a network and a server, in
 * virtual time. The event loop and the server do one thing at a time; the network keeps the order.
 * Not thread-safe.
 */
final class PipelineSimulation {
  private static final long START_NANOS = 200_000_000;
  private static final long END_NANOS = 400_000_000;

  /** The time that the event loop takes to send a call, to read a reply, and per caller. */
  private static final long SEND_NANOS = 9_000;

  private static final long READ_NANOS = 6_000;
  private static final long COMPLETE_NANOS = 2_000;

  /** The time that the server takes per call, per key, and per repeated request. */
  private static final long CALL_NANOS = 7_000;

  private static final long KEY_NANOS = 4_000;
  private static final long REPEATED_NANOS = 300;

  /** The time between a response and the next request of a caller. */
  private static final long CALLER_NANOS = 4_000;

  private static final double JITTER = 0.05;
  private static final int MAX_REQUESTS = 256;

  /** Large calls for one key complete their callers before the next call is sent. */
  private static final int MIN_CALLERS_PER_KEY = 8;

  /**
   * @param batched whether {@link CallWindow} decides when to send; otherwise each request is a
   *     call of its own
   */
  record Scenario(boolean batched, boolean hotKey, long roundTripNanos, int callers) {}

  /** What the callers saw after a warm-up. */
  record Outcome(long requests, long calls, long p50Nanos, long p99Nanos) {}

  private record Event(long nanos, long number, Runnable action) {}

  private record Request(long startNanos) {}

  private final Scenario scenario;
  private final Random random = new Random(1);
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::nanos).thenComparingLong(Event::number));
  private final CallWindow window = new CallWindow();
  private final Queue<Request> waiting = new ArrayDeque<>();
  private final Stage eventLoop = new Stage();
  private final Stage server = new Stage();
  private final Line request = new Line();
  private final Line reply = new Line();
  private final List<Long> latencies = new ArrayList<>();
  private long now;
  private long nextEvent;
  private int callsInFlight;
  private int requestsInFlight;
  private long calls;

  PipelineSimulation(Scenario scenario) {
    this.scenario = scenario;
  }

  Outcome run() {
    for (int caller = 0; caller < scenario.callers; caller++) {
      schedule(caller, this::submit);
    }
    while (now < END_NANOS) {
      Event next = events.remove();
      now = next.nanos;
      next.action.run();
    }
    Collections.sort(latencies);
    int count = latencies.size();
    return new Outcome(count, calls, latencies.get(count / 2), latencies.get(count * 99 / 100));
  }

  private void schedule(long nanos, Runnable action) {
    events.add(new Event(nanos, nextEvent++, action));
  }

  /** Does one thing after another. */
  private final class Stage {
    private long idleNanos;

    void run(long durationNanos, Runnable then) {
      idleNanos = Math.max(now, idleNanos) + durationNanos;
      schedule(idleNanos, then);
    }
  }

  /** One direction of the connection. */
  private final class Line {
    private long lastNanos;

    void send(Runnable arrived) {
      double delay = scenario.roundTripNanos / 2.0 * (1 + JITTER * random.nextDouble());
      lastNanos = Math.max(lastNanos, now + (long) delay);
      schedule(lastNanos, arrived);
    }
  }

  private void submit() {
    waiting.add(new Request(now));
    send();
  }

  private void send() {
    while (!waiting.isEmpty() && isAdmitted()) {
      int max = scenario.batched && !window.isProbing() ? MAX_REQUESTS : 1;
      List<Request> requests = new ArrayList<>();
      while (requests.size() < max && !waiting.isEmpty()) {
        requests.add(waiting.remove());
      }
      send(requests);
    }
  }

  private boolean isAdmitted() {
    return !scenario.batched || window.admits(waiting.size(), callsInFlight, requestsInFlight);
  }

  private void send(List<Request> requests) {
    int inFlight = ++callsInFlight;
    requestsInFlight += requests.size();
    calls += now >= START_NANOS ? 1 : 0;
    boolean unloaded = window.isUnloaded(requestsInFlight);
    long sent = now;
    Runnable replied =
        () -> {
          window.replied(now, now - sent, inFlight, unloaded);
          replied(requests);
        };
    eventLoop.run(
        SEND_NANOS,
        () ->
            request.send(
                () ->
                    server.run(
                        serverNanos(requests.size()),
                        () -> reply.send(() -> eventLoop.run(READ_NANOS, replied)))));
  }

  private long serverNanos(int requests) {
    long keys = scenario.hotKey ? 1 : requests;
    return CALL_NANOS + keys * KEY_NANOS + (requests - keys) * REPEATED_NANOS;
  }

  private void replied(List<Request> requests) {
    if (scenario.hotKey && requests.size() >= MIN_CALLERS_PER_KEY) {
      complete(requests);
      eventLoop.run(0, () -> ended(requests));
    } else {
      ended(requests);
      complete(requests);
    }
  }

  private void ended(List<Request> requests) {
    requestsInFlight -= requests.size();
    callsInFlight--;
    send();
  }

  private void complete(List<Request> requests) {
    for (Request completed : requests) {
      eventLoop.run(
          COMPLETE_NANOS,
          () -> {
            if (now >= START_NANOS) {
              latencies.add(now - completed.startNanos);
            }
            schedule(now + CALLER_NANOS, this::submit);
          });
    }
  }
}
