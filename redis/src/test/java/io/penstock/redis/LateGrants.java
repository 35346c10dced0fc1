package io.penstock.redis;

import io.penstock.Decision;
import java.util.ArrayList;
import java.util.List;

/** Collects the receipts of requests that were granted after their callers had given up. */
final class LateGrants implements Batch.Results {
  final List<Receipt> receipts = new ArrayList<>();

  @Override
  public void denied(List<RedisClaim> claims, Decision denial) {}

  @Override
  public void completed(PendingRequest request, boolean granted) {}

  @Override
  public void grantedLate(PendingRequest request, List<Receipt> late) {
    receipts.addAll(late);
  }

  @Override
  public void replied(
      Operation operation, RedisClaim claim, long[] replies, int reply, long granted) {}
}
