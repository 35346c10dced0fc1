package io.penstock.redis;

import java.util.ArrayList;
import java.util.List;

/**
 * A cluster with a network between its servers that a test can partition: three primaries and a
 * replica of the first, connected through proxies. The first primary and its replica have their own
 * addresses, by which proxies identify them.
 */
final class SplitCluster implements AutoCloseable {
  private static final String FIRST = "127.0.0.2";
  private static final String REPLICA = "127.0.0.3";

  private final List<FlakyProxy> buses = new ArrayList<>();
  private final FlakyProxy way;
  private final ClusterProcesses cluster;

  SplitCluster() {
    int port = ClusterProcesses.freePort();
    this.way = new FlakyProxy(port);
    List<RedisProcess> primaries =
        List.of(start(port, FIRST, way.port()), start("127.0.0.1"), start("127.0.0.1"));
    this.cluster = new ClusterProcesses(primaries, List.of(start(REPLICA)));
  }

  private RedisProcess start(String source) {
    int port = ClusterProcesses.freePort();
    return start(port, source, port);
  }

  private RedisProcess start(int port, String source, int announced) {
    FlakyProxy bus = new FlakyProxy(port + 10_000);
    buses.add(bus);
    return ClusterProcesses.start(
        port,
        "--bind-source-addr",
        source,
        "--cluster-announce-ip",
        "127.0.0.1",
        "--cluster-announce-port",
        "" + announced,
        "--cluster-announce-bus-port",
        "" + bus.port(),
        "--cluster-require-full-coverage",
        "no");
  }

  ClusterProcesses cluster() {
    return cluster;
  }

  /**
   * Partitions the first primary from all other servers, or reconnects it; clients reach all of
   * them.
   */
  void cut(boolean on) {
    way.cutOff(on ? REPLICA : "");
    buses.get(0).lose(on);
    buses.forEach(bus -> bus.cutOff(on ? FIRST : ""));
    if (!on) {
      // Lost bytes leave connections out of sync.
      way.reset();
      buses.forEach(FlakyProxy::reset);
    }
  }

  @Override
  public void close() {
    cluster.close();
    way.close();
    buses.forEach(FlakyProxy::close);
  }
}
