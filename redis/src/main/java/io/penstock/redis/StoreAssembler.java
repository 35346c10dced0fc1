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

  Topology oneServer(Connector connector) {
    ServerConnection connection = newConnection(connector);
    connection.probeWith(probeKeys.any());
    return new SingleServer(
        new Server(ServerAddress.UNKNOWN, connection, health(connection, this::available)),
        this::calls);
  }

  Topology cluster(ClusterConnector connector) {
    return new Cluster(
        connector,
        new Cluster.ComponentFactory() {
          @Override
          public Server server(ServerAddress address, Connector at, Runnable changed) {
            ServerConnection connection = newConnection(at);
            return new Server(
                address, connection, health(connection, (there, reason) -> changed.run()));
          }

          @Override
          public CallBatcher calls(Route route) {
            return StoreAssembler.this.calls(route);
          }

          @Override
          public void available(boolean available, String reason) {
            StoreAssembler.this.available(available, reason);
          }
        },
        timer,
        probeKeys);
  }

  private void available(boolean available, String reason) {
    observer.available(available);
    if (!available) {
      observer.unavailable(reason);
    }
  }

  private ServerConnection newConnection(Connector connector) {
    return new ServerConnection(connector, settings.script(), evictions);
  }

  private ServerHealth health(ServerConnection connection, ServerHealth.HealthListener changes) {
    return new ServerHealth(connection, timer, changes, settings.deadline().toNanos());
  }

  private CallBatcher calls(Route route) {
    return new CallBatcher(route, callbacks, settings.callObserver(), timer);
  }
}
