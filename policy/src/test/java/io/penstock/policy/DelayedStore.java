package io.penstock.policy;

import io.penstock.Buckets;
import io.penstock.Claim;
import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.Store;
import io.penstock.StoreOptions;
import io.penstock.inprocess.InProcessStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A store that decides immediately, but delivers its answers only on request. Thread-safe. */
final class DelayedStore implements Store {
  private final InProcessStore store;
  private final List<Runnable> answers = new ArrayList<>();
  private volatile @Nullable String failure;

  DelayedStore(InProcessStore store) {
    this.store = store;
  }

  /** Returns and removes the answers that have not been delivered, in the order of the requests. */
  synchronized List<Runnable> takeAnswers() {
    List<Runnable> taken = List.copyOf(answers);
    answers.clear();
    return taken;
  }

  @Override
  public CompletionStage<Decision> takeAsync(List<Claim> claims) {
    if (failure != null) {
      throw new IllegalStateException(failure);
    }
    return later(store.take(claims));
  }

  @Override
  public CompletionStage<Decision> peekAsync(List<Claim> claims) {
    return later(store.peekAsync(claims).toCompletableFuture().join());
  }

  private synchronized CompletionStage<Decision> later(Decision decision) {
    CompletableFuture<Decision> answer = new CompletableFuture<>();
    answers.add(() -> answer.complete(decision));
    return answer;
  }

  /** Rejects all further requests. */
  void failWith(String message) {
    failure = message;
  }

  @Override
  public void check(String name, Limit limit, StoreOptions storeOptions) {
    if (failure != null) {
      throw new IllegalArgumentException(failure);
    }
  }

  @Override
  public Buckets buckets(String name, Limit limit, StoreOptions storeOptions) {
    return store.buckets(name, limit, storeOptions);
  }

  @Override
  public Decision take(List<Claim> claims) {
    return store.take(claims);
  }

  @Override
  public void close() {}
}
