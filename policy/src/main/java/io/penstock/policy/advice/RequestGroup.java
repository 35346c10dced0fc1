package io.penstock.policy.advice;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Requests that get limits of their own, such as those to one endpoint. Not thread-safe. */
final class RequestGroup {
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
    return match.isEmpty() ? "all requests" : String.join(" ", match.values());
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
