package io.penstock.inprocess;

import io.penstock.NanoClock;
import io.penstock.WindowLimit;
import io.penstock.algorithm.Window;
import io.penstock.inprocess.SipHash.Hash;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Windows by key, each guarded by the {@link KeyLock} of its key. Thread-safe. Adding a key checks
 * a few others and drops the unused ones.
 */
final class WindowTable extends Table {
  private static final long TICK_NANOS = 1;
  private static final int SWEEP = 2;
  private static final int MIN_PROBES = 8;
  private static final int MAX_PROBES = 256;
  private static final int MAX_PAUSES = 100;
  private static final long TOKEN = 1_000;

  private final NanoClock clock;
  private final SipHash hash;
  private final KeyBudget budget;
  private final long tableNumber;
  private final Map<Hash, KeyWindows> cells = new ConcurrentHashMap<>();

  /** The total weight, as counted by the budget. */
  private final AtomicLong size = new AtomicLong();

  private final ActiveLimits<KeyWindows.WindowShape> activeLimits = new ActiveLimits<>();

  /** A clock hand that visits all cells in turn. Guarded by {@link #handLock}. */
  private Iterator<Map.Entry<Hash, KeyWindows>> hand = cells.entrySet().iterator();

  private final ReentrantLock handLock = new ReentrantLock();

  WindowTable(NanoClock clock, SipHash hash, KeyBudget budget, NamedTables owner) {
    super(owner);
    this.clock = clock;
    this.hash = hash;
    this.budget = budget;
    this.tableNumber = owner.tableNumber() + 1;
  }

  void identify(HeldBucket hold) {
    hold.identify(hash);
  }

  /** Holds a cell. Requires the lock of its key. */
  boolean hold(HeldBucket hold) {
    KeyWindows cell = cells.get(new Hash(hold.high, hold.low));
    if (cell == null) {
      if (!hold.readOnly) {
        return false;
      }
      cell = new KeyWindows();
    }
    hold.cell = cell;
    return true;
  }

  /** Creates a cell for a key that has none, or makes room in the existing one. */
  void prepare(HeldBucket hold, WindowLimit limit) {
    Hash key = new Hash(hold.high, hold.low);
    KeyWindows cell = cells.get(key);
    if (cell != null) {
      if (hold.room > 0 || !needsNewWindow(key, cell, limit)) {
        hold.coarse = !grow(key, cell);
      } else if (startGrowing(key, cell)) {
        reserveWindow(hold, key, cell);
      } else {
        KeyBudget.pause();
      }
      return;
    }
    if (hold.room > 0) {
      hold.room = 0;
    } else {
      // Sweep before the new cell is added, which is unused until the request is decided.
      sweep();
      budget.take(this);
    }
    size.incrementAndGet();
    budget.register(this);
    if (cells.putIfAbsent(key, new KeyWindows()) != null) {
      size.decrementAndGet();
      budget.giveBack(1);
    }
  }

  /**
   * Reserves room for another window in a cell. If only the eviction of the cell itself would make
   * room, the cell starts over under the new limit.
   */
  private void reserveWindow(HeldBucket hold, Hash key, KeyWindows cell) {
    boolean reserved = false;
    for (int pauses = 0; !reserved && pauses < MAX_PAUSES; pauses++) {
      reserved = budget.tryTake(this, 0);
      if (!reserved) {
        KeyBudget.pause();
      }
    }
    ReentrantLock lock = KeyLock.of(tableNumber, key.high());
    lock.lock();
    try {
      cell.growing = false;
      if (!reserved) {
        retire(key, cell, cell.forgiven(clock.nanos()));
      }
    } finally {
      lock.unlock();
    }
    hold.room = reserved ? 1 : 0;
  }

  void giveBackRoom(HeldBucket hold) {
    if (hold.room > 0) {
      budget.giveBack(hold.room);
      hold.room = 0;
    }
  }

  private boolean needsNewWindow(Hash key, KeyWindows cell, WindowLimit limit) {
    ReentrantLock lock = KeyLock.of(tableNumber, key.high());
    lock.lock();
    try {
      return !cell.retired && cell.needsNewWindow(limit, clock.nanos());
    } finally {
      lock.unlock();
    }
  }

  /**
   * Protects a cell from eviction until it has grown; false if another request is already growing
   * it.
   */
  private boolean startGrowing(Hash key, KeyWindows cell) {
    ReentrantLock lock = KeyLock.of(tableNumber, key.high());
    lock.lock();
    try {
      boolean starts = !cell.retired && !cell.growing;
      cell.growing |= starts;
      return starts;
    } finally {
      lock.unlock();
    }
  }

  /** Makes room in a cell for one more entry; false if the budget is exhausted. */
  private boolean grow(Hash key, KeyWindows cell) {
    ReentrantLock lock = KeyLock.of(tableNumber, key.high());
    int needed;
    lock.lock();
    try {
      if (cell.growing) {
        return false;
      }
      needed = cell.retired ? 0 : cell.neededWeight(clock.nanos());
      if (needed == 0) {
        return true;
      }
      cell.growing = true;
    } finally {
      lock.unlock();
    }
    boolean granted = budget.reserve(this, needed);
    lock.lock();
    try {
      cell.growing = false;
      if (granted && cell.retired) {
        budget.giveBack(needed);
      } else if (granted) {
        cell.grow(clock.nanos());
        account(cell, needed);
      }
      return granted;
    } finally {
      lock.unlock();
    }
  }

  /** Corrects the weight of a cell, of which {@code reserved} is already counted. */
  private void account(KeyWindows cell, int reserved) {
    int grown = cell.currentWeight() - cell.weight;
    if (grown != 0 || reserved != 0) {
      cell.weight += grown;
      size.addAndGet(grown);
      budget.grow(grown - reserved);
    }
  }

  boolean evaluate(HeldBucket hold, WindowLimit limit) {
    KeyWindows cell = Objects.requireNonNull(hold.cell);
    long limitThousandths = limit.burstThousandths();
    hold.now = clock.nanos();
    if (hold.readOnly) {
      cell = cell.viewUnder(limit, hold.now, activeLimits);
    } else {
      cell.advance(limit, hold.now, activeLimits);
    }
    hold.before = cell.used(limit, hold.now);
    hold.after = hold.cost > limitThousandths ? 0 : cell.waitFor(limit, hold.now, hold.cost);
    hold.allowed = hold.cost <= limitThousandths && hold.after == 0;
    hold.unchanged = cell.resetAfter(limit, hold.now);
    boolean takes = hold.allowed && !hold.readOnly;
    if (hold.after > 0 && !hold.readOnly) {
      cell.denied = true;
    }
    return !takes || hasRoom(hold, cell, limit);
  }

  private static boolean hasRoom(HeldBucket hold, KeyWindows cell, WindowLimit limit) {
    return (hold.room > 0 || !cell.needsNewWindow(limit, hold.now))
        && (hold.coarse || cell.neededWeight(hold.now) == 0);
  }

  void release(HeldBucket hold, WindowLimit limit, boolean take) {
    KeyWindows cell = Objects.requireNonNull(hold.cell);
    if (take && hold.cost > 0) {
      if (hold.room > 0 && cell.needsNewWindow(limit, hold.now)) {
        cell.weight += hold.room;
        size.addAndGet(hold.room);
        hold.room = 0;
      }
      cell.take(limit, hold.now, hold.cost);
      hold.before = cell.used(limit, hold.now);
      hold.unchanged = cell.resetAfter(limit, hold.now);
    } else if (hold.allowed && hold.cost > 0) {
      hold.lifetime = Window.of(limit, TICK_NANOS).lifetime(hold.now);
    }
    hold.taken = take;
    if (!cell.retired && !hold.readOnly && !cell.growing) {
      account(cell, 0);
    }
    hold.cell = null;
  }

  ActiveLimits<KeyWindows.WindowShape> activeLimits() {
    return activeLimits;
  }

  /** Discards the counts of a key. */
  void forget(HeldBucket hold) {
    Hash key = new Hash(hold.high, hold.low);
    ReentrantLock lock = KeyLock.at(hold.lock);
    lock.lock();
    try {
      KeyWindows cell = cells.get(key);
      if (cell != null) {
        retire(key, cell, 0);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  long size() {
    return size.get();
  }

  @Override
  boolean evict(EvictionPriority upTo) {
    if (!handLock.tryLock()) {
      return false;
    }
    try {
      return evictOne(upTo);
    } finally {
      handLock.unlock();
    }
  }

  @Override
  long busyNanos() {
    long max = 0;
    for (Map.Entry<Hash, KeyWindows> entry : cells.entrySet()) {
      ReentrantLock lock = KeyLock.of(tableNumber, entry.getKey().high());
      lock.lock();
      try {
        max = Math.max(max, entry.getValue().resetAfter(clock.nanos()));
      } finally {
        lock.unlock();
      }
    }
    return max;
  }

  @Override
  void dropFull() {
    for (Map.Entry<Hash, KeyWindows> entry : cells.entrySet()) {
      drop(entry, true);
    }
  }

  private boolean evictOne(EvictionPriority upTo) {
    Map.Entry<Hash, KeyWindows> victim = null;
    EvictionPriority best = EvictionPriority.DENIED;
    double minShare = Double.POSITIVE_INFINITY;
    long now = clock.nanos();
    for (int probes = 0;
        probes < MAX_PROBES && (probes < MIN_PROBES || victim == null || !upTo.includes(best));
        probes++) {
      Map.Entry<Hash, KeyWindows> entry = next();
      if (entry == null) {
        break;
      }
      KeyWindows cell = entry.getValue();
      ReentrantLock lock = KeyLock.of(tableNumber, entry.getKey().high());
      if (lock.tryLock()) {
        try {
          double share = cell.usedShare(now);
          EvictionPriority priority =
              EvictionPriority.of(cell.isSpent(now, TOKEN), share > 0 && cell.denied);
          boolean free = !cell.retired && !cell.growing && !isPinned(entry.getKey());
          if (free && (priority.compareTo(best) < 0 || (priority == best && share < minShare))) {
            victim = entry;
            best = priority;
            minShare = share;
          }
        } finally {
          lock.unlock();
        }
      }
    }
    return victim != null && upTo.includes(best) && drop(victim, false);
  }

  private boolean isPinned(Hash key) {
    return Pins.contains(tableNumber, key.high(), key.low());
  }

  private void sweep() {
    if (!handLock.tryLock()) {
      return;
    }
    try {
      for (int i = 0; i < SWEEP; i++) {
        Map.Entry<Hash, KeyWindows> entry = next();
        if (entry != null) {
          drop(entry, true);
        }
      }
    } finally {
      handLock.unlock();
    }
  }

  /** Returns the next cell of the clock hand; null only if there are no cells. */
  private Map.@Nullable Entry<Hash, KeyWindows> next() {
    if (!hand.hasNext()) {
      hand = cells.entrySet().iterator();
    }
    return hand.hasNext() ? hand.next() : null;
  }

  private boolean drop(Map.Entry<Hash, KeyWindows> entry, boolean onlyUnused) {
    KeyWindows cell = entry.getValue();
    ReentrantLock lock = KeyLock.of(tableNumber, entry.getKey().high());
    if (!lock.tryLock()) {
      return false;
    }
    try {
      long forgiven = cell.forgiven(clock.nanos());
      boolean free = !cell.retired && !cell.growing && !isPinned(entry.getKey());
      if (!free || (onlyUnused && forgiven > 0)) {
        return false;
      }
      return retire(entry.getKey(), cell, forgiven);
    } finally {
      lock.unlock();
    }
  }

  /** Removes a cell from the table. Requires the lock of its key. */
  private boolean retire(Hash key, KeyWindows cell, long forgiven) {
    if (cell.retired || !cells.remove(key, cell)) {
      return false;
    }
    cell.retired = true;
    size.addAndGet(-cell.weight);
    if (forgiven > 0) {
      budget.evicted(cell.weight, forgiven);
    } else {
      budget.giveBack(cell.weight);
    }
    return true;
  }
}
