package io.penstock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The servers of a cluster and their slots. Thread-safe.
 *
 * <p>The slot table is read from one of the servers: periodically, and more often while a slot has
 * no available server. In between, a server that no longer has a slot redirects the request.
 */
final class Cluster implements Topology {
  private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long TICK_MILLIS = 100;

  /** How long a server without slots is kept, because a slot may be migrating to it. */
  private static final long UNUSED_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final ClusterConnector connector;
  private final SlotTableReader slotTables;
  private final StoreAssembler assembler;
  private final ScheduledExecutorService timer;
  private final ProbeKeys probeKeys;
  private final Map<ServerAddress, Server> servers = new ConcurrentHashMap<>();
  private final AtomicReferenceArray<@Nullable CallBatcher> batchers =
      new AtomicReferenceArray<>(SlotTable.SLOTS);
  private final AtomicReferenceArray<@Nullable Server> owners =
      new AtomicReferenceArray<>(SlotTable.SLOTS);
  private final AtomicBoolean refreshing = new AtomicBoolean();
  private final OutageReports outages;
  private volatile List<Server> primaries = List.of();
  private volatile boolean allSlotsServed;
  private volatile boolean available;
  private volatile boolean stale = true;
  private volatile boolean closed;

  /** Why no server returned the slot table at the last attempt. */
  private volatile @Nullable RedisOutage unread;

  private volatile long refreshedNanos = System.nanoTime();

  Cluster(
      ClusterConnector connector,
      StoreAssembler assembler,
      ScheduledExecutorService timer,
      ProbeKeys probeKeys,
      OutageReports outages) {
    this.connector = connector;
    this.slotTables = new SlotTableReader(connector);
    this.assembler = assembler;
    this.timer = timer;
    this.probeKeys = probeKeys;
    this.outages = outages;
  }

  @Override
  public CallBatcher batcher(RedisClaim claim) {
    int slot = claim.slot();
    CallBatcher batcher = batchers.get(slot);
    if (batcher == null) {
      batcher = assembler.newBatcher(new SlotRoute(slot, this));
      CallBatcher other = batchers.compareAndExchange(slot, null, batcher);
      batcher = other == null ? batcher : other;
    }
    return batcher;
  }

  @Override
  public @Nullable Server serverOf(String redisKey) {
    return owner(SlotTable.slotOf(redisKey));
  }

  @Override
  public List<List<RedisClaim>> groupByCall(List<RedisClaim> all) {
    int first = all.get(0).slot();
    boolean oneSlot = true;
    for (int i = 1; i < all.size(); i++) {
      oneSlot &= all.get(i).slot() == first;
    }
    if (oneSlot) {
      return List.of(all);
    }
    Map<Integer, List<RedisClaim>> bySlot = new LinkedHashMap<>();
    all.forEach(
        claim -> bySlot.computeIfAbsent(claim.slot(), slot -> new ArrayList<>()).add(claim));
    return List.copyOf(bySlot.values());
  }

  @Override
  public boolean isAvailable() {
    return available;
  }

  @Override
  public int estimatedWaitingCallers() {
    int calls = 0;
    List<Server> now = primaries;
    for (int i = 0; i < now.size(); i++) {
      calls += now.get(i).callsInFlight();
    }
    return calls;
  }

  /** The owner of a slot; null if none is known. */
  @Nullable Server owner(int slot) {
    return owners.get(slot);
  }

  /** Returns the server at an address, which may not be connected yet. */
  Server server(ServerAddress address) {
    return servers.computeIfAbsent(
        address,
        fresh -> {
          Server server = assembler.newServer(fresh, connector.at(fresh), this::updateAvailability);
          server.health().start();
          return server;
        });
  }

  /** Called when a server redirects a slot permanently to another. */
  void moved(int slot, Server owner) {
    owners.set(slot, owner);
    stale = true;
  }

  /** Called when a server reports that no server has the slot. */
  void notServed(int slot, Server server) {
    if (owners.compareAndSet(slot, server, null)) {
      allSlotsServed = false;
      updateAvailability();
    }
  }

  private synchronized void updateAvailability() {
    boolean now =
        allSlotsServed
            && primaries.stream().allMatch(server -> server.health().isAvailable())
            && !closed;
    available = now;
    if (now) {
      outages.available();
    } else if (!closed) {
      outages.unavailable(findOutage());
    }
  }

  private RedisOutage findOutage() {
    RedisOutage noTable = unread;
    return primaries.stream()
        .filter(server -> !server.health().isAvailable())
        .map(Cluster::outageOf)
        .findFirst()
        .orElseGet(() -> noTable == null ? unservedSlots() : noTable);
  }

  private static RedisOutage outageOf(Server server) {
    RedisOutage known = server.health().outage();
    // Not connected yet.
    return known == null
        ? RedisOutage.of(UnavailableReason.TIMEOUT, server.address().toString(), null)
        : known;
  }

  private RedisOutage unservedSlots() {
    String addresses =
        connector.seeds().stream().map(ServerAddress::toString).collect(Collectors.joining(","));
    return RedisOutage.of(UnavailableReason.UNSERVED_SLOTS, addresses, null);
  }

  @Override
  public @Nullable RedisOutage outage() {
    return outages.current();
  }

  @Override
  public void start(Duration timeout) {
    timer.execute(this::tick);
    outages.awaitStart(timeout);
  }

  private void tick() {
    boolean due = stale || !available || System.nanoTime() - refreshedNanos > PERIOD_NANOS;
    if (due && !closed && refreshing.compareAndSet(false, true)) {
      refresh();
    }
    if (!closed) {
      long jittered = TICK_MILLIS / 2 + ThreadLocalRandom.current().nextLong(TICK_MILLIS + 1);
      var unused = timer.schedule(this::tick, jittered, TimeUnit.MILLISECONDS);
    }
  }

  private void refresh() {
    stale = false;
    var unused =
        slotTables
            .read(candidates())
            .whenComplete(
                (table, failure) -> {
                  if (table != null) {
                    unread = null;
                    adopt(table);
                  } else if (FailureCauses.cause(failure)
                      instanceof ServerConnection.NotConnected notConnected) {
                    unread = notConnected.outage();
                    updateAvailability();
                  }
                  refreshedNanos = System.nanoTime();
                  refreshing.set(false);
                });
  }

  /** Available servers first; shuffled, so that a server with a deviating view is soon replaced. */
  private List<ServerAddress> candidates() {
    List<ServerAddress> available = new ArrayList<>();
    List<ServerAddress> others = new ArrayList<>(connector.seeds());
    servers.forEach(
        (address, server) -> (server.health().isAvailable() ? available : others).add(address));
    Collections.shuffle(available);
    Collections.shuffle(others);
    available.addAll(others);
    return available.stream().distinct().toList();
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
    primaries = List.copyOf(firstSlots.keySet());
    allSlotsServed = served == SlotTable.SLOTS;
    forgetUnused();
    updateAvailability();
  }

  private void forgetUnused() {
    long now = System.nanoTime();
    servers.forEach(
        (address, server) -> {
          if (!primaries.contains(server) && now - server.lastUsedNanos() > UNUSED_NANOS) {
            servers.remove(address);
            server.close();
          }
        });
  }

  @Override
  public void close() {
    closed = true;
    outages.close();
    servers.values().forEach(Server::close);
    connector.close();
  }
}
