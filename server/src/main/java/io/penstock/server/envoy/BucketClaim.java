package io.penstock.server.envoy;

import io.penstock.policy.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a request takes from one bucket: the hits of all of its descriptors that select it. Confined
 * to one request.
 */
final class BucketClaim {
  /** A request in thousandths of a token. */
  static final long TOKEN = 1_000;

  private final PlannedDescriptor first;
  private final List<Integer> descriptors = new ArrayList<>();
  private long hits;
  private boolean costs;
  private @Nullable Outcome outcome;

  /** Identifies a bucket. */
  record BucketId(String rule, List<String> variables) {
    static BucketId of(PlannedDescriptor descriptor) {
      return new BucketId(descriptor.limit().name(), descriptor.matched().variables());
    }
  }

  BucketClaim(PlannedDescriptor first) {
    this.first = first;
  }

  void add(int descriptor, long more) {
    descriptors.add(descriptor);
    hits = Math.min(hits + more, DescriptorQuery.MAX_HITS);
    costs |= more > 1;
  }

  /** Returns the positions of the descriptors in the request. */
  List<Integer> descriptors() {
    return descriptors;
  }

  DescriptorLimit limit() {
    return first.limit();
  }

  LimitAnswer.CurrentLimit currentLimit() {
    return first.currentLimit();
  }

  long hits() {
    return hits;
  }

  /** Returns what statistics name the limit. */
  String metric() {
    return first.matched().metric();
  }

  BucketRequest request() {
    return first.bucket(hits);
  }

  /** Returns whether the limit is checked without counting. */
  boolean isCheck() {
    return hits == 0;
  }

  /** Returns whether any descriptor counts for more than one request, as costs do. */
  boolean costs() {
    return costs;
  }

  void decided(@Nullable Outcome decision) {
    outcome = decision;
  }

  /** Returns the outcome; null if the limit was not evaluated. */
  @Nullable Outcome outcome() {
    return outcome;
  }

  /** Returns the outcome of a limit that was evaluated. */
  Outcome evaluated() {
    if (outcome == null) {
      throw new IllegalStateException("not evaluated: " + limit().name());
    }
    return outcome;
  }

  /** Returns whether the limit is exceeded. A check without hits asks for a single request. */
  boolean isOver() {
    return outcome != null
        && (hits == 0
            ? outcome.decision().remainingThousandths() < TOKEN
            : !outcome.decision().allowed());
  }
}
