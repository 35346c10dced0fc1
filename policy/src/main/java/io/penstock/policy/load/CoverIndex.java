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
 * Finds a match that covers another one without comparing all with all. Not thread-safe.
 *
 * <p>A match is filed under the texts of one of its conditions: the values, the literal beginnings
 * of patterns, or the networks. One that it covers has a condition on the same subject with each of
 * its own values among those values, or begins with one of those beginnings; so looking up one
 * value, or the beginnings of one pattern, finds it. Networks are found so when they are equal, and
 * wider ones by their width. Of those filed in one place only the first {@link #MAX_COMPARED} are
 * compared: not to find one is only a mistake of an author that goes unnoticed.
 */
final class CoverIndex<T> {
  private static final int MAX_COMPARED = 200;
  private static final int MAX_PREFIX_LENGTH = 200;

  private record Filed<T>(Match match, T value) {}

  private record Place(KeyPart subject, String text) {}

  private final Map<Place, List<Filed<T>>> places = new HashMap<>();
  private final TreeMap<Integer, List<Filed<T>>> networks = new TreeMap<>();
  private final List<Filed<T>> unconditional = new ArrayList<>();
  private final BitSet beginningLengths = new BitSet();

  void add(Match match, T value) {
    Filed<T> filed = new Filed<>(match, value);
    Condition anchor = anchor(match);
    if (anchor == null) {
      unconditional.add(filed);
      return;
    }
    if (anchor instanceof Condition.Within within) {
      int widest = within.networks().stream().mapToInt(Cidr::bits).min().orElse(0);
      networks.computeIfAbsent(widest, bits -> new ArrayList<>()).add(filed);
    }
    for (Place place : placesOf(anchor)) {
      places.computeIfAbsent(place, p -> new ArrayList<>()).add(filed);
    }
  }

  /** The condition to file a match by: networks last, else where the fewest are filed. */
  private @Nullable Condition anchor(Match match) {
    Condition anchor = null;
    int fewest = Integer.MAX_VALUE;
    for (Condition condition : match.conditions()) {
      int most = 0;
      for (Place place : placesOf(condition)) {
        most = Math.max(most, filed(place).size());
      }
      if (condition instanceof Condition.Within) {
        most = Integer.MAX_VALUE - 1;
      }
      if (most < fewest) {
        anchor = condition;
        fewest = most;
      }
    }
    return anchor;
  }

  /** The value of a match that covers {@code match}, if {@code also} holds for it. */
  @Nullable T covering(Match match, Predicate<T> also) {
    List<List<Filed<T>>> candidates = new ArrayList<>();
    candidates.add(unconditional);
    for (Condition condition : match.conditions()) {
      addCandidates(condition, candidates);
    }
    for (List<Filed<T>> list : candidates) {
      for (Filed<T> filed : list.subList(0, Math.min(list.size(), MAX_COMPARED))) {
        if (filed.match().covers(match) && also.test(filed.value())) {
          return filed.value();
        }
      }
    }
    return null;
  }

  private void addCandidates(Condition condition, List<List<Filed<T>>> candidates) {
    KeyPart subject = condition.subject();
    if (condition instanceof Condition.OneOf oneOf) {
      candidates.add(filed(new Place(subject, oneOf.values().iterator().next())));
    } else if (condition instanceof Condition.Like like) {
      String text = cut(like.patterns().get(0).text());
      beginningLengths.stream()
          .takeWhile(length -> length <= text.length())
          .forEach(length -> candidates.add(filed(new Place(subject, text.substring(0, length)))));
    } else if (condition instanceof Condition.Within within) {
      Cidr network = within.networks().get(0);
      candidates.add(filed(new Place(subject, network.toString())));
      candidates.addAll(networks.headMap(network.bits()).values());
    }
  }

  private List<Filed<T>> filed(Place place) {
    return places.getOrDefault(place, List.of());
  }

  private List<Place> placesOf(Condition condition) {
    List<Place> found = new ArrayList<>();
    KeyPart subject = condition.subject();
    if (condition instanceof Condition.OneOf oneOf) {
      oneOf.values().forEach(value -> found.add(new Place(subject, value)));
    } else if (condition instanceof Condition.Like like) {
      like.patterns().stream()
          .map(Pattern::literalPrefix)
          .map(CoverIndex::cut)
          .distinct()
          .forEach(beginning -> found.add(new Place(subject, beginning)));
      found.forEach(place -> beginningLengths.set(place.text().length()));
    } else if (condition instanceof Condition.Within within) {
      within.networks().forEach(network -> found.add(new Place(subject, network.toString())));
    }
    return found;
  }

  private static String cut(String text) {
    return text.length() > MAX_PREFIX_LENGTH ? text.substring(0, MAX_PREFIX_LENGTH) : text;
  }
}
