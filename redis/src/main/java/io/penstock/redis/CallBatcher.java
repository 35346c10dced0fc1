package io.penstock.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Batches requests for one route into calls. Thread-safe.
 *
 * <p>Several calls may be in flight. Requests that arrive in the meantime are sent at once, or
 * together in a later call, as {@link CallWindow} decides. So an idle store adds no delay, and a
 * busy one sends larger calls instead of more. Calls are sent in the order of their requests, on
 * one connection.
 *
 * <p>Requests that a cluster rejects because a slot is being migrated are retried: immediately and
 * one by one if the keys of a call are split over two nodes, otherwise after a short pause, until
 * their deadline.
 */
final class CallBatcher {
  private static final int MAX_REQUESTS = 256;

  /** Bounds the time for which one call blocks Redis, however many limits its requests have. */
  private static final int MAX_CLAIMS = 1024;

  /**
   * With at least this many callers per key, a call's callers are completed before the next call is
   * sent, so that their next requests join that call at almost no cost to Redis. With fewer
   * callers, or with mostly distinct keys, sending the next call early gains more.
   */
  private static final int MIN_CALLERS_PER_KEY = 8;

  private static final long RETRY_PAUSE_NANOS = 2_000_000;

  private final Route route;
  private final Callbacks callbacks;
  private final Consumer<Batch> sending;
  private final ScheduledExecutorService timer;
  private final Queue<PendingRequest> waiting = new ConcurrentLinkedQueue<>();

  /** Rejected requests, which are sent next; each list as a separate call. */
  private final Queue<List<PendingRequest>> retries = new ConcurrentLinkedQueue<>();

  private final CallWindow window = new CallWindow();

  /** The thread that sets this takes the next requests from the queues and sends them. */
  private final AtomicBoolean sendLock = new AtomicBoolean();

  /** The calls in flight, in the order in which they were sent. */
  private final Queue<Batch> inFlight = new ConcurrentLinkedQueue<>();

  private final AtomicInteger queued = new AtomicInteger();
  private final AtomicInteger callsInFlight = new AtomicInteger();
  private final AtomicInteger requestsInFlight = new AtomicInteger();

  /** Receives the results of calls. */
  interface Callbacks {
    /**
     * Returns the requests that have to precede a request in its call. Called when the request is
     * about to be sent, by one thread at a time.
     */
    List<? extends PendingRequest> preceding(PendingRequest request);

    /**
     * Called with the reply to a call that was sent at {@code sentNanos}. The next call may be sent
     * before this method returns.
     */
    void replied(Batch batch, long[] replies, long sentNanos);

    /** Called when a call failed. Requests that are not completed yet must be completed. */
    void failed(List<PendingRequest> requests, Throwable cause);

    /** Called for requests that can't be sent at all, regardless of the state of the server. */
    void aborted(List<PendingRequest> requests, RuntimeException cause);

    /**
     * Called when the keys of a request are split over two nodes, so that one call can't decide it.
     */
    void keysSplit(PendingRequest request);

    /**
     * Called when a call was not executed because its slots can't be decided together. The requests
     * must be submitted again, each to its current batcher.
     */
    void slotsRejected(List<PendingRequest> requests);
  }

  /**
   * @param sending receives every call before it is sent
   * @param timer schedules retries
   */
  CallBatcher(
      Route route, Callbacks callbacks, Consumer<Batch> sending, ScheduledExecutorService timer) {
    this.route = route;
    this.callbacks = callbacks;
    this.sending = sending;
    this.timer = timer;
  }

  /** Whether a call would go to an available server, as far as is known. */
  boolean isAvailable() {
    return route.isAvailable();
  }

  /**
   * Called when a request of this route timed out.
   *
   * @param starved whether this process had no CPU time
   */
  void requestTimedOut(boolean starved) {
    Server server = route.server();
    if (server != null) {
      server.requestTimedOut(starved);
    }
  }

  void submit(PendingRequest request) {
    submit(request, List.of());
  }

  /** Submits a request with others that go into the same call, unless that call is full. */
  void submit(PendingRequest request, List<? extends PendingRequest> after) {
    // Counted first, so that the number is never too small for what is in the queue.
    queued.addAndGet(1 + after.size());
    waiting.add(request);
    waiting.addAll(after);
    send();
  }

  /** The number of requests that were sent and have no reply yet. */
  int requestsInFlight() {
    return requestsInFlight.get();
  }

  /** The calls in flight, in the order in which they were sent; may change at any time. */
  Iterable<Batch> callsInFlight() {
    return inFlight;
  }

  private void send() {
    // Every completed call runs this loop again, so no request that arrives in the meantime is left
    // behind.
    while (hasNext() && sendLock.compareAndSet(false, true)) {
      try {
        sendNext();
      } finally {
        sendLock.set(false);
      }
    }
  }

  private boolean hasNext() {
    return !retries.isEmpty() || (!waiting.isEmpty() && isAdmitted());
  }

  private boolean isAdmitted() {
    return window.admits(queued.get(), callsInFlight.get(), requestsInFlight.get());
  }

  private void sendNext() {
    if (hasNext()) {
      long now = System.nanoTime();
      List<PendingRequest> requests = next();
      if (!requests.isEmpty()) {
        send(requests, now);
      }
    }
  }

  /**
   * Returns the next requests, in order. Only the thread that has set {@link #sendLock} may call
   * this.
   */
  private List<PendingRequest> next() {
    List<PendingRequest> requests = new ArrayList<>();
    List<PendingRequest> first = retries.poll();
    if (first != null) {
      first.stream().filter(PendingRequest::markSent).forEach(requests::add);
      return requests;
    }
    int claims = 0;
    int maxRequests = window.isProbing() ? 1 : MAX_REQUESTS;
    PendingRequest request;
    while (requests.size() < maxRequests && (request = waiting.peek()) != null) {
      claims += request.claims().size();
      if (claims > MAX_CLAIMS && !requests.isEmpty()) {
        break;
      }
      waiting.remove();
      queued.decrementAndGet();
      if (request.markSent()) {
        addPreceding(request, requests);
        requests.add(request);
      }
    }
    return requests;
  }

  private void addPreceding(PendingRequest request, List<PendingRequest> requests) {
    for (PendingRequest preceding : callbacks.preceding(request)) {
      if (preceding.markSent()) {
        requests.add(preceding);
      }
    }
  }

  /** Sends a call. If it can't be built, its requests fail. */
  private void send(List<PendingRequest> requests, long sent) {
    Batch batch;
    try {
      batch = new Batch(requests);
    } catch (RuntimeException failure) {
      callbacks.aborted(requests, failure);
      return;
    }
    send(batch, sent);
  }

  private void send(Batch batch, long sent) {
    inFlight.add(batch);
    int calls = callsInFlight.incrementAndGet();
    boolean unloaded = window.isUnloaded(requestsInFlight.addAndGet(batch.size()));
    CompletionStage<long[]> call;
    try {
      sending.accept(batch);
      call = route.call(batch);
    } catch (RuntimeException failure) {
      call = CompletableFuture.failedStage(failure);
    }
    call.whenComplete(
        (replies, failure) -> {
          if (replies != null) {
            long now = System.nanoTime();
            window.replied(now, now - sent, calls, unloaded);
          }
          completed(batch, replies, failure, sent);
        });
  }

  private void completed(
      Batch batch, long @Nullable [] replies, @Nullable Throwable failure, long sent) {
    if (replies == null) {
      // Report the failure before the next call, which would probably fail as well.
      try {
        rejected(
            batch,
            failure == null ? new IllegalStateException("no reply") : FailureCauses.cause(failure));
      } catch (RuntimeException aborted) {
        callbacks.aborted(batch.requests(), aborted);
      }
      window.failed();
      ended(batch);
      return;
    }
    if (batch.size() < MIN_CALLERS_PER_KEY * batch.keyCount()) {
      ended(batch);
      complete(batch, replies, sent);
    } else {
      complete(batch, replies, sent);
      ended(batch);
    }
  }

  /** Called when a call is no longer in flight. */
  private void ended(Batch batch) {
    inFlight.remove(batch);
    requestsInFlight.addAndGet(-batch.size());
    callsInFlight.decrementAndGet();
    send();
  }

  private void complete(Batch batch, long[] replies, long sent) {
    try {
      callbacks.replied(batch, replies, sent);
    } catch (RuntimeException unreadable) {
      callbacks.failed(batch.requests(), unreadable);
    }
  }

  private void rejected(Batch batch, Throwable cause) {
    if (cause instanceof SlotsRejected) {
      batch.requests().forEach(PendingRequest::rejected);
      callbacks.slotsRejected(batch.requests());
      return;
    }
    if (!route.isRetryable(cause)) {
      callbacks.failed(batch.requests(), route.explain(cause));
      return;
    }
    batch.requests().forEach(PendingRequest::rejected);
    boolean split = Redirection.isSplit(cause);
    if (!split) {
      retryLater(batch.requests(), cause);
    } else if (batch.callersByGroup().size() > 1) {
      retries.addAll(batch.callersByGroup());
    } else if (batch.keyCount() > 1) {
      batch.requests().forEach(callbacks::keysSplit);
    } else {
      retryLater(batch.requests(), cause);
    }
  }

  private void retry(List<PendingRequest> requests) {
    retries.add(requests);
    send();
  }

  private void retryLater(List<PendingRequest> requests, Throwable cause) {
    long now = System.nanoTime();
    List<PendingRequest> expired =
        requests.stream().filter(request -> request.deadlineNanos() - now <= 0).toList();
    List<PendingRequest> live =
        requests.stream().filter(request -> request.deadlineNanos() - now > 0).toList();
    if (!expired.isEmpty()) {
      callbacks.failed(expired, cause);
    }
    if (!live.isEmpty()) {
      var unused = timer.schedule(() -> retry(live), RETRY_PAUSE_NANOS, TimeUnit.NANOSECONDS);
    }
  }
}
