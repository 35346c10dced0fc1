package io.penstock.redis;

import io.penstock.Claim;
import io.penstock.Decision;
import io.penstock.redis.Lease.Reservation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The claims of a request over several limits, some of which leases on this node can satisfy; Redis
 * decides the rest. If Redis denies it, the reserved tokens are released. Not thread-safe, but can
 * be passed to another thread.
 */
final class LeasedClaims {
  private final List<RedisClaim> claims;
  private final @Nullable Reservation[] reservations;
  private final @Nullable Decision[] decisions;

  private LeasedClaims(List<RedisClaim> claims) {
    this.claims = claims;
    this.reservations = new Reservation[claims.size()];
    this.decisions = new Decision[claims.size()];
  }

  /** Whether any of the claims could be satisfied by a lease. */
  static boolean isPossible(List<Claim> claims) {
    for (int i = 0; i < claims.size(); i++) {
      if (claims.get(i).buckets() instanceof RedisBuckets buckets && buckets.leases() != null) {
        return true;
      }
    }
    return false;
  }

  /**
   * Reserves the tokens of as many claims as possible from leases.
   *
   * @param peek whether to only check, without reserving
   */
  static LeasedClaims reserve(List<RedisClaim> claims, boolean peek) {
    LeasedClaims leased = new LeasedClaims(claims);
    for (int i = 0; i < leased.reservations.length; i++) {
      RedisClaim claim = claims.get(i);
      LimiterLeases leases = claim.buckets().leases();
      if (leases != null && claim.maxDelayNanos() == 0) {
        Reservation reservation = leases.reserve(claim.key(), claim.thousandths(), peek);
        if (reservation != null) {
          leased.reservations[i] = reservation;
          leased.decisions[i] = leases.decision(reservation.grant());
        }
      }
    }
    return leased;
  }

  /** The claims that Redis has to decide. */
  List<RedisClaim> rest() {
    List<RedisClaim> rest = new ArrayList<>();
    for (int i = 0; i < reservations.length; i++) {
      if (reservations[i] == null) {
        rest.add(claims.get(i));
      }
    }
    return rest;
  }

  /** Returns the decision of a request whose claims are all satisfied by leases. */
  Decision commit() {
    return combine(List.of(), true);
  }

  /** Combines the leases with the decision of Redis on the {@link #rest}. */
  Decision complete(Decision rest) {
    return combine(rest.results(), rest.allowed());
  }

  private Decision combine(List<Decision> rest, boolean allowed) {
    Decision[] results = new Decision[decisions.length];
    int next = 0;
    for (int i = 0; i < results.length; i++) {
      Decision leased = decisions[i];
      results[i] = leased == null ? rest.get(next++) : leased;
    }
    endReservations(allowed);
    return results.length == 1 ? results[0] : Decision.all(results);
  }

  /** Releases all reserved tokens, because the request failed. */
  void release() {
    endReservations(false);
  }

  private void endReservations(boolean allowed) {
    for (Reservation reservation : reservations) {
      if (reservation != null && allowed) {
        reservation.commit();
      } else if (reservation != null) {
        reservation.release();
      }
    }
  }
}
