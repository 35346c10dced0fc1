package io.penstock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The servers of a cluster and their slots. Thread-safe.
 *
 * <p>Who has which slots is asked of one of the servers: now and then, and often while a slot has
 * no server that could be asked. In between, a server that has given a slot away says so when it is
 * asked for it.
 */
final class Cluster implements Topology {
  private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long TICK_MILLIS = 100;

  /** A server without slots is kept for so long: one may be on its way there. */
  private static final long UNUSED_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final ClusterConnector connector;
  private final SlotViews views;
  private final ClusterParts parts;
  private final ScheduledExecutorService timer;
  private final ProbeKeys probeKeys;
  private final Map<ServerAddress, Server> servers = new ConcurrentHashMap<>();
  private final AtomicReferenceArray<@Nullable ClusterSlot> slots =
      new AtomicReferenceArray<>(SlotTable.SLOTS);
  private final AtomicReferenceArray<@Nullable Server> owners =
      new AtomicReferenceArray<>(SlotTable.SLOTS);
  private final AtomicBoolean looking = new AtomicBoolean();
  private final CountDownLatch found = new CountDownLatch(1);
  private volatile List<Server> owning = List.of();
  private volatile boolean allServed;
  private volatile boolean available;
  private volatile boolean stale = true;
  private volatile boolean closed;
  private volatile long lookedNanos = System.nanoTime();

  /** What a cluster is made of. */
  interface ClusterParts {
    /**
     * A server that is not connected yet.
     *
     * @param changed is run when it is there from now on, or away
     */
    Server server(ServerAddress address, Connector connector, Runnable changed);

    CallBatcher calls(Route route);

    /** All slots can be asked for, or no longer. */
    void available(boolean available, String reason);
  }

  Cluster(
      ClusterConnector connector,
      ClusterParts parts,
      ScheduledExecutorService timer,
      ProbeKeys probeKeys) {
    this.connector = connector;
    this.views = new SlotViews(connector);
    this.parts = parts;
    this.timer = timer;
    this.probeKeys = probeKeys;
  }

  @Override
  public CallBatcher calls(BucketRequest part) {
    int number = part.slot();
    ClusterSlot slot = slots.get(number);
    if (slot == null) {
      slot = new ClusterSlot(number, this, parts::calls);
      ClusterSlot other = slots.compareAndExchange(number, null, slot);
      slot = other == null ? slot : other;
    }
    return slot.calls();
  }

  @Override
  public List<List<BucketRequest>> together(List<BucketRequest> all) {
    int first = all.get(0).slot();
    boolean oneSlot = true;
    for (int i = 1; i < all.size(); i++) {
      oneSlot &= all.get(i).slot() == first;
    }
    if (oneSlot) {
      return List.of(all);
    }
    Map<Integer, List<BucketRequest>> bySlot = new LinkedHashMap<>();
    all.forEach(part -> bySlot.computeIfAbsent(part.slot(), slot -> new ArrayList<>()).add(part));
    return List.copyOf(bySlot.values());
  }

  @Override
  public boolean isAvailable() {
    return available;
  }

  @Override
  public int requestsUnderWay() {
    int calls = 0;
    List<Server> now = owning;
    for (int i = 0; i < now.size(); i++) {
      calls += now.get(i).callsUnderWay();
    }
    return calls;
  }

  /** Who has a slot; null if nobody is known to. */
  @Nullable Server owner(int slot) {
    return owners.get(slot);
  }

  /** The server there, which may not be connected yet. */
  Server server(ServerAddress address) {
    return servers.computeIfAbsent(
        address,
        fresh -> {
          Server server = parts.server(fresh, connector.at(fresh), this::changed);
          server.health().begin();
          return server;
        });
  }

  /** A server has said that another has the slot now. */
  void moved(int slot, Server owner) {
    owners.set(slot, owner);
    stale = true;
  }

  /** A server has said that nobody has the slot. */
  void notServed(int slot, Server asked) {
    if (owners.compareAndSet(slot, asked, null)) {
      allServed = false;
      changed();
    }
  }

  private synchronized void changed() {
    boolean now =
        allServed && owning.stream().allMatch(server -> server.health().isThere()) && !closed;
    if (now != available) {
      available = now;
      parts.available(now, now ? "" : unavailableReason());
      if (now) {
        found.countDown();
      }
    }
  }

  @Override
  public String unavailableReason() {
    if (isAvailable()) {
      return "";
    }
    return owning.stream()
        .filter(server -> !server.health().isThere())
        .map(server -> server.address() + ": " + server.health().reason())
        .findFirst()
        .orElse("not all slots of the cluster are served");
  }

  @Override
  public void begin(Duration most) {
    timer.execute(this::tick);
    try {
      var unused = found.await(most.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void tick() {
    boolean due = stale || !available || System.nanoTime() - lookedNanos > PERIOD_NANOS;
    if (due && !closed && looking.compareAndSet(false, true)) {
      look();
    }
    if (!closed) {
      long jittered = TICK_MILLIS / 2 + ThreadLocalRandom.current().nextLong(TICK_MILLIS + 1);
      var unused = timer.schedule(this::tick, jittered, TimeUnit.MILLISECONDS);
    }
  }

  private void look() {
    stale = false;
    var unused =
        views
            .ask(whomToAsk())
            .whenComplete(
                (table, failure) -> {
                  if (table != null) {
                    adopt(table);
                  }
                  lookedNanos = System.nanoTime();
                  looking.set(false);
                });
  }

  /** Those first who are there; in no order, so that one with a view of its own is soon left. */
  private List<ServerAddress> whomToAsk() {
    List<ServerAddress> there = new ArrayList<>();
    List<ServerAddress> others = new ArrayList<>(connector.seeds());
    servers.forEach((address, server) -> (server.health().isThere() ? there : others).add(address));
    Collections.shuffle(there);
    Collections.shuffle(others);
    there.addAll(others);
    return there.stream().distinct().toList();
  }

  private void adopt(SlotTable table) {
    Map<Server, Integer> firstSlots = new LinkedHashMap<>();
    int next = 0;
    int served = 0;
    for (SlotTable.Range range : table.inOrder()) {
      Server owner = server(range.owner());
      firstSlots.putIfAbsent(owner, range.first());
      for (; next < range.first(); next++) {
        owners.set(next, null);
      }
      for (; next <= range.last(); next++, served++) {
        owners.set(next, owner);
      }
    }
    for (; next < SlotTable.SLOTS; next++) {
      owners.set(next, null);
    }
    firstSlots.forEach((server, slot) -> server.probeWith(slot, probeKeys));
    owning = List.copyOf(firstSlots.keySet());
    allServed = served == SlotTable.SLOTS;
    forgetUnused();
    changed();
  }

  private void forgetUnused() {
    long now = System.nanoTime();
    servers.forEach(
        (address, server) -> {
          if (!owning.contains(server) && now - server.lastUsedNanos() > UNUSED_NANOS) {
            servers.remove(address);
            server.close();
          }
        });
  }

  @Override
  public void close() {
    closed = true;
    found.countDown();
    servers.values().forEach(Server::close);
    connector.close();
  }
}
