package io.penstock.policy;

import io.penstock.policy.Attribute.AttributeSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Finds the groups that can apply to the target of a request without testing all groups. Immutable.
 *
 * <p>Groups are indexed by their paths or their hosts. The results are candidates that still have
 * to be matched.
 */
final class PlaceIndex {
  private final TextIndex paths;
  private final TextIndex hosts;
  private final int[] anywhere;

  /**
   * Indexes groups by the places to which their rules apply. Groups are identified by their
   * position in the list.
   */
  PlaceIndex(List<List<Match>> groups) {
    Map<Pattern, SortedSet<Integer>> byPath = new HashMap<>();
    Map<Pattern, SortedSet<Integer>> byHost = new HashMap<>();
    List<Integer> unrestricted = new ArrayList<>();
    for (int group = 0; group < groups.size(); group++) {
      List<Match> places = groups.get(group);
      if (places.stream().anyMatch(PlaceIndex::isAnywhere)) {
        unrestricted.add(group);
        continue;
      }
      for (Match place : places) {
        boolean preferHost =
            isLiteral(place, AttributeSource.HOST) || !has(place, AttributeSource.PATH);
        boolean indexByHost = preferHost && !isLiteral(place, AttributeSource.PATH);
        for (Pattern pattern :
            patterns(place, indexByHost ? AttributeSource.HOST : AttributeSource.PATH)) {
          (indexByHost ? byHost : byPath)
              .computeIfAbsent(pattern, unused -> new TreeSet<>())
              .add(group);
        }
      }
    }
    this.paths = new TextIndex(byPath);
    this.hosts = new TextIndex(byHost);
    this.anywhere = unrestricted.stream().mapToInt(Integer::intValue).toArray();
  }

  private static boolean isAnywhere(Match place) {
    return !has(place, AttributeSource.PATH) && !has(place, AttributeSource.HOST);
  }

  private static boolean has(Match place, AttributeSource source) {
    return !patterns(place, source).isEmpty();
  }

  /** Returns whether all patterns are literal, which makes the index most selective. */
  private static boolean isLiteral(Match place, AttributeSource source) {
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

  /** Returns whether no group is restricted to a path or host, so that any of them may apply. */
  boolean isEmpty() {
    return paths.isEmpty() && hosts.isEmpty();
  }

  /**
   * Writes the groups that may apply to {@code found} in ascending order, and returns their number.
   */
  int find(Request request, SortedIds found) {
    found.clear();
    found.addAll(anywhere);
    // Computing the host or path can be expensive, so it is read only when needed.
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
