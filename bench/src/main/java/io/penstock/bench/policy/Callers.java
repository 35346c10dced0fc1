package io.penstock.bench.policy;

import io.penstock.bench.local.Keys;
import io.penstock.policy.ExplicitRequest;

/**
 * Generates requests of many users to two endpoints. A third of the users belong to tenants with
 * their own tier, a third have a paid plan, and a third have neither. The strings are equal to
 * those in rules but not identical, like strings that a server has just read.
 */
final class Callers {
  static final String SEARCH = "/api/v1/search";
  static final String ORDERS = "/api/v1/orders/";
  static final String API_KEY = "header:x-api-key";
  static final String PRO = "pro";

  private static final int ORDER_PATHS = 100;

  private Callers() {}

  /** Returns the name of a tenant that may have its own tier. */
  static String tenant(int which) {
    return "tenant-%05d".formatted(which);
  }

  /**
   * Returns a request of each user.
   *
   * @param tenants the number of tenants with their own tier
   */
  static ExplicitRequest[] requests(String[] users, int tenants) {
    ExplicitRequest[] requests = new ExplicitRequest[users.length];
    for (int i = 0; i < users.length; i++) {
      boolean hasTier = i % 3 == 0;
      boolean pays = i % 3 == 1;
      requests[i] =
          ExplicitRequest.builder()
              .method(Keys.copy("GET"))
              .host(Keys.copy("api.example.com"))
              .path(Keys.copy(i % 2 == 0 ? SEARCH : ORDERS + i % ORDER_PATHS))
              .header(Keys.copy("x-api-key"), "a-" + users[i])
              .header(Keys.copy("user-agent"), Keys.copy("okhttp/4.12.0"))
              .attribute(Keys.copy("user_id"), Keys.copy(users[i]))
              .attribute(Keys.copy("tenant"), hasTier ? tenant(i / 3 % tenants) : "small-" + i % 50)
              .attribute(Keys.copy("plan"), Keys.copy(pays ? PRO : "free"))
              .build();
    }
    return requests;
  }
}
