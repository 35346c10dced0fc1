package io.penstock.policy.advice;

import io.penstock.policy.Request;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Requests that the same suggested rules apply to, whatever these are. Not thread-safe. */
final class RequestClass {
  private final @Nullable Map<String, String> match;
  private final Request example;
  private long requests;

  /**
   * @param match the attributes of the group that the requests belong to; null if no rule has them
   */
  RequestClass(@Nullable Map<String, String> match, Request example) {
    this.match = match;
    this.example = example;
  }

  @Nullable Map<String, String> match() {
    return match;
  }

  Request example() {
    return example;
  }

  void add(long count) {
    requests += count;
  }

  long requests() {
    return requests;
  }
}
