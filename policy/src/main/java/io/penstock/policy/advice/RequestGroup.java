package io.penstock.policy.advice;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Requests that get limits of their own, such as those to one endpoint. Not thread-safe. */
final class RequestGroup {
  private static final int MAX_LENGTH = 100;

  private final Map<String, String> match;
  private final Map<String, Integer> ids = new HashMap<>();
  private final List<Integer> keys = new ArrayList<>();
  private long requests;

  /**
   * @param match the attributes that the requests share
   */
  RequestGroup(Map<String, String> match) {
    this.match = Collections.unmodifiableMap(new LinkedHashMap<>(match));
  }

  Map<String, String> match() {
    return match;
  }

  String label() {
    return match.isEmpty()
        ? "all requests"
        : match.values().stream().map(RequestGroup::shortened).collect(Collectors.joining(" "));
  }

  private static String shortened(String value) {
    return value.length() <= MAX_LENGTH ? value : value.substring(0, MAX_LENGTH) + "…";
  }

  Map<String, Integer> ids() {
    return ids;
  }

  /** Returns the numbers of the keys of this group. */
  List<Integer> keys() {
    return keys;
  }

  void add(int key, boolean isNew, long count) {
    if (isNew) {
      keys.add(key);
    }
    requests += count;
  }

  long requests() {
    return requests;
  }
}
