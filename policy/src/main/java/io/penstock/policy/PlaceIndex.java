package io.penstock.policy;

import io.penstock.policy.Attribute.AttributeSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Finds the groups that can apply where a request goes, without looking at the others. Immutable.
 *
 * <p>A group is found by its paths or by its hosts. Everything that the index gives still has to be
 * matched.
 */
final class PlaceIndex {
  private final TextIndex paths;
  private final TextIndex hosts;
  private final int[] anywhere;

  /**
   * An index of groups, each by the places where any of its rules applies; a group is its position
   * in the list.
   */
  PlaceIndex(List<List<Match>> groups) {
    Map<Pattern, SortedSet<Integer>> byPath = new HashMap<>();
    Map<Pattern, SortedSet<Integer>> byHost = new HashMap<>();
    List<Integer> rest = new ArrayList<>();
    for (int group = 0; group < groups.size(); group++) {
      List<Match> places = groups.get(group);
      if (places.stream().anyMatch(PlaceIndex::isAnywhere)) {
        rest.add(group);
        continue;
      }
      for (Match place : places) {
        boolean hostTells = tells(place, AttributeSource.HOST) || !has(place, AttributeSource.PATH);
        boolean byItsHost = hostTells && !tells(place, AttributeSource.PATH);
        for (Pattern pattern :
            patterns(place, byItsHost ? AttributeSource.HOST : AttributeSource.PATH)) {
          (byItsHost ? byHost : byPath)
              .computeIfAbsent(pattern, unused -> new TreeSet<>())
              .add(group);
        }
      }
    }
    this.paths = new TextIndex(byPath);
    this.hosts = new TextIndex(byHost);
    this.anywhere = rest.stream().mapToInt(Integer::intValue).toArray();
  }

  private static boolean isAnywhere(Match place) {
    return !has(place, AttributeSource.PATH) && !has(place, AttributeSource.HOST);
  }

  private static boolean has(Match place, AttributeSource source) {
    return !patterns(place, source).isEmpty();
  }

  /** Whether it is written out, which finds the fewest. */
  private static boolean tells(Match place, AttributeSource source) {
    return has(place, source) && patterns(place, source).stream().allMatch(Pattern::isLiteral);
  }

  private static List<Pattern> patterns(Match place, AttributeSource source) {
    for (Condition condition : place.conditions()) {
      if (condition instanceof Condition.Like like && like.isOn(source)) {
        return like.patterns();
      }
    }
    return List.of();
  }

  /** Whether no place tells groups apart, so that any of them may apply. */
  boolean isEmpty() {
    return paths.isEmpty() && hosts.isEmpty();
  }

  /** The groups that may apply, ascending, into {@code found}; how many there are. */
  int find(Request request, SortedIds found) {
    found.clear();
    found.addAll(anywhere);
    // To tell them costs a door something, so it isn't asked in vain.
    String host = hosts.isEmpty() ? null : request.host();
    if (host != null) {
      hosts.addTo(found, host);
    }
    String path = paths.isEmpty() ? null : request.path();
    if (path != null) {
      paths.addTo(found, path);
    }
    return found.sort();
  }
}
