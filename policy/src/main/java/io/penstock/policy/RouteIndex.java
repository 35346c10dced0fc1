package io.penstock.policy;

import io.penstock.policy.Attribute.AttributeSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Finds the groups that can apply to the route of a request (path, method and host) without testing
 * all groups. Immutable.
 *
 * <p>Groups are indexed by their paths or their hosts. The results are candidates that still have
 * to be matched.
 */
final class RouteIndex {
  private final TextIndex paths;
  private final TextIndex hosts;
  private final int[] unrestricted;

  /**
   * Indexes groups by the routes that their rules apply to. Groups are identified by their position
   * in the list.
   */
  RouteIndex(List<List<Match>> groups) {
    Map<Pattern, SortedSet<Integer>> byPath = new HashMap<>();
    Map<Pattern, SortedSet<Integer>> byHost = new HashMap<>();
    List<Integer> unrestricted = new ArrayList<>();
    for (int group = 0; group < groups.size(); group++) {
      List<Match> routes = groups.get(group);
      if (routes.stream().anyMatch(RouteIndex::isUnrestricted)) {
        unrestricted.add(group);
        continue;
      }
      for (Match route : routes) {
        boolean preferHost =
            isLiteral(route, AttributeSource.HOST) || !has(route, AttributeSource.PATH);
        boolean indexByHost = preferHost && !isLiteral(route, AttributeSource.PATH);
        for (Pattern pattern :
            patterns(route, indexByHost ? AttributeSource.HOST : AttributeSource.PATH)) {
          (indexByHost ? byHost : byPath)
              .computeIfAbsent(pattern, unused -> new TreeSet<>())
              .add(group);
        }
      }
    }
    this.paths = new TextIndex(byPath);
    this.hosts = new TextIndex(byHost);
    this.unrestricted = unrestricted.stream().mapToInt(Integer::intValue).toArray();
  }

  private static boolean isUnrestricted(Match route) {
    return !has(route, AttributeSource.PATH) && !has(route, AttributeSource.HOST);
  }

  private static boolean has(Match route, AttributeSource source) {
    return !patterns(route, source).isEmpty();
  }

  /** Returns whether all patterns are literal, which makes the index most selective. */
  private static boolean isLiteral(Match route, AttributeSource source) {
    return has(route, source) && patterns(route, source).stream().allMatch(Pattern::isLiteral);
  }

  private static List<Pattern> patterns(Match route, AttributeSource source) {
    for (Condition condition : route.conditions()) {
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
    found.addAll(unrestricted);
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
