package io.penstock.redis;

import java.util.concurrent.ScheduledExecutorService;

/** Creates and connects the components of a store. */
final class StoreAssembler {
  private final RedisStoreBuilder settings;
  private final RedisObserver observer;
  private final ScheduledExecutorService timer;
  private final CallBatcher.Callbacks callbacks;
  private final EvictionWatch evictions;
  private final ProbeKeys probeKeys;

  StoreAssembler(
      RedisStoreBuilder settings,
      RedisObserver observer,
      ScheduledExecutorService timer,
      CallBatcher.Callbacks callbacks) {
    this.settings = settings;
    this.observer = observer;
    this.timer = timer;
    this.callbacks = callbacks;
    this.evictions = new EvictionWatch(observer);
    this.probeKeys = new ProbeKeys(settings.keyPrefix());
  }

  Topology singleServer(Connector connector) {
    ServerConnection connection = newConnection(connector);
    connection.probeWith(probeKeys.any());
    Server server = newServer(ServerAddress.UNKNOWN, connection, this::availabilityChanged);
    return new SingleServer(server, newBatcher(new DirectRoute(server)));
  }

  Topology cluster(ClusterConnector connector) {
    return new Cluster(connector, this, timer, probeKeys);
  }

  /**
   * Creates a server of a cluster, which is not connected yet.
   *
   * @param onChange runs whenever the server becomes available or unavailable
   */
  Server newServer(ServerAddress address, Connector connector, Runnable onChange) {
    return newServer(address, newConnection(connector), (available, reason) -> onChange.run());
  }

  private Server newServer(
      ServerAddress address, ServerConnection connection, ServerHealth.HealthListener listener) {
    long deadlineNanos = settings.deadline().toNanos();
    return new Server(
        address, connection, new ServerHealth(connection, timer, listener, deadlineNanos));
  }

  private ServerConnection newConnection(Connector connector) {
    return new ServerConnection(connector, settings.script(), evictions);
  }

  CallBatcher newBatcher(Route route) {
    return new CallBatcher(route, callbacks, settings.callObserver(), timer);
  }

  /** Called when all buckets become available, or some no longer are. */
  void availabilityChanged(boolean available, String reason) {
    observer.available(available);
    if (!available) {
      observer.unavailable(reason);
    }
  }
}
