package io.penstock.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The route to one primary of a cluster, for calls that contain several of its slots. Thread-safe.
 *
 * <p>The keys of such a call are arguments of the script, because a cluster rejects keys of several
 * slots. It doesn't redirect the call either: if the primary doesn't have one of the keys, the call
 * has no effect, and its requests are submitted again, those of that slot in calls of its own. A
 * call for a single slot is sent like those of {@link SlotRoute}, which follow redirections.
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
    int slot = batch.onlySlot();
    if (slot >= 0) {
      return cluster.slotRoute(slot).call(batch);
    }
    if (!batch.allSlots(each -> cluster.isShared(each, this))) {
      return CompletableFuture.failedStage(new SlotsRejected());
    }
    batch.passKeysAsArguments();
    return SlotRoute.call(server, batch, false).thenCompose(replies -> replied(batch, replies));
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
