package io.penstock.server.envoy;

import io.penstock.Decision;
import io.penstock.Reason;
import io.penstock.policy.Outcome;
import io.penstock.policy.load.Node;
import io.penstock.server.envoy.LimitAnswer.DescriptorStatus;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Assembles the answer to a request from the outcomes of its limits. */
final class AnswerBuilder {
  private static final long NANOS_PER_SECOND = 1_000_000_000;

  private AnswerBuilder() {}

  /**
   * @param dynamicMetadata receives the metadata of the limits that allowed the request
   */
  static LimitAnswer build(
      List<PlannedDescriptor> plan,
      List<BucketClaim> claims,
      boolean allowed,
      @Nullable Reason degradation,
      Function<List<Node.Mapping>, Map<String, @Nullable Object>> dynamicMetadata) {
    List<DescriptorStatus> statuses = new ArrayList<>(plan.size());
    plan.forEach(planned -> statuses.add(withoutBucket(planned)));
    Set<Node.Mapping> metadata = new LinkedHashSet<>();
    for (BucketClaim claim : claims) {
      DescriptorStatus status = status(claim);
      claim.descriptors().forEach(at -> statuses.set(at, status));
      Node.Mapping ofLimit = claim.limit().metadata();
      if (status.allowed() && ofLimit != null) {
        metadata.add(ofLimit);
      }
    }
    return new LimitAnswer(
        allowed, statuses, degradation, dynamicMetadata.apply(List.copyOf(metadata)));
  }

  private static DescriptorStatus withoutBucket(PlannedDescriptor planned) {
    return planned.match() == null || planned.isLimited()
        ? DescriptorStatus.NO_LIMIT
        : DescriptorStatus.ON_PURPOSE;
  }

  private static DescriptorStatus status(BucketClaim claim) {
    Outcome outcome = claim.outcome();
    if (outcome == null) {
      return DescriptorStatus.NO_LIMIT;
    }
    Decision decision = outcome.decision();
    long resetNanos = decision.resetAfter().toNanos();
    return new DescriptorStatus(
        !claim.isOver() || claim.limit().mode().shadow(),
        claim.limit().mode().quota(),
        claim.currentLimit(),
        Math.max(0, decision.remainingThousandths() / BucketClaim.TOKEN),
        (resetNanos + NANOS_PER_SECOND - 1) / NANOS_PER_SECOND);
  }
}
