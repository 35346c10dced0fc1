package io.penstock.redis;

import io.penstock.Claim;
import io.penstock.Decision;
import io.penstock.redis.Leases.Advance;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of a request over several limits that leases on this node can pay; Redis decides the
 * rest. If Redis denies it, the leased tokens are returned. Not thread-safe, but can be passed to
 * another thread.
 */
final class Payment {
  private final List<BucketRequest> parts;
  private final @Nullable Advance[] advances;

  private Payment(List<BucketRequest> parts) {
    this.parts = parts;
    this.advances = new Advance[parts.size()];
  }

  /** Whether any of the claims could be paid from a lease. */
  static boolean isPossible(List<Claim> claims) {
    for (int i = 0; i < claims.size(); i++) {
      if (claims.get(i).buckets() instanceof RedisBuckets buckets && buckets.leases() != null) {
        return true;
      }
    }
    return false;
  }

  /**
   * Takes as many of the claims as possible from leases.
   *
   * @param peek whether to only check, without taking
   */
  static Payment of(List<BucketRequest> parts, boolean peek) {
    Payment payment = new Payment(parts);
    for (int i = 0; i < payment.advances.length; i++) {
      BucketRequest part = parts.get(i);
      Leases leases = part.buckets().leases();
      if (leases != null && part.maxDelayNanos() == 0) {
        payment.advances[i] = leases.advance(part.key(), part.thousandths(), peek);
      }
    }
    return payment;
  }

  /** The parts that Redis has to decide. */
  List<BucketRequest> rest() {
    List<BucketRequest> rest = new ArrayList<>();
    for (int i = 0; i < advances.length; i++) {
      if (advances[i] == null) {
        rest.add(parts.get(i));
      }
    }
    return rest;
  }

  /** Combines the results; {@code rest} is the decision of Redis, or null if there was no call. */
  Decision settle(@Nullable Decision rest) {
    List<Decision> others = rest == null ? List.of() : rest.results();
    Decision[] decisions = new Decision[advances.length];
    int next = 0;
    for (int i = 0; i < decisions.length; i++) {
      Advance advance = advances[i];
      if (advance == null) {
        decisions[i] = others.get(next++);
      } else {
        decisions[i] = advance.decision();
        if (rest == null || rest.allowed()) {
          advance.spend();
        } else {
          advance.putBack();
        }
      }
    }
    return decisions.length == 1 ? decisions[0] : Decision.all(decisions);
  }

  /** Puts all leased tokens back, because the request failed. */
  void putBack() {
    for (Advance advance : advances) {
      if (advance != null) {
        advance.putBack();
      }
    }
  }
}
