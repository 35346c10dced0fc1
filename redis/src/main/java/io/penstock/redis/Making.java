package io.penstock.redis;

import java.util.concurrent.ScheduledExecutorService;

/** How the parts of a store are put together. */
final class Making {
  private final RedisStoreBuilder settings;
  private final RedisObserver observer;
  private final ScheduledExecutorService timer;
  private final Calls.Callbacks callbacks;
  private final EvictionWatch evictions;
  private final ProbeKeys probeKeys;

  Making(
      RedisStoreBuilder settings,
      RedisObserver observer,
      ScheduledExecutorService timer,
      Calls.Callbacks callbacks) {
    this.settings = settings;
    this.observer = observer;
    this.timer = timer;
    this.callbacks = callbacks;
    this.evictions = new EvictionWatch(observer);
    this.probeKeys = new ProbeKeys(settings.keyPrefix());
  }

  Topology oneServer(Connector connector) {
    Link link = link(connector);
    link.probeWith(probeKeys.any());
    return new OneServer(
        new Server(Address.UNKNOWN, link, health(link, this::available)), this::calls);
  }

  Topology cluster(ClusterConnector connector) {
    return new Cluster(
        connector,
        new Cluster.Parts() {
          @Override
          public Server server(Address address, Connector at, Runnable changed) {
            Link link = link(at);
            return new Server(address, link, health(link, (there, reason) -> changed.run()));
          }

          @Override
          public Calls calls(Route route) {
            return Making.this.calls(route);
          }

          @Override
          public void available(boolean available, String reason) {
            Making.this.available(available, reason);
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

  private Link link(Connector connector) {
    return new Link(connector, settings.script(), evictions);
  }

  private Health health(Link link, Health.Listener changes) {
    return new Health(link, timer, changes, settings.deadline().toNanos());
  }

  private Calls calls(Route route) {
    return new Calls(route, callbacks, settings.calls(), timer);
  }
}
