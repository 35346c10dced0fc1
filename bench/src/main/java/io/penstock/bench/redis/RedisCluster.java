package io.penstock.bench.redis;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A Redis Cluster of primaries that share the slots equally. */
final class RedisCluster implements AutoCloseable {
  private static final int SLOTS = 16_384;
  private static final int MAX_POLLS = 600;

  private final List<RedisServer> servers = new ArrayList<>();

  RedisCluster(int size) throws IOException, InterruptedException {
    for (int i = 0; i < size; i++) {
      RedisServer server =
          new RedisServer(
              "--cluster-enabled",
              "yes",
              "--cluster-config-file",
              nodesFile(),
              "--loglevel",
              "warning");
      servers.add(server);
      int first = SLOTS * i / size;
      server.commands().clusterAddSlots(IntStream.range(first, SLOTS * (i + 1) / size).toArray());
      servers.get(0).commands().clusterMeet("127.0.0.1", server.port());
    }
    for (int poll = 0; !servers.stream().allMatch(this::isComplete); poll++) {
      if (poll == MAX_POLLS) {
        close();
        throw new IllegalStateException("the cluster is not ready");
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  private static String nodesFile() throws IOException {
    Path folder = Files.createTempDirectory("penstock-bench");
    folder.toFile().deleteOnExit();
    File file = folder.resolve("nodes.conf").toFile();
    file.deleteOnExit();
    return file.getPath();
  }

  private boolean isComplete(RedisServer server) {
    String info = server.commands().clusterInfo();
    return info.contains("cluster_state:ok")
        && info.contains("cluster_size:" + servers.size() + "\r");
  }

  List<RedisServer> servers() {
    return servers;
  }

  String url() {
    return servers.stream()
        .map(server -> "127.0.0.1:" + server.port())
        .collect(Collectors.joining(",", "redis-cluster://", ""));
  }

  @Override
  public void close() {
    servers.forEach(RedisServer::close);
  }
}
