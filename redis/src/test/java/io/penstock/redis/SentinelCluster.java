package io.penstock.redis;

import static io.penstock.testing.Waiting.await;

import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** A primary, a replica and their sentinels, for one test. */
final class SentinelCluster implements AutoCloseable {
  static final String NAME = "penstock";

  private final RedisProcess first;
  private final RedisProcess second;
  private final List<RedisProcess> sentinels = new ArrayList<>();

  /**
   * @param sentinelCount the number of sentinels; a majority has to agree
   * @param options of the servers
   */
  SentinelCluster(int sentinelCount, String... options) {
    this.first = RedisProcess.start(options);
    this.second = RedisProcess.start(options);
    second.command("REPLICAOF", "127.0.0.1", "" + first.port());
    await("the replica is in step")
        .until(() -> second.command("INFO", "replication").contains("master_link_status:up"));
    for (int i = 0; i < sentinelCount; i++) {
      sentinels.add(RedisProcess.sentinel(NAME, first.port(), sentinelCount / 2 + 1));
    }
    for (RedisProcess sentinel : sentinels) {
      await("all know each other").until(() -> knowsAll(sentinel));
    }
  }

  private boolean knowsAll(RedisProcess sentinel) {
    String info = sentinel.command("INFO", "sentinel");
    return info.contains("slaves=1,sentinels=" + sentinels.size());
  }

  String url() {
    StringBuilder url = new StringBuilder("redis-sentinel://");
    for (RedisProcess sentinel : sentinels) {
      url.append(sentinel == sentinels.get(0) ? "" : ",").append("127.0.0.1:" + sentinel.port());
    }
    return url + "#" + NAME;
  }

  RedisProcess first() {
    return first;
  }

  RedisProcess second() {
    return second;
  }

  List<RedisProcess> sentinels() {
    return sentinels;
  }

  static boolean isPrimary(RedisProcess server) {
    return role(server).contains("role:master");
  }

  static boolean isReplica(RedisProcess server) {
    return role(server).contains("role:slave");
  }

  /** Empty while sentinels reconfigure it, because they close all connections then. */
  private static String role(RedisProcess server) {
    try {
      return server.command("INFO", "replication");
    } catch (UncheckedIOException ended) {
      return "";
    }
  }

  @Override
  public void close() {
    sentinels.forEach(RedisProcess::close);
    first.close();
    second.close();
  }
}
