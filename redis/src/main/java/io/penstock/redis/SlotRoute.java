package io.penstock.redis;

import io.lettuce.core.RedisException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The route to the current owner of one slot of a cluster. Thread-safe. */
final class SlotRoute implements Route {
  private final int slot;
  private final Cluster cluster;

  SlotRoute(int slot, Cluster cluster) {
    this.slot = slot;
    this.cluster = cluster;
  }

  /** The server has just been discovered, and its first connection attempt is not complete. */
  private static final class NotConnectedYet extends RedisException {
    private static final long serialVersionUID = 1;

    NotConnectedYet() {
      super("not connected yet");
    }
  }

  @Override
  public boolean isAvailable() {
    Server owner = server();
    return owner != null && (owner.health().isAvailable() || owner.health().isNew());
  }

  @Override
  public @Nullable Server server() {
    return cluster.owner(slot);
  }

  @Override
  public CompletionStage<long[]> call(Batch batch) {
    if (batch.onlySlot() != slot) {
      // The other slots could be decided together with this one when the request was submitted.
      return CompletableFuture.failedStage(new SlotsRejected());
    }
    Server owner = server();
    if (owner == null) {
      return CompletableFuture.failedStage(new ServerConnection.NotSent());
    }
    return call(owner, batch, false)
        .exceptionallyCompose(failure -> redirected(batch, owner, FailureCauses.cause(failure)));
  }

  static CompletionStage<long[]> call(Server server, Batch batch, boolean asking) {
    return server.health().isNew()
        ? CompletableFuture.failedStage(new NotConnectedYet())
        : server.call(batch, asking);
  }

  /** Follows a redirection once. The redirecting server has not executed the call. */
  private CompletionStage<long[]> redirected(Batch batch, Server server, Throwable failure) {
    Redirection redirection = Redirection.of(failure, server.address());
    if (redirection != null) {
      PrimaryRoute target = cluster.primary(redirection.to());
      if (redirection.asking()) {
        cluster.separate(slot);
      } else {
        cluster.moved(slot, target);
      }
      return call(target.server(), batch, redirection.asking());
    }
    if (Redirection.isSplit(failure)) {
      cluster.separate(slot);
    }
    if (Redirection.isNotServed(failure)) {
      cluster.notServed(slot, server);
    }
    return CompletableFuture.failedStage(failure);
  }

  @Override
  public boolean isRetryable(Throwable failure) {
    return isTemporary(failure);
  }

  /** Whether a call to a slot failed without any effect and may soon succeed. */
  static boolean isTemporary(Throwable failure) {
    return failure instanceof NotConnectedYet
        || Redirection.isRedirection(failure)
        || Redirection.isSplit(failure);
  }
}
