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
 * The requests of one call, decided as if they were sent one by one in their order. Made by one
 * thread and answered by one.
 */
final class Batch {
  private final List<Group> groups = new ArrayList<>();
  private final Map<String, Integer> keys = new LinkedHashMap<>();
  private final Map<LimitCodec, Integer> limits = new LinkedHashMap<>();
  private final List<PendingRequest> asks;

  /** Callers that ask for just the same, in their order, with nothing between that could matter. */
  private record Group(
      PendingRequest.RequestKind what, List<BucketRequest> parts, List<PendingRequest> callers) {
    boolean takes(PendingRequest ask) {
      return what == PendingRequest.RequestKind.TAKE
          && ask.what() == what
          && parts.equals(ask.parts());
    }
  }

  Batch(List<PendingRequest> asks) {
    this.asks = asks;
    Map<String, Group> last = new HashMap<>();
    boolean leases = false;
    for (PendingRequest ask : asks) {
      if (ask.what() == PendingRequest.RequestKind.LEASE) {
        leases = true;
      } else {
        add(ask, last);
      }
    }
    if (leases) {
      // After all who wait: nobody here is denied what is then taken in advance.
      asks.stream()
          .filter(ask -> ask.what() == PendingRequest.RequestKind.LEASE)
          .forEach(ask -> add(ask, last));
    }
  }

  private void add(PendingRequest ask, Map<String, Group> last) {
    Group group = last.get(ask.parts().get(0).redisKey());
    if (group == null || !group.takes(ask) || !isLastOfAll(group, last)) {
      group = new Group(ask.what(), ask.parts(), new ArrayList<>());
      groups.add(group);
      for (BucketRequest part : ask.parts()) {
        last.put(part.redisKey(), group);
        keys.putIfAbsent(part.redisKey(), keys.size() + 1);
        limits.putIfAbsent(part.codec(), limits.size() + 1);
      }
    }
    group.callers.add(ask);
  }

  @SuppressWarnings("ReferenceEquality") // another group that asks for the same is another group
  private static boolean isLastOfAll(Group group, Map<String, Group> last) {
    for (BucketRequest part : group.parts) {
      if (last.get(part.redisKey()) != group) {
        return false;
      }
    }
    return true;
  }

  /** How many callers it is for. */
  int size() {
    return asks.size();
  }

  List<PendingRequest> asks() {
    return asks;
  }

  /** The callers of each of its requests, in their order. */
  List<List<PendingRequest>> requests() {
    return groups.stream().map(Group::callers).toList();
  }

  /** The buckets that it is about. */
  Iterable<String> keys() {
    return keys.keySet();
  }

  int keyCount() {
    return keys.size();
  }

  private static <T> int numberOf(Map<T, Integer> numbers, T of) {
    return Objects.requireNonNull(numbers.get(of));
  }

  /** What the script is told. */
  MessagePackArray numbers() {
    MessagePackArray numbers = new MessagePackArray().add(limits.size());
    limits.keySet().forEach(codec -> codec.write(numbers));
    numbers.add(groups.size());
    for (Group group : groups) {
      numbers.add(group.what.code()).add(group.callers.size()).add(group.parts.size());
      for (BucketRequest part : group.parts) {
        numbers.add(numberOf(keys, part.redisKey())).add(numberOf(limits, part.codec()));
        numbers.add(part.thousandths()).add(part.codec().delayTicks(part.most()));
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
   * Tells the callers what the script replied.
   *
   * @param denials is told what was denied
   * @return what was charged to those for whom it comes too late
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
        PendingRequest ask = group.callers.get(caller);
        Decision decision = decision(group, replies, next, granted, caller);
        if (ask instanceof SlotRequest leg) {
          leg.noteUntaken(decision(group, replies, next, Math.min(granted, caller), caller));
          leg.noteCharges(charges(group, replies, next, caller));
        }
        if (caller == granted && group.what == PendingRequest.RequestKind.TAKE) {
          denials.accept(group.parts, decision);
        }
        if (!ask.answer(decision)
            && caller < granted
            && ask.what() == PendingRequest.RequestKind.TAKE) {
          late.addAll(charges(group, replies, next, caller));
        }
      }
      for (BucketRequest part : group.parts) {
        part.codec().noteDone(group.what, part, replies, next, granted);
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
