package io.penstock.redis;

import io.penstock.Claim;
import io.penstock.Decision;
import io.penstock.redis.Leases.Advance;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a request over several limits has of leases here; the rest is up to Redis. If that denies,
 * it is put back. Not thread-safe, but may be handed on.
 */
final class Payment {
  private final List<BucketRequest> parts;
  private final @Nullable Advance[] advances;

  private Payment(List<BucketRequest> parts) {
    this.parts = parts;
    this.advances = new Advance[parts.size()];
  }

  /** Whether any of the claims could be on lease here. */
  static boolean isPossible(List<Claim> claims) {
    for (int i = 0; i < claims.size(); i++) {
      if (claims.get(i).buckets() instanceof RedisBuckets buckets && buckets.leases() != null) {
        return true;
      }
    }
    return false;
  }

  /**
   * Takes of leases what is there of the claims.
   *
   * @param looking if nothing should be taken
   */
  static Payment of(List<BucketRequest> parts, boolean looking) {
    Payment payment = new Payment(parts);
    for (int i = 0; i < payment.advances.length; i++) {
      BucketRequest part = parts.get(i);
      Leases leases = part.buckets().leases();
      if (leases != null && part.maxDelayNanos() == 0) {
        payment.advances[i] = leases.advance(part.key(), part.thousandths(), looking);
      }
    }
    return payment;
  }

  /** What Redis has to be asked for. */
  List<BucketRequest> rest() {
    List<BucketRequest> rest = new ArrayList<>();
    for (int i = 0; i < advances.length; i++) {
      if (advances[i] == null) {
        rest.add(parts.get(i));
      }
    }
    return rest;
  }

  /** The answer to all, of which {@code rest} is what Redis said; null if it was not asked. */
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

  /** Puts everything back, because there is no answer. */
  void putBack() {
    for (Advance advance : advances) {
      if (advance != null) {
        advance.putBack();
      }
    }
  }
}
