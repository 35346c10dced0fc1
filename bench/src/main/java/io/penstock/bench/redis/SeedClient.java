package io.penstock.bench.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.util.concurrent.TimeUnit;

/** Creates Lettuce clients with default settings. */
final class SeedClient {
  private SeedClient() {}

  static RedisClient to(String url) {
    return RedisClient.create(RedisURI.create(url));
  }

  static void close(RedisClient client) {
    client.shutdown(0, 0, TimeUnit.MILLISECONDS);
  }
}
