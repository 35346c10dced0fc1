package io.penstock.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The route to one primary of a cluster, for calls that contain several of its slots. Thread-safe.
 *
 * <p>The keys of such a call are arguments of the script, because a cluster rejects keys of several
 * slots. If the primary doesn't have one of the keys, the call has no effect, and its requests are
 * submitted again, those of that slot in calls of its own, which follow redirections ({@link
 * SlotRoute}).
 */
final class PrimaryRoute implements Route {
  private static final int KEYS_MISSING = -1;
  private static final int REJECTED = -2;

  private final Server server;
  private final Cluster cluster;
  private final CallBatcher batcher;

  /** Whether the server rejects calls for several slots. */
  private volatile boolean rejecting;

  PrimaryRoute(Server server, Cluster cluster, StoreAssembler assembler) {
    this.server = server;
    this.cluster = cluster;
    this.batcher = assembler.newBatcher(this);
  }

  /** The batcher for all slots that are {@linkplain Cluster#isShared shared}. */
  CallBatcher batcher() {
    return batcher;
  }

  /** Whether the server accepts calls for several slots, as far as is known. */
  boolean acceptsSeveralSlots() {
    return !rejecting;
  }

  /** Called when the server is unavailable: it may be another one when it is available again. */
  void reset() {
    rejecting = false;
  }

  @Override
  public boolean isAvailable() {
    return server.health().isAvailable() || server.health().isNew();
  }

  @Override
  public Server server() {
    return server;
  }

  @Override
  public CompletionStage<long[]> call(Batch batch) {
    if (!batch.allSlots(slot -> cluster.isShared(slot, this))) {
      return CompletableFuture.failedStage(new SlotsRejected());
    }
    int slot = batch.onlySlot();
    if (slot >= 0) {
      return SlotRoute.call(server, batch, false)
          .exceptionallyCompose(failure -> failed(slot, FailureCauses.cause(failure)));
    }
    batch.passKeysAsArguments();
    return SlotRoute.call(server, batch, false).thenCompose(replies -> replied(batch, replies));
  }

  /** Leaves redirections to the slot, because other slots must not wait for another server. */
  private CompletionStage<long[]> failed(int slot, Throwable failure) {
    if (!Redirection.isSlotError(failure)) {
      return CompletableFuture.failedStage(failure);
    }
    cluster.separate(slot);
    return CompletableFuture.failedStage(new SlotsRejected());
  }

  private CompletionStage<long[]> replied(Batch batch, long[] replies) {
    if (replies[0] >= 0) {
      return CompletableFuture.completedStage(replies);
    }
    if (replies[0] == KEYS_MISSING) {
      for (int i = 1; i < replies.length; i++) {
        cluster.separate(batch.slotOfKey((int) replies[i]));
      }
    } else if (replies[0] == REJECTED) {
      rejecting = true;
    }
    return CompletableFuture.failedStage(new SlotsRejected());
  }

  @Override
  public boolean isRetryable(Throwable failure) {
    return SlotRoute.isTemporary(failure);
  }
}
