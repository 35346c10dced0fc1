package io.penstock.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Buckets;
import io.penstock.Claim;
import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.Store;
import io.penstock.StoreOptions;
import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.RuleKey;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.server.figures.TopKey;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class TopLevelsTest {
  private static final List<TopKey> KEYS = List.of(new TopKey("a", "x=1", 1, 0, Instant.EPOCH));
  private static final RuleKey KEY = new RuleKey("a", "x=1");

  private final FailingStore store = new FailingStore();
  private final PolicyEngine engine =
      new PolicyEngine(
          store,
          PolicyLoader.parse("{name: a, limit_keys: [x], rate: 1/h, burst: 5}", "a.yaml").policy());
  private final TopLevels levels = new TopLevels();

  /** A store in process whose reads can fail before they return a stage. */
  private static final class FailingStore implements Store {
    private final Store store = InProcessStore.create();
    boolean fails;

    @Override
    public Buckets buckets(String name, Limit limit, StoreOptions options) {
      return store.buckets(name, limit, options);
    }

    @Override
    public Decision take(List<Claim> claims) {
      return store.take(claims);
    }

    @Override
    public CompletionStage<Decision> takeAsync(List<Claim> claims) {
      return store.takeAsync(claims);
    }

    @Override
    public CompletionStage<Decision> peekAsync(List<Claim> claims) {
      if (fails) {
        throw new IllegalStateException("closed");
      }
      return store.peekAsync(claims);
    }

    @Override
    public void close() {
      store.close();
    }
  }

  @Test
  void next_readThatThrows_isRepeatedByTheNextCall() {
    store.fails = true;
    assertThat(levels.next(KEYS, engine)).isEmpty();
    assertThat(levels.next(KEYS, engine)).isEmpty();
    store.fails = false;
    assertThat(levels.next(KEYS, engine)).isEmpty();
    assertThat(levels.next(KEYS, engine)).containsKey(KEY);
    assertThat(levels.next(KEYS, engine).get(KEY).remaining()).isEqualTo(5);
  }
}
