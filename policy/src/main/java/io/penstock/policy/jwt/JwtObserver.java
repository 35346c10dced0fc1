package io.penstock.policy.jwt;

import java.util.List;
import java.util.function.Consumer;

/** Observes rejected tokens and the state of the verification keys. Must not block. */
public interface JwtObserver {
  /** Ignores all events. */
  JwtObserver NONE = new JwtObserver() {};

  /** Called when a token is rejected, once for each request whose rules need its claims. */
  default void rejected(TokenCheck.Result reason) {}

  /** Called when an attempt to fetch keys fails. */
  default void fetchFailed(KeyFailure reason) {}

  /**
   * Called when fetching keys starts to fail or succeeds again, and periodically while it fails.
   *
   * @param working whether keys can be fetched
   * @param message for the log; without secrets
   */
  default void keysChanged(boolean working, String message) {}

  /** Returns an observer that logs when keys can't be fetched, and when they can again. */
  static JwtObserver logging(Consumer<String> info, Consumer<String> warn) {
    return new JwtObserver() {
      @Override
      public void keysChanged(boolean working, String message) {
        (working ? info : warn).accept(message);
      }
    };
  }

  /** Returns an observer that forwards to all of {@code observers}. */
  static JwtObserver all(List<JwtObserver> observers) {
    List<JwtObserver> each = List.copyOf(observers);
    return new JwtObserver() {
      @Override
      public void rejected(TokenCheck.Result reason) {
        each.forEach(observer -> observer.rejected(reason));
      }

      @Override
      public void fetchFailed(KeyFailure reason) {
        each.forEach(observer -> observer.fetchFailed(reason));
      }

      @Override
      public void keysChanged(boolean working, String message) {
        each.forEach(observer -> observer.keysChanged(working, message));
      }
    };
  }
}
