package io.penstock.bench.policy;

import io.penstock.bench.local.Keys;
import io.penstock.policy.ExplicitRequest;

/**
 * Requests of many users at two endpoints. A third of the users belongs to tenants with a tier of
 * their own, a third pays, and a third does neither. Their strings are equal to those in rules, but
 * not the same: a server has just read them.
 */
final class Callers {
  static final String SEARCH = "/api/v1/search";
  static final String ORDERS = "/api/v1/orders/";
  static final String API_KEY = "header:x-api-key";
  static final String PRO = "pro";

  private static final int ORDER_PATHS = 100;

  private Callers() {}

  /** The name of a tenant that may have a tier of its own. */
  static String tenant(int which) {
    return "tenant-%05d".formatted(which);
  }

  /**
   * A request of each of some users.
   *
   * @param tenants how many tenants have a tier of their own
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
