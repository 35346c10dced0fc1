package io.penstock.redis;

import static io.penstock.testing.Waiting.await;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.penstock.testing.Ports;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A cluster for one test: primaries with equal shares of the slots, each with one replica. A server
 * that doesn't respond for a second is considered failed.
 */
final class ClusterProcesses implements AutoCloseable {
  private static final int SLOTS = 16_384;

  private final List<RedisProcess> primaries = new ArrayList<>();
  private final List<RedisProcess> replicas = new ArrayList<>();
  private final RedisClient client = RedisClient.create();
  private final Map<RedisProcess, RedisCommands<String, String>> connections = new HashMap<>();
  private FlakyProxy proxy;

  /** Starts three primaries and their replicas. */
  ClusterProcesses(String... options) {
    this(3, 3, options);
  }

  /**
   * @param replicaCount one for each of the first so many primaries
   * @param options of the servers
   */
  ClusterProcesses(int primaryCount, int replicaCount, String... options) {
    for (int i = 0; i < primaryCount + replicaCount; i++) {
      (i < primaryCount ? primaries : replicas).add(start(options));
    }
    form();
  }

  /** Uses servers that are already running. */
  ClusterProcesses(List<RedisProcess> primaries, List<RedisProcess> replicas) {
    this.primaries.addAll(primaries);
    this.replicas.addAll(replicas);
    form();
  }

  /** Starts three primaries; clients reach the first of them through a proxy. */
  static ClusterProcesses behindProxy() {
    int port = freePort();
    FlakyProxy proxy = new FlakyProxy(port);
    RedisProcess first =
        start(
            port,
            "--cluster-announce-port",
            "" + proxy.port(),
            "--cluster-announce-bus-port",
            "" + (port + 10_000));
    ClusterProcesses cluster = new ClusterProcesses(List.of(first, start(), start()), List.of());
    cluster.proxy = proxy;
    return cluster;
  }

  FlakyProxy proxy() {
    return proxy;
  }

  private void form() {
    int primaryCount = primaries.size();
    int replicaCount = replicas.size();
    for (int i = 0; i < primaryCount; i++) {
      // One by one, because servers before 7.0, such as the embedded one, don't support ranges.
      Stream<String> slots =
          IntStream.range(SLOTS * i / primaryCount, SLOTS * (i + 1) / primaryCount)
              .mapToObj(Integer::toString);
      must(
          primaries.get(i),
          Stream.concat(Stream.of("CLUSTER", "ADDSLOTS"), slots).toArray(String[]::new));
    }
    all().forEach(server -> meet(primaries.get(0), server));
    for (RedisProcess server : all()) {
      await("all know each other").until(() -> knows(server, primaryCount + replicaCount));
    }
    for (int i = 0; i < replicaCount; i++) {
      must(replicas.get(i), "CLUSTER", "REPLICATE", id(primaries.get(i)));
    }
    for (RedisProcess replica : replicas) {
      await("in sync").until(() -> info(replica, "replication").contains("link_status:up"));
    }
    for (RedisProcess server : all()) {
      await("available").until(() -> isFine(server));
      await("all servers know the roles").until(() -> roles(server, "slave") == replicaCount);
    }
  }

  /** Starts a server that is not part of a cluster yet. */
  static RedisProcess start(String... options) {
    return start(freePort(), options);
  }

  /** The port of the cluster bus is 10,000 higher. */
  static int freePort() {
    int port;
    do {
      port = Ports.free();
    } while (!Ports.isFree(port + 10_000));
    return port;
  }

  static RedisProcess start(int port, String... options) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "--cluster-enabled",
                "yes",
                "--cluster-node-timeout",
                "1000",
                "--cluster-config-file",
                "nodes.conf",
                "--cluster-migration-barrier",
                "9"));
    all.addAll(List.of(options));
    return RedisProcess.start(port, all.toArray(String[]::new));
  }

  /** Adds a server without slots. */
  void join(RedisProcess server) {
    meet(server, primaries.get(0));
    primaries.add(server);
    for (RedisProcess each : all()) {
      await("all know each other").until(() -> knows(each, all().size()));
    }
    await("available").until(() -> isFine(server));
  }

  private static void meet(RedisProcess one, RedisProcess other) {
    must(one, "CLUSTER", "MEET", "127.0.0.1", "" + other.port(), "" + (other.port() + 10_000));
  }

  private static boolean knows(RedisProcess server, int count) {
    return server.command("CLUSTER", "INFO").contains("cluster_known_nodes:" + count + "\r")
        && !server.command("CLUSTER", "NODES").contains("handshake");
  }

  static boolean isFine(RedisProcess server) {
    return server.command("CLUSTER", "INFO").contains("cluster_state:ok");
  }

  private static long roles(RedisProcess server, String role) {
    return server.command("CLUSTER", "NODES").lines().filter(line -> line.contains(role)).count();
  }

  private static String info(RedisProcess server, String section) {
    try {
      return server.command("INFO", section);
    } catch (UncheckedIOException ended) {
      return "";
    }
  }

  static boolean isPrimary(RedisProcess server) {
    return info(server, "replication").contains("role:master");
  }

  static String id(RedisProcess server) {
    return server.command("CLUSTER", "MYID");
  }

  static String must(RedisProcess server, String... words) {
    String reply = server.command(words);
    if (reply.startsWith("-")) {
      throw new IllegalStateException(String.join(" ", words) + ": " + reply);
    }
    return reply;
  }

  String url() {
    return primaries.stream()
        .map(server -> "127.0.0.1:" + server.port())
        .collect(Collectors.joining(",", "redis-cluster://", ""));
  }

  List<RedisProcess> primaries() {
    return primaries;
  }

  /** The replica of the primary with the same index. */
  RedisProcess replica(int number) {
    return replicas.get(number);
  }

  List<RedisProcess> all() {
    List<RedisProcess> all = new ArrayList<>(primaries);
    all.addAll(replicas);
    return all;
  }

  /** Returns a key in a slot range that initially belongs to a primary. */
  String keyAt(int primary, int number) {
    for (int i = number * 10_000; ; i++) {
      String key = "key" + i;
      int slot = SlotTable.slotOf("{" + key + "}");
      if (slot >= SLOTS * primary / 3 && slot < SLOTS * (primary + 1) / 3) {
        return key;
      }
    }
  }

  /** Migrates a slot with all its keys, like cluster tools do. */
  void move(int slot, RedisProcess to) {
    RedisProcess from = owner(slot);
    if (from != to) {
      beginMove(slot, from, to);
      moveKeys(slot, from, to);
      endMove(slot, from, to);
    }
  }

  void beginMove(int slot, RedisProcess from, RedisProcess to) {
    must(to, "CLUSTER", "SETSLOT", "" + slot, "IMPORTING", id(from));
    must(from, "CLUSTER", "SETSLOT", "" + slot, "MIGRATING", id(to));
  }

  void moveKeys(int slot, RedisProcess from, RedisProcess to) {
    List<String> keys;
    do {
      // A few keys at a time, like cluster tools do.
      keys = commands(from).clusterGetKeysInSlot(slot, 10);
      keys.forEach(key -> moveKey(key, from, to));
    } while (!keys.isEmpty());
  }

  private RedisCommands<String, String> commands(RedisProcess server) {
    return connections.computeIfAbsent(
        server, each -> client.connect(RedisURI.create(each.url())).sync());
  }

  void moveKey(String key, RedisProcess from, RedisProcess to) {
    must(from, "MIGRATE", "127.0.0.1", "" + to.port(), key, "0", "5000");
  }

  /**
   * Makes the new owner take the next epoch that it knows of. If the old owner had a later one, its
   * last message about the slot, if still in flight, would assign the slot to a server that no
   * longer has it.
   */
  void endMove(int slot, RedisProcess from, RedisProcess to) {
    await("one epoch")
        .until(() -> primaries.stream().map(ClusterProcesses::epoch).distinct().count() == 1);
    must(to, "CLUSTER", "SETSLOT", "" + slot, "NODE", id(to));
    must(from, "CLUSTER", "SETSLOT", "" + slot, "NODE", id(to));
    // A server that learns of it late would tell the new owner about the old one if their epochs
    // collide.
    for (RedisProcess other : primaries) {
      if (other != to && other != from) {
        must(other, "CLUSTER", "SETSLOT", "" + slot, "NODE", id(to));
      }
    }
  }

  private static String epoch(RedisProcess server) {
    return server
        .command("CLUSTER", "INFO")
        .lines()
        .filter(line -> line.startsWith("cluster_current_epoch:"))
        .findFirst()
        .orElseThrow();
  }

  /**
   * Waits until exactly one server claims a slot, and returns it; changes take time to propagate.
   */
  RedisProcess owner(int slot) {
    List<RedisProcess> owners = new ArrayList<>();
    await("one owner")
        .until(
            () -> {
              owners.clear();
              primaries.stream().filter(server -> owns(server, slot)).forEach(owners::add);
              return owners.size() == 1;
            });
    return owners.get(0);
  }

  private static boolean owns(RedisProcess server, int slot) {
    return server
        .command("CLUSTER", "NODES")
        .lines()
        .filter(line -> line.contains("myself"))
        .flatMap(line -> Stream.of(line.split(" ", -1)).skip(8))
        .filter(range -> !range.startsWith("["))
        .map(range -> range.split("-", 2))
        .anyMatch(
            ends ->
                Integer.parseInt(ends[0]) <= slot
                    && slot <= Integer.parseInt(ends[ends.length - 1]));
  }

  /** Returns keys of the store without a time to live. */
  List<String> keysWithoutTtl() {
    return all().stream()
        .filter(ClusterProcesses::isPrimary)
        .flatMap(server -> server.keysWithoutTtl().stream())
        .toList();
  }

  @Override
  public void close() {
    var unused = client.shutdownAsync(0, 0, TimeUnit.MILLISECONDS);
    all().forEach(RedisProcess::close);
    if (proxy != null) {
      proxy.close();
    }
  }
}
