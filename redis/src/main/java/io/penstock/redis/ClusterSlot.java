package io.penstock.redis;

import io.lettuce.core.RedisException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One slot of a cluster: its calls, and the way that they go at the moment. Thread-safe. */
final class ClusterSlot implements Route {
  private final int number;
  private final Cluster cluster;
  private final CallBatcher calls;

  ClusterSlot(int number, Cluster cluster, Function<Route, CallBatcher> calls) {
    this.number = number;
    this.cluster = cluster;
    this.calls = calls.apply(this);
  }

  /** The server has only just been heard of, and is being connected to. */
  private static final class NotYet extends RedisException {
    private static final long serialVersionUID = 1;

    NotYet() {
      super("not connected yet");
    }
  }

  CallBatcher calls() {
    return calls;
  }

  @Override
  public boolean isOpen() {
    Server owner = server();
    return owner != null && (owner.health().isThere() || owner.health().isNew());
  }

  @Override
  public @Nullable Server server() {
    return cluster.owner(number);
  }

  @Override
  public CompletionStage<long[]> call(Batch batch) {
    Server owner = server();
    if (owner == null) {
      return CompletableFuture.failedStage(new ServerConnection.NotSent());
    }
    return call(owner, batch, false)
        .exceptionallyCompose(failure -> redirected(batch, owner, FailureCauses.cause(failure)));
  }

  private static CompletionStage<long[]> call(Server server, Batch batch, boolean asking) {
    return server.health().isNew()
        ? CompletableFuture.failedStage(new NotYet())
        : server.call(batch, asking);
  }

  /** Asks once more where it is sent to; nothing has been done until then. */
  private CompletionStage<long[]> redirected(Batch batch, Server asked, Throwable failure) {
    Redirection redirection = Redirection.of(failure, asked.address());
    if (redirection != null) {
      Server target = cluster.server(redirection.to());
      if (!redirection.asking()) {
        cluster.moved(number, target);
      }
      return call(target, batch, redirection.asking());
    }
    if (Redirection.isNotServed(failure)) {
      cluster.notServed(number, asked);
    }
    return CompletableFuture.failedStage(failure);
  }

  @Override
  public boolean mayPassLater(Throwable failure) {
    return failure instanceof NotYet || Redirection.isOne(failure) || Redirection.isSplit(failure);
  }
}
