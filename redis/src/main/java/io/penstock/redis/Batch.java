package io.penstock.redis;

import io.penstock.Decision;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.IntPredicate;

/**
 * The requests of one call to Redis, which are decided as if they were sent one by one, in order.
 * Created by one thread, and completed by one.
 */
final class Batch {
  private final List<EqualRequests> groups = new ArrayList<>();
  private final Map<String, Integer> keys = new LinkedHashMap<>();
  private final Map<LimitCodec, Integer> limits = new LinkedHashMap<>();
  private final List<PendingRequest> requests;
  private boolean decidedLocally;
  private boolean keysAsArguments;

  /**
   * Callers with identical requests, in order, with no request in between that could affect the
   * result.
   */
  private record EqualRequests(
      Operation operation, List<RedisClaim> claims, List<PendingRequest> callers) {
    boolean takes(PendingRequest request) {
      return operation == Operation.TAKE
          && request.operation() == operation
          && claims.equals(request.claims());
    }
  }

  Batch(List<PendingRequest> requests) {
    this.requests = requests;
    Map<String, EqualRequests> last = new HashMap<>();
    boolean leases = false;
    for (PendingRequest request : requests) {
      if (request.operation() == Operation.LEASE) {
        leases = true;
      } else {
        add(request, last);
      }
    }
    if (leases) {
      // Leases follow all waiting callers, so that they cause no denials within this batch.
      requests.stream()
          .filter(request -> request.operation() == Operation.LEASE)
          .forEach(request -> add(request, last));
    }
  }

  private void add(PendingRequest request, Map<String, EqualRequests> last) {
    EqualRequests group = last.get(request.claims().get(0).redisKey());
    if (group == null || !group.takes(request) || !isLastForAllKeys(group, last)) {
      group = new EqualRequests(request.operation(), request.claims(), new ArrayList<>());
      groups.add(group);
      for (RedisClaim claim : request.claims()) {
        last.put(claim.redisKey(), group);
        keys.putIfAbsent(claim.redisKey(), keys.size() + 1);
        limits.putIfAbsent(claim.codec(), limits.size() + 1);
      }
    }
    group.callers.add(request);
  }

  @SuppressWarnings("ReferenceEquality") // groups are compared by identity
  private static boolean isLastForAllKeys(EqualRequests group, Map<String, EqualRequests> last) {
    for (RedisClaim claim : group.claims) {
      if (last.get(claim.redisKey()) != group) {
        return false;
      }
    }
    return true;
  }

  /** The number of callers. */
  int size() {
    return requests.size();
  }

  List<PendingRequest> requests() {
    return requests;
  }

  /** Runs an action with each request, in order, but only once. Thread-safe. */
  synchronized void decideLocally(Consumer<PendingRequest> action) {
    if (!decidedLocally) {
      decidedLocally = true;
      requests.forEach(action);
    }
  }

  /** The callers of each group of identical requests, in order. */
  List<List<PendingRequest>> callersByGroup() {
    return groups.stream().map(EqualRequests::callers).toList();
  }

  /** The keys of its buckets in Redis. */
  Iterable<String> keys() {
    return keys.keySet();
  }

  int keyCount() {
    return keys.size();
  }

  /** The slot of all its buckets in a cluster; -1 if they are in several. */
  int onlySlot() {
    int first = groups.get(0).claims.get(0).slot();
    return allSlots(slot -> slot == first) ? first : -1;
  }

  boolean allSlots(IntPredicate test) {
    for (EqualRequests group : groups) {
      for (RedisClaim claim : group.claims) {
        if (!test.test(claim.slot())) {
          return false;
        }
      }
    }
    return true;
  }

  /** The slot of a key by its number, which starts at 1. */
  int slotOfKey(int number) {
    return SlotTable.slotOf(keys.keySet().stream().skip(number - 1L).findFirst().orElseThrow());
  }

  /** Makes the keys arguments of the script, so that they may be in several slots. */
  void passKeysAsArguments() {
    keysAsArguments = true;
  }

  boolean passesKeysAsArguments() {
    return keysAsArguments;
  }

  private static <T> int numberOf(Map<T, Integer> numbers, T of) {
    return Objects.requireNonNull(numbers.get(of));
  }

  /** Encodes the argument of the script. */
  MessagePackArray numbers() {
    MessagePackArray numbers = new MessagePackArray().add(limits.size());
    limits.keySet().forEach(codec -> codec.write(numbers));
    numbers.add(groups.size());
    for (EqualRequests group : groups) {
      numbers.add(group.operation.code()).add(group.callers.size()).add(group.claims.size());
      for (RedisClaim claim : group.claims) {
        numbers.add(numberOf(keys, claim.redisKey())).add(numberOf(limits, claim.codec()));
        numbers.add(claim.thousandths()).add(claim.codec().delayTicks(claim.maxDebt()));
      }
      group.callers.get(0).writeArguments(numbers);
    }
    return numbers;
  }

  /** Receives the contents of the reply to a batch. */
  interface Results {
    /** A request was denied. */
    void denied(List<RedisClaim> claims, Decision denial);

    /**
     * A request that takes tokens was completed by the reply.
     *
     * @param granted whether Redis charged it
     */
    void completed(PendingRequest request, boolean granted);

    /** A request was granted, but its caller has already given up. */
    void grantedLate(PendingRequest request, List<Receipt> receipts);

    /**
     * Redis replied to a claim.
     *
     * @param reply the index in {@code replies} at which the reply to the claim starts
     * @param granted the number of callers that were granted the request
     */
    void replied(Operation operation, RedisClaim claim, long[] replies, int reply, long granted);
  }

  /** Completes the requests with the reply of the script. */
  void complete(long[] replies, Results results) {
    int next = 1;
    for (EqualRequests group : groups) {
      if (group.callers.get(0) instanceof LeaseRequest lease) {
        lease.replied(replies, next);
        results.replied(group.operation, lease.claim(), replies, next + 1, 0);
        next += LeaseRequest.REPLY_LENGTH;
        continue;
      }
      long granted = replies[next++];
      for (int caller = 0; caller < group.callers.size(); caller++) {
        PendingRequest request = group.callers.get(caller);
        Decision decision = decision(group, replies, next, granted, caller);
        if (request instanceof SlotRequest slotRequest) {
          slotRequest.setUntakenResult(
              decision(group, replies, next, Math.min(granted, caller), caller));
          slotRequest.setReceipts(receipts(group, replies, next, caller));
        }
        if (caller == granted && group.operation == Operation.TAKE) {
          results.denied(group.claims, decision);
        }
        boolean completed = request.completeWithReply(decision);
        if (request.operation() == Operation.TAKE) {
          if (completed) {
            results.completed(request, caller < granted);
          } else if (caller < granted) {
            results.grantedLate(request, receipts(group, replies, next, caller));
          }
        }
      }
      for (RedisClaim claim : group.claims) {
        claim.codec().recordEffect(group.operation, claim, replies, next, granted);
        results.replied(group.operation, claim, replies, next, granted);
        next += claim.codec().replyLength();
      }
    }
  }

  private static List<Receipt> receipts(
      EqualRequests group, long[] replies, int first, long caller) {
    List<Receipt> receipts = new ArrayList<>();
    int at = first;
    for (RedisClaim claim : group.claims) {
      if (claim.codec() instanceof TokenBucketCodec codec && claim.cost() > 0) {
        receipts.add(codec.receipt(claim, replies, at, caller));
      }
      at += claim.codec().replyLength();
    }
    return receipts;
  }

  private static Decision decision(
      EqualRequests group, long[] replies, int first, long granted, int caller) {
    List<RedisClaim> claims = group.claims;
    if (claims.size() == 1) {
      return claims.get(0).codec().decision(claims.get(0), replies, first, granted, caller);
    }
    Decision[] decisions = new Decision[claims.size()];
    int at = first;
    for (int i = 0; i < decisions.length; i++) {
      LimitCodec codec = claims.get(i).codec();
      decisions[i] = codec.decision(claims.get(i), replies, at, granted, caller);
      at += codec.replyLength();
    }
    return Decision.all(decisions);
  }
}
