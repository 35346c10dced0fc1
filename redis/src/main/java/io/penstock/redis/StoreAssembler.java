package io.penstock.redis;

import java.util.concurrent.ScheduledExecutorService;

/** Creates and connects the components of a store. */
final class StoreAssembler {
  private final RedisStoreBuilder settings;
  private final ScheduledExecutorService timer;
  private final CallBatcher.Callbacks callbacks;
  private final EvictionWatch evictions;
  private final ProbeKeys probeKeys;
  private final OutageReports outages;
  private final CpuLag lag;

  /**
   * @param onAvailable runs whenever Redis becomes available
   */
  StoreAssembler(
      RedisStoreBuilder settings,
      RedisObserver observer,
      ScheduledExecutorService timer,
      CallBatcher.Callbacks callbacks,
      Runnable onAvailable) {
    this.settings = settings;
    this.timer = timer;
    this.callbacks = callbacks;
    this.evictions = new EvictionWatch(observer);
    this.probeKeys = new ProbeKeys(settings.keyPrefix());
    this.lag = new CpuLag(timer);
    this.outages = new OutageReports(observer, settings.failFast(), onAvailable);
  }

  Topology singleServer(Connector connector) {
    ServerConnection connection = newConnection(connector);
    connection.probeWith(probeKeys.any());
    ServerHealth.HealthListener listener =
        new ServerHealth.HealthListener() {
          @Override
          public void available() {
            outages.available();
          }

          @Override
          public void unavailable(RedisOutage outage) {
            outages.unavailable(outage);
          }
        };
    Server server = newServer(ServerAddress.UNKNOWN, connection, listener);
    return new SingleServer(server, newBatcher(new DirectRoute(server)), outages);
  }

  Topology cluster(ClusterConnector connector) {
    return new Cluster(connector, this, timer, probeKeys, outages);
  }

  /**
   * Creates a server of a cluster, which is not connected yet.
   *
   * @param onChange runs whenever the server becomes available or unavailable, and after each
   *     failed probe
   */
  Server newServer(ServerAddress address, Connector connector, Runnable onChange) {
    ServerHealth.HealthListener listener =
        new ServerHealth.HealthListener() {
          @Override
          public void available() {
            onChange.run();
          }

          @Override
          public void unavailable(RedisOutage outage) {
            onChange.run();
          }
        };
    return newServer(address, newConnection(connector), listener);
  }

  private Server newServer(
      ServerAddress address, ServerConnection connection, ServerHealth.HealthListener listener) {
    long deadlineNanos = settings.deadline().toNanos();
    ServerHealth health = new ServerHealth(connection, timer, listener, deadlineNanos, lag);
    return new Server(address, connection, health, lag);
  }

  private ServerConnection newConnection(Connector connector) {
    return new ServerConnection(connector, settings.script(), evictions);
  }

  CallBatcher newBatcher(Route route) {
    return new CallBatcher(route, callbacks, settings.callObserver(), timer);
  }
}
