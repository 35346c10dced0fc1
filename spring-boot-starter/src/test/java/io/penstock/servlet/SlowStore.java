package io.penstock.servlet;

import io.penstock.Buckets;
import io.penstock.Claim;
import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.Store;
import io.penstock.StoreOptions;
import io.penstock.inprocess.InProcessStore;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** An in-process store that responds with a delay on its own thread, like Redis. Thread-safe. */
public final class SlowStore implements Store {
  /** The name of the response threads. */
  public static final String THREAD = "slow-store";

  private static final long DELAY_MILLIS = 20;

  private final InProcessStore store = InProcessStore.create();

  @Override
  public Buckets buckets(String name, Limit limit, StoreOptions storeOptions) {
    return store.buckets(name, limit, storeOptions);
  }

  @Override
  public Decision take(List<Claim> claims) {
    return store.take(claims);
  }

  @Override
  public CompletionStage<Decision> takeAsync(List<Claim> claims) {
    return CompletableFuture.supplyAsync(
        () -> store.take(claims),
        CompletableFuture.delayedExecutor(
            DELAY_MILLIS, TimeUnit.MILLISECONDS, SlowStore::runOnOwnThread));
  }

  private static void runOnOwnThread(Runnable task) {
    Thread thread = new Thread(task, THREAD);
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public CompletionStage<Decision> peekAsync(List<Claim> claims) {
    return store.peekAsync(claims);
  }

  @Override
  public void close() {
    store.close();
  }
}
