package io.penstock.policy.jwt;

import java.util.List;

/** Is told of tokens and of the keys that they are verified with. Must not block. */
public interface JwtObserver {
  /** Nobody. */
  JwtObserver NONE = new JwtObserver() {};

  /** A token was rejected; told once for each request whose rules ask for its claims. */
  default void rejected(TokenCheck.Result why) {}

  /** An attempt to fetch keys failed. */
  default void fetchFailed(KeyFailure why) {}

  /**
   * Fetching keys has begun to fail, fails still, or works again. Told when that changes, and from
   * time to time as long as it fails.
   *
   * @param working whether keys can be fetched
   * @param message for the log; without secrets
   */
  default void keysChanged(boolean working, String message) {}

  /** All of some observers, as one. */
  static JwtObserver all(List<JwtObserver> observers) {
    List<JwtObserver> each = List.copyOf(observers);
    return new JwtObserver() {
      @Override
      public void rejected(TokenCheck.Result why) {
        each.forEach(observer -> observer.rejected(why));
      }

      @Override
      public void fetchFailed(KeyFailure why) {
        each.forEach(observer -> observer.fetchFailed(why));
      }

      @Override
      public void keysChanged(boolean working, String message) {
        each.forEach(observer -> observer.keysChanged(working, message));
      }
    };
  }
}
