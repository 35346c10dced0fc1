package io.penstock.policy.load;

import io.penstock.policy.Condition;
import io.penstock.policy.KeyPart;
import io.penstock.policy.Match;
import io.penstock.policy.Pattern;
import io.penstock.policy.address.Cidr;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds a match that covers another one without comparing all pairs. Not thread-safe.
 *
 * <p>A match is indexed by one of its conditions: by the values, the literal prefixes of the
 * patterns, or the networks. Any match that it covers has a condition on the same subject whose
 * values are all among those values, or whose patterns all start with one of those prefixes.
 * Looking up one value, or the prefixes of one pattern, is therefore enough to find it. Equal
 * networks are found the same way, wider ones by their prefix length. At most {@link #MAX_COMPARED}
 * entries of each index key are compared. A missed cover only means that a mistake in the policy is
 * not reported.
 */
final class CoverIndex<T> {
  private static final int MAX_COMPARED = 200;
  private static final int MAX_PREFIX_LENGTH = 200;

  private record IndexedMatch<T>(Match match, T value) {}

  private record IndexKey(KeyPart subject, String text) {}

  private final Map<IndexKey, List<IndexedMatch<T>>> entries = new HashMap<>();
  private final TreeMap<Integer, List<IndexedMatch<T>>> networks = new TreeMap<>();
  private final List<IndexedMatch<T>> unconditional = new ArrayList<>();
  private final BitSet prefixLengths = new BitSet();

  void add(Match match, T value) {
    IndexedMatch<T> entry = new IndexedMatch<>(match, value);
    Condition anchor = anchor(match);
    if (anchor == null) {
      unconditional.add(entry);
      return;
    }
    if (anchor instanceof Condition.Within within) {
      int widest = within.networks().stream().mapToInt(Cidr::bits).min().orElse(0);
      networks.computeIfAbsent(widest, bits -> new ArrayList<>()).add(entry);
    }
    for (IndexKey key : keysOf(anchor)) {
      entries.computeIfAbsent(key, p -> new ArrayList<>()).add(entry);
    }
  }

  /**
   * Returns the condition to index a match by: the one with the fewest entries so far, and networks
   * only if there is nothing else.
   */
  private @Nullable Condition anchor(Match match) {
    Condition anchor = null;
    int minEntries = Integer.MAX_VALUE;
    for (Condition condition : match.conditions()) {
      int maxEntries = 0;
      for (IndexKey key : keysOf(condition)) {
        maxEntries = Math.max(maxEntries, entriesOf(key).size());
      }
      if (condition instanceof Condition.Within) {
        maxEntries = Integer.MAX_VALUE - 1;
      }
      if (maxEntries < minEntries) {
        anchor = condition;
        minEntries = maxEntries;
      }
    }
    return anchor;
  }

  /**
   * Returns the value of a match that covers {@code match} and satisfies {@code filter}, or null.
   */
  @Nullable T covering(Match match, Predicate<T> filter) {
    List<List<IndexedMatch<T>>> candidates = new ArrayList<>();
    candidates.add(unconditional);
    for (Condition condition : match.conditions()) {
      addCandidates(condition, candidates);
    }
    for (List<IndexedMatch<T>> list : candidates) {
      for (IndexedMatch<T> entry : list.subList(0, Math.min(list.size(), MAX_COMPARED))) {
        if (entry.match().covers(match) && filter.test(entry.value())) {
          return entry.value();
        }
      }
    }
    return null;
  }

  private void addCandidates(Condition condition, List<List<IndexedMatch<T>>> candidates) {
    KeyPart subject = condition.subject();
    if (condition instanceof Condition.OneOf oneOf) {
      candidates.add(entriesOf(new IndexKey(subject, oneOf.values().iterator().next())));
    } else if (condition instanceof Condition.Like like) {
      String text = truncate(like.patterns().get(0).text());
      prefixLengths.stream()
          .takeWhile(length -> length <= text.length())
          .forEach(
              length ->
                  candidates.add(entriesOf(new IndexKey(subject, text.substring(0, length)))));
    } else if (condition instanceof Condition.Within within) {
      Cidr network = within.networks().get(0);
      candidates.add(entriesOf(new IndexKey(subject, network.toString())));
      candidates.addAll(networks.headMap(network.bits()).values());
    }
  }

  private List<IndexedMatch<T>> entriesOf(IndexKey key) {
    return entries.getOrDefault(key, List.of());
  }

  private List<IndexKey> keysOf(Condition condition) {
    List<IndexKey> found = new ArrayList<>();
    KeyPart subject = condition.subject();
    if (condition instanceof Condition.OneOf oneOf) {
      oneOf.values().forEach(value -> found.add(new IndexKey(subject, value)));
    } else if (condition instanceof Condition.Like like) {
      like.patterns().stream()
          .map(Pattern::literalPrefix)
          .map(CoverIndex::truncate)
          .distinct()
          .forEach(prefix -> found.add(new IndexKey(subject, prefix)));
      found.forEach(key -> prefixLengths.set(key.text().length()));
    } else if (condition instanceof Condition.Within within) {
      within.networks().forEach(network -> found.add(new IndexKey(subject, network.toString())));
    }
    return found;
  }

  private static String truncate(String text) {
    return text.length() > MAX_PREFIX_LENGTH ? text.substring(0, MAX_PREFIX_LENGTH) : text;
  }
}
