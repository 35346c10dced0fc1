package io.penstock.redis;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterURIUtil;
import java.net.URI;
import java.util.List;

/** URLs of Redis Clusters: {@code redis-cluster://host1:7000,host2:7000}. */
final class ClusterUrl {
  private static final String PLAIN = "redis-cluster://";
  private static final String TLS = "rediss-cluster://";

  private ClusterUrl() {}

  static boolean isClusterUrl(String url) {
    return url.startsWith(PLAIN) || url.startsWith(TLS);
  }

  /** Parses the servers of a URL. */
  static List<RedisURI> servers(String url) {
    URI each = URI.create(url.replaceFirst("-cluster", ""));
    if (RedisURI.create(each).getDatabase() != 0) {
      throw new IllegalArgumentException(
          "a Redis Cluster only has database 0: " + RedisURI.create(each).getDatabase());
    }
    return RedisClusterURIUtil.toRedisURIs(each);
  }
}
