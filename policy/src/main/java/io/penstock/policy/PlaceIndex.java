package io.penstock.policy;

import io.penstock.policy.Attribute.Source;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds the groups that can apply where a request goes, without looking at the others. Immutable.
 *
 * <p>A group is found by one of its conditions: a path or host written out, or what a path begins
 * with up to its first star. Everything that an index gives still has to be matched.
 */
final class PlaceIndex {
  private static final int[] NONE = {};

  private final Map<String, int[]> byPath = new HashMap<>();
  private final Map<String, int[]> byHost = new HashMap<>();
  private final Prefixes prefixes;
  private final int[] anywhere;

  /** An index of groups by the places where they apply; a group is its position in the list. */
  PlaceIndex(List<Match> places) {
    Map<String, List<Integer>> paths = new HashMap<>();
    Map<String, List<Integer>> hosts = new HashMap<>();
    Map<String, List<Integer>> beginnings = new TreeMap<>();
    List<Integer> rest = new ArrayList<>();
    for (int group = 0; group < places.size(); group++) {
      List<Pattern> path = patterns(places.get(group), Source.PATH);
      List<Pattern> host = patterns(places.get(group), Source.HOST);
      boolean byHost = !host.isEmpty() && host.stream().allMatch(Pattern::isLiteral);
      if (byHost && (path.isEmpty() || !path.stream().allMatch(Pattern::isLiteral))) {
        for (Pattern pattern : host) {
          add(hosts, pattern.text(), group);
        }
      } else if (path.isEmpty()) {
        rest.add(group);
      } else {
        for (Pattern pattern : path) {
          add(pattern.isLiteral() ? paths : beginnings, pattern.literalPrefix(), group);
        }
      }
    }
    paths.forEach((path, groups) -> byPath.put(path, array(groups)));
    hosts.forEach((host, groups) -> byHost.put(host, array(groups)));
    this.prefixes = new Prefixes(beginnings);
    this.anywhere = array(rest);
  }

  private static List<Pattern> patterns(Match match, Source source) {
    for (Condition condition : match.conditions()) {
      if (condition instanceof Condition.Like like && like.isOn(source)) {
        return like.patterns();
      }
    }
    return List.of();
  }

  private static void add(Map<String, List<Integer>> index, String text, int group) {
    List<Integer> groups = index.computeIfAbsent(text, unused -> new ArrayList<>());
    if (groups.isEmpty() || groups.get(groups.size() - 1) != group) {
      groups.add(group);
    }
  }

  private static int[] array(List<Integer> groups) {
    return groups.stream().mapToInt(Integer::intValue).toArray();
  }

  /** The groups that may apply, ascending, into {@code found}; how many there are. */
  int find(@Nullable String path, @Nullable String host, Ids found) {
    found.clear();
    found.addAll(anywhere);
    if (host != null) {
      found.addAll(byHost.getOrDefault(host, NONE));
    }
    if (path != null) {
      found.addAll(byPath.getOrDefault(path, NONE));
      for (int i = prefixes.of(path); i >= 0; i = prefixes.shorter(i)) {
        found.addAll(prefixes.groups(i));
      }
    }
    return found.sort();
  }

  /** Some group numbers. Belongs to one thread at a time, which uses it again. */
  static final class Ids {
    private int[] ids = new int[16];
    private int size;
    private boolean sorted;

    private void clear() {
      size = 0;
      sorted = true;
    }

    private void addAll(int[] more) {
      if (more.length == 0) {
        return;
      }
      if (size + more.length > ids.length) {
        ids = Arrays.copyOf(ids, Math.max(2 * ids.length, size + more.length));
      }
      sorted &= size == 0;
      System.arraycopy(more, 0, ids, size, more.length);
      size += more.length;
    }

    private int sort() {
      if (!sorted) {
        Arrays.sort(ids, 0, size);
        int kept = 1;
        for (int i = 1; i < size; i++) {
          if (ids[i] != ids[i - 1]) {
            ids[kept++] = ids[i];
          }
        }
        size = kept;
      }
      return size;
    }

    int get(int i) {
      return ids[i];
    }
  }
}
