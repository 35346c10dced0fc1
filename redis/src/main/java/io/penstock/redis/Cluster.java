package io.penstock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
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

  /** How long a slot whose keys were not all at its owner has calls of its own. */
  private static final long SEPARATE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How long a server without slots is kept, because a slot may be migrating to it. */
  private static final long UNUSED_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final ClusterConnector connector;
  private final SlotTableReader slotTables;
  private final StoreAssembler assembler;
  private final ScheduledExecutorService timer;
  private final ProbeKeys probeKeys;
  private final Map<ServerAddress, PrimaryRoute> servers = new ConcurrentHashMap<>();
  private final AtomicReferenceArray<@Nullable CallBatcher> batchers =
      new AtomicReferenceArray<>(SlotTable.SLOTS);
  private final AtomicReferenceArray<@Nullable PrimaryRoute> owners =
      new AtomicReferenceArray<>(SlotTable.SLOTS);

  /** Slots with calls of their own, which follow redirections; each with the time it began. */
  private final Map<Integer, Long> separate = new ConcurrentHashMap<>();

  private final AtomicBoolean refreshing = new AtomicBoolean();
  private final OutageReports outages;
  private volatile List<PrimaryRoute> primaries = List.of();
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
    PrimaryRoute owner = owners.get(claim.slot());
    return owner != null && isShared(claim.slot(), owner)
        ? owner.batcher()
        : slotBatcher(claim.slot());
  }

  private CallBatcher slotBatcher(int slot) {
    CallBatcher batcher = batchers.get(slot);
    if (batcher == null) {
      batcher = assembler.newBatcher(new SlotRoute(slot, this));
      CallBatcher other = batchers.compareAndExchange(slot, null, batcher);
      batcher = other == null ? batcher : other;
    }
    return batcher;
  }

  /** Whether requests to a slot may go into one call with those to other slots of a primary. */
  boolean isShared(int slot, PrimaryRoute primary) {
    return owners.get(slot) == primary
        && primary.acceptsSeveralSlots()
        && (separate.isEmpty() || !separate.containsKey(slot));
  }

  /** Called when the owner of a slot doesn't have all of its keys. */
  void separate(int slot) {
    separate.put(slot, System.nanoTime());
  }

  @Override
  public @Nullable Server serverOf(String redisKey) {
    return owner(SlotTable.slotOf(redisKey));
  }

  @Override
  public List<List<RedisClaim>> groupByCall(List<RedisClaim> all) {
    if (all.size() == 1) {
      return List.of(all);
    }
    Map<Object, List<RedisClaim>> byCall = new LinkedHashMap<>();
    for (RedisClaim claim : all) {
      PrimaryRoute owner = owners.get(claim.slot());
      Object call = owner != null && isShared(claim.slot(), owner) ? owner : claim.slot();
      byCall.computeIfAbsent(call, first -> new ArrayList<>()).add(claim);
    }
    return byCall.size() == 1 ? List.of(all) : List.copyOf(byCall.values());
  }

  @Override
  public boolean isAvailable() {
    return available;
  }

  @Override
  public int estimatedWaitingCallers() {
    int requests = 0;
    List<PrimaryRoute> now = primaries;
    for (int i = 0; i < now.size(); i++) {
      requests += now.get(i).server().requestsInFlight();
    }
    return requests;
  }

  /** The owner of a slot; null if none is known. */
  @Nullable Server owner(int slot) {
    PrimaryRoute owner = owners.get(slot);
    return owner == null ? null : owner.server();
  }

  /** Returns the route to the server at an address, which may not be connected yet. */
  PrimaryRoute primary(ServerAddress address) {
    return servers.computeIfAbsent(
        address,
        fresh -> {
          Server server = assembler.newServer(fresh, connector.at(fresh), this::updateAvailability);
          server.health().start();
          return new PrimaryRoute(server, this, assembler);
        });
  }

  /** Called when a server redirects a slot permanently to another. */
  void moved(int slot, PrimaryRoute owner) {
    owners.set(slot, owner);
    stale = true;
  }

  /** Called when a server reports that no server has the slot. */
  void notServed(int slot, Server server) {
    PrimaryRoute owner = owners.get(slot);
    if (owner != null && owner.server() == server && owners.compareAndSet(slot, owner, null)) {
      allSlotsServed = false;
      updateAvailability();
    }
  }

  private synchronized void updateAvailability() {
    boolean now = allSlotsServed && !closed;
    for (PrimaryRoute primary : primaries) {
      if (!primary.server().health().isAvailable()) {
        primary.reset();
        now = false;
      }
    }
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
        .map(PrimaryRoute::server)
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
    long now = System.nanoTime();
    separate.values().removeIf(since -> now - since > SEPARATE_NANOS);
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
        (address, route) ->
            (route.server().health().isAvailable() ? available : others).add(address));
    Collections.shuffle(available);
    Collections.shuffle(others);
    available.addAll(others);
    return available.stream().distinct().toList();
  }

  private void adopt(SlotTable table) {
    Map<PrimaryRoute, Integer> firstSlots = new LinkedHashMap<>();
    int next = 0;
    int served = 0;
    for (SlotTable.Range range : table.inOrder()) {
      PrimaryRoute owner = primary(range.owner());
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
    firstSlots.forEach((route, slot) -> route.server().probeWith(slot, probeKeys));
    primaries = List.copyOf(firstSlots.keySet());
    allSlotsServed = served == SlotTable.SLOTS;
    forgetUnused();
    updateAvailability();
  }

  private void forgetUnused() {
    long now = System.nanoTime();
    servers.forEach(
        (address, route) -> {
          if (!primaries.contains(route) && now - route.server().lastUsedNanos() > UNUSED_NANOS) {
            servers.remove(address);
            var unused = route.server().close();
          }
        });
  }

  @Override
  public void close() {
    closed = true;
    outages.close();
    CompletableFuture<?>[] connections =
        servers.values().stream()
            .map(route -> route.server().close().toCompletableFuture())
            .toArray(CompletableFuture<?>[]::new);
    // The client would close open connections again, and log a warning for each.
    var unused =
        CompletableFuture.allOf(connections).whenComplete((done, failure) -> connector.close());
  }
}
