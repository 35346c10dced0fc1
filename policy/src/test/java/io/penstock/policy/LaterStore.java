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

/** A store that decides at once, and says so when it is told to. Thread-safe. */
final class LaterStore implements Store {
  private final InProcessStore store;
  private final List<Runnable> answers = new ArrayList<>();
  private volatile @Nullable String refusal;

  LaterStore(InProcessStore store) {
    this.store = store;
  }

  /** The answers still to be given, in the order of the questions; nobody else gives them then. */
  synchronized List<Runnable> takeAnswers() {
    List<Runnable> taken = List.copyOf(answers);
    answers.clear();
    return taken;
  }

  @Override
  public CompletionStage<Decision> decideAsync(List<Claim> claims) {
    if (refusal != null) {
      throw new IllegalStateException(refusal);
    }
    return later(store.decide(claims));
  }

  @Override
  public CompletionStage<Decision> preview(List<Claim> claims) {
    return later(store.preview(claims).toCompletableFuture().join());
  }

  private synchronized CompletionStage<Decision> later(Decision decision) {
    CompletableFuture<Decision> answer = new CompletableFuture<>();
    answers.add(() -> answer.complete(decision));
    return answer;
  }

  /** Refuses everything that is asked from now on. */
  void refuse(String why) {
    refusal = why;
  }

  @Override
  public void check(String name, Limit limit, StoreOptions storeOptions) {
    if (refusal != null) {
      throw new IllegalArgumentException(refusal);
    }
  }

  @Override
  public Buckets buckets(String name, Limit limit, StoreOptions storeOptions) {
    return store.buckets(name, limit, storeOptions);
  }

  @Override
  public Decision decide(List<Claim> claims) {
    return store.decide(claims);
  }

  @Override
  public void close() {}
}
