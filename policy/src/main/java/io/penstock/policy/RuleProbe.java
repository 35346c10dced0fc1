package io.penstock.policy;

import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.jwt.JwtSettings;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Finds how {@link PolicyEngine} treats requests under a policy with a single rule, up to the point
 * where it would charge a bucket: whether the rule applies, and the key of the bucket. No bucket is
 * charged. Not thread-safe.
 */
public final class RuleProbe implements AutoCloseable {
  private final InProcessStore store = InProcessStore.builder().build();
  private final CompiledPolicy compiled;

  /** The selection of the last request; null before the first one. */
  private @Nullable Selection selection;

  /** How the engine treats a request. */
  public enum Treatment {
    /** The rule doesn't apply. */
    SKIPPED,
    /** The request is denied because of its path, before rules are evaluated. */
    PATH_REJECTED,
    /** The rule denies the request without a bucket, because an attribute is repeated. */
    DENIED,
    /** The bucket of the {@link RuleProbe#key} decides. */
    COUNTED
  }

  /**
   * @param policy a policy with one rule, which is enforced; tokens are not verified
   */
  public RuleProbe(Policy policy) {
    Policy plain = policy.withJwt(JwtSettings.NONE);
    this.compiled = new CompiledPolicy(plain, store);
  }

  /** Returns how a request is treated. */
  public Treatment test(Request request) {
    if (selection != null) {
      selection.release();
    }
    Selection selected = compiled.select(request, Phase.WHOLE, ModeOverrides.NONE);
    selection = selected;
    if (selected.isRejected()) {
      return Treatment.PATH_REJECTED;
    }
    if (selected.size() == 0) {
      return Treatment.SKIPPED;
    }
    return selected.get(0).isDecidedWithoutStore() ? Treatment.DENIED : Treatment.COUNTED;
  }

  /** Returns the key of the last request, which the rule applied to. */
  public String key() {
    return Objects.requireNonNull(selection, "no request was tested").get(0).key();
  }

  @Override
  public void close() {
    compiled.retire();
    store.close();
  }
}
