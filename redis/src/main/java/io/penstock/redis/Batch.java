package io.penstock.redis;

import io.penstock.Decision;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;

/**
 * The requests of one call to Redis, which are decided as if they were sent one by one, in order.
 * Created by one thread, and completed by one.
 */
final class Batch {
  private final List<Group> groups = new ArrayList<>();
  private final Map<String, Integer> keys = new LinkedHashMap<>();
  private final Map<LimitCodec, Integer> limits = new LinkedHashMap<>();
  private final List<PendingRequest> requests;

  /**
   * Callers with identical requests, in order, with no request in between that could affect the
   * result.
   */
  private record Group(
      PendingRequest.RequestKind kind, List<BucketRequest> parts, List<PendingRequest> callers) {
    boolean takes(PendingRequest request) {
      return kind == PendingRequest.RequestKind.TAKE
          && request.kind() == kind
          && parts.equals(request.parts());
    }
  }

  Batch(List<PendingRequest> requests) {
    this.requests = requests;
    Map<String, Group> last = new HashMap<>();
    boolean leases = false;
    for (PendingRequest request : requests) {
      if (request.kind() == PendingRequest.RequestKind.LEASE) {
        leases = true;
      } else {
        add(request, last);
      }
    }
    if (leases) {
      // After all waiting callers, so that no request of this batch is denied because of the lease.
      requests.stream()
          .filter(request -> request.kind() == PendingRequest.RequestKind.LEASE)
          .forEach(request -> add(request, last));
    }
  }

  private void add(PendingRequest request, Map<String, Group> last) {
    Group group = last.get(request.parts().get(0).redisKey());
    if (group == null || !group.takes(request) || !isLastForAllKeys(group, last)) {
      group = new Group(request.kind(), request.parts(), new ArrayList<>());
      groups.add(group);
      for (BucketRequest part : request.parts()) {
        last.put(part.redisKey(), group);
        keys.putIfAbsent(part.redisKey(), keys.size() + 1);
        limits.putIfAbsent(part.codec(), limits.size() + 1);
      }
    }
    group.callers.add(request);
  }

  @SuppressWarnings("ReferenceEquality") // groups are compared by identity
  private static boolean isLastForAllKeys(Group group, Map<String, Group> last) {
    for (BucketRequest part : group.parts) {
      if (last.get(part.redisKey()) != group) {
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

  /** The callers of each group of identical requests, in order. */
  List<List<PendingRequest>> callersByGroup() {
    return groups.stream().map(Group::callers).toList();
  }

  /** The keys of its buckets in Redis. */
  Iterable<String> keys() {
    return keys.keySet();
  }

  int keyCount() {
    return keys.size();
  }

  private static <T> int numberOf(Map<T, Integer> numbers, T of) {
    return Objects.requireNonNull(numbers.get(of));
  }

  /** Encodes the argument of the script. */
  MessagePackArray numbers() {
    MessagePackArray numbers = new MessagePackArray().add(limits.size());
    limits.keySet().forEach(codec -> codec.write(numbers));
    numbers.add(groups.size());
    for (Group group : groups) {
      numbers.add(group.kind.code()).add(group.callers.size()).add(group.parts.size());
      for (BucketRequest part : group.parts) {
        numbers.add(numberOf(keys, part.redisKey())).add(numberOf(limits, part.codec()));
        numbers.add(part.thousandths()).add(part.codec().delayTicks(part.maxDebt()));
      }
      PendingRequest first = group.callers.get(0);
      if (first instanceof LeaseRequest lease) {
        lease.write(numbers);
      } else if (first instanceof ChargeReturn back) {
        back.write(numbers);
      }
    }
    return numbers;
  }

  /**
   * Completes the requests with the reply of the script.
   *
   * @param denials receives the denials
   * @return the charges of requests whose callers have already given up
   */
  List<Charge> answer(long[] replies, BiConsumer<List<BucketRequest>, Decision> denials) {
    List<Charge> late = new ArrayList<>();
    int next = 1;
    for (Group group : groups) {
      if (group.callers.get(0) instanceof LeaseRequest lease) {
        lease.replied(replies, next);
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
          slotRequest.setCharges(charges(group, replies, next, caller));
        }
        if (caller == granted && group.kind == PendingRequest.RequestKind.TAKE) {
          denials.accept(group.parts, decision);
        }
        if (!request.answer(decision)
            && caller < granted
            && request.kind() == PendingRequest.RequestKind.TAKE) {
          late.addAll(charges(group, replies, next, caller));
        }
      }
      for (BucketRequest part : group.parts) {
        part.codec().recordEffect(group.kind, part, replies, next, granted);
        next += part.codec().replyLength();
      }
    }
    return late;
  }

  private static List<Charge> charges(Group group, long[] replies, int first, long caller) {
    List<Charge> charges = new ArrayList<>();
    int at = first;
    for (BucketRequest part : group.parts) {
      if (part.codec() instanceof TokenBucketCodec codec && part.cost() > 0) {
        charges.add(codec.charge(part, replies, at, caller));
      }
      at += part.codec().replyLength();
    }
    return charges;
  }

  private static Decision decision(
      Group group, long[] replies, int first, long granted, int caller) {
    List<BucketRequest> parts = group.parts;
    if (parts.size() == 1) {
      return parts.get(0).codec().decision(parts.get(0), replies, first, granted, caller);
    }
    Decision[] decisions = new Decision[parts.size()];
    int at = first;
    for (int i = 0; i < decisions.length; i++) {
      LimitCodec codec = parts.get(i).codec();
      decisions[i] = codec.decision(parts.get(i), replies, at, granted, caller);
      at += codec.replyLength();
    }
    return Decision.all(decisions);
  }
}
