package io.penstock.redis;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.internal.ThreadExecutorMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the order of the commands on a connection. Thread-safe.
 *
 * <p>Commands of other threads are written by the event loop of the connection, in order. A command
 * that this event loop sends itself, for example after a reply, would be written immediately,
 * before those that wait. So it has to wait as well.
 *
 * <p>The event loop is learned from the first reply, because Lettuce doesn't expose it. Until then,
 * commands may overtake others, which affects their order only.
 */
final class OrderedWrites {
  /** The event loop of the connection; null until it is known. */
  private volatile @Nullable EventExecutor eventLoop;

  /** Sends a command after all that were sent before. */
  <T> CompletionStage<T> inOrder(Supplier<? extends CompletionStage<T>> send) {
    EventExecutor own = eventLoop;
    if (own == null) {
      CompletionStage<T> sent = send.get();
      Thread sender = Thread.currentThread();
      var unused = sent.whenComplete((reply, failure) -> replied(sender, failure));
      return sent;
    }
    if (!own.inEventLoop()) {
      return send.get();
    }
    CompletableFuture<T> reply = new CompletableFuture<>();
    own.execute(
        () -> {
          try {
            var unused =
                send.get()
                    .whenComplete(
                        (value, failure) -> {
                          if (failure == null) {
                            reply.complete(value);
                          } else {
                            reply.completeExceptionally(failure);
                          }
                        });
          } catch (RuntimeException failure) {
            reply.completeExceptionally(failure);
          }
        });
    return reply;
  }

  /**
   * Replies are delivered by the event loop, unless one arrived before the sender looked. A failure
   * may be delivered by any thread.
   */
  private void replied(Thread sender, @Nullable Throwable failure) {
    if (failure == null && Thread.currentThread() != sender) {
      eventLoop = ThreadExecutorMap.currentExecutor();
    }
  }
}
