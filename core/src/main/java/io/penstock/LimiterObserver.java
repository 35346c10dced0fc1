package io.penstock;

/**
 * Receives the decisions of a limiter, for example to count denials. Called by the thread that
 * decides, so it must be thread-safe and return quickly; an exception that it throws reaches the
 * caller of the limiter.
 */
@FunctionalInterface
public interface LimiterObserver {
  /**
   * Called after each decision about a request. A request over several limits is reported for each
   * of them; a peek is not reported.
   *
   * @param limiter the name of the limiter
   * @param allowed whether its limit allows the request
   */
  void decided(String limiter, boolean allowed);
}
