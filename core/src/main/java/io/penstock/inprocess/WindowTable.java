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
 * Windows by key, each under a lock of its own. Thread-safe. Adding a key looks at a few others and
 * drops those in which nothing counts any more.
 */
final class WindowTable implements KeyBudget.Evictable {
  private static final long TICK_NANOS = 1;
  private static final int SWEEP = 2;
  private static final int PROBES = 8;
  private static final int MOST_PROBES = 256;
  private static final long TOKEN = 1_000;

  private final NanoClock clock;
  private final SipHash hash;
  private final KeyBudget budget;
  private final Map<Hash, Cell> cells = new ConcurrentHashMap<>();

  /** By weight, as the budget counts it. */
  private final AtomicLong size = new AtomicLong();

  private final InForce<WindowLimit> inForce = new InForce<>();

  /** Goes round all cells, a few at a time. */
  private Iterator<Map.Entry<Hash, Cell>> hand = cells.entrySet().iterator();

  WindowTable(NanoClock clock, SipHash hash, KeyBudget budget) {
    this.clock = clock;
    this.hash = hash;
    this.budget = budget;
  }

  /** What is kept of one key. */
  static final class Cell extends ReentrantLock {
    private static final long serialVersionUID = 1;

    private transient WindowLimit limit;
    private transient Window window;
    private int weight = 1;
    private boolean retired;

    Cell(WindowLimit limit) {
      this.limit = limit;
      this.window = Window.of(limit, TICK_NANOS);
    }

    /** Counts by another limit from now on; what is used stays used, at most all of it. */
    private void adopt(WindowLimit next, long now) {
      if (next.kind() != limit.kind() || !next.window().equals(limit.window())) {
        long used = Math.min(window.used(now), next.burstThousandths());
        window = Window.of(next, TICK_NANOS);
        if (used > 0) {
          window.add(now, used);
        }
      }
      limit = next;
    }
  }

  void identify(Hold hold) {
    hold.identify(hash);
  }

  boolean hold(Hold hold, WindowLimit limit) {
    Cell cell = cells.get(new Hash(hold.high, hold.low));
    if (cell == null) {
      if (!hold.looks) {
        return false;
      }
      cell = new Cell(limit);
    }
    cell.lock();
    if (cell.retired) {
      cell.unlock();
      return false;
    }
    hold.cell = cell;
    return true;
  }

  void prepare(Hold hold, WindowLimit limit) {
    Hash key = new Hash(hold.high, hold.low);
    if (!hold.looks && !cells.containsKey(key)) {
      if (hold.insists()) {
        budget.grow(1);
      } else {
        // Before the new cell is there, for nothing is used of that one either.
        sweep();
        budget.take(this);
      }
      if (cells.putIfAbsent(key, new Cell(limit)) == null) {
        size.incrementAndGet();
      } else {
        budget.giveBack(1);
      }
    }
  }

  /**
   * Judges a held cell. One that counts by another limit that is in force too goes on doing so
   * until something is taken by this one, so that going from one to the other gains nothing.
   */
  boolean judge(Hold hold, WindowLimit limit) {
    Cell cell = Objects.requireNonNull(hold.cell);
    long most = limit.burstThousandths();
    hold.now = clock.nanos();
    if (!inForce.has(cell.limit)) {
      cell.adopt(limit, hold.now);
    }
    hold.before = cell.window.used(hold.now);
    hold.after = hold.cost > most ? 0 : cell.window.waitFor(hold.now, hold.cost, most);
    hold.allowed = hold.cost <= most && hold.after == 0;
    hold.unchanged = cell.window.resetAfter(hold.now);
    return true;
  }

  void release(Hold hold, WindowLimit limit, boolean take) {
    Cell cell = Objects.requireNonNull(hold.cell);
    if (take && hold.cost > 0) {
      cell.adopt(limit, hold.now);
      cell.window.add(hold.now, hold.cost);
      hold.before = cell.window.used(hold.now);
      hold.unchanged = cell.window.resetAfter(hold.now);
    } else if (hold.allowed && hold.cost > 0) {
      hold.lifetime = Window.of(limit, TICK_NANOS).lifetime(hold.now);
    }
    hold.taken = take;
    int grown = cell.window.weight() - cell.weight;
    cell.weight += grown;
    size.addAndGet(grown);
    budget.grow(grown);
    cell.unlock();
    hold.cell = null;
    hold.grown = grown > 0;
  }

  void makeRoom() {
    budget.makeRoom(this);
  }

  InForce<WindowLimit> inForce() {
    return inForce;
  }

  /** Forgets a held cell; the hold is released as usual. */
  void forget(Hold hold) {
    retire(new Hash(hold.high, hold.low), Objects.requireNonNull(hold.cell), 0);
  }

  @Override
  public long size() {
    return size.get();
  }

  @Override
  public synchronized boolean evict(boolean spentToo) {
    Map.Entry<Hash, Cell> victim = null;
    double smallest = Double.POSITIVE_INFINITY;
    boolean spent = true;
    for (int seen = 0; seen < MOST_PROBES && (seen < PROBES || (spent && !spentToo)); seen++) {
      Map.Entry<Hash, Cell> entry = next();
      if (entry == null) {
        break;
      }
      long most = entry.getValue().limit.burstThousandths();
      long used = usedIfFree(entry.getValue());
      double share = (double) used / most;
      if (share < smallest) {
        victim = entry;
        smallest = share;
        spent = most - used < Math.min(TOKEN, most);
      }
    }
    return victim != null && (!spent || spentToo) && drop(victim, false);
  }

  private synchronized void sweep() {
    for (int i = 0; i < SWEEP; i++) {
      Map.Entry<Hash, Cell> entry = next();
      if (entry != null) {
        drop(entry, true);
      }
    }
  }

  /** The cell that the hand comes to next; null only if there is none at all. */
  private Map.@Nullable Entry<Hash, Cell> next() {
    if (!hand.hasNext()) {
      hand = cells.entrySet().iterator();
    }
    return hand.hasNext() ? hand.next() : null;
  }

  /** What is used of a cell, or as much as can be if somebody is at it. */
  private long usedIfFree(Cell cell) {
    if (!cell.tryLock()) {
      return Long.MAX_VALUE;
    }
    try {
      return cell.retired ? Long.MAX_VALUE : cell.window.used(clock.nanos());
    } finally {
      cell.unlock();
    }
  }

  private boolean drop(Map.Entry<Hash, Cell> entry, boolean onlyUnused) {
    Cell cell = entry.getValue();
    if (!cell.tryLock()) {
      return false;
    }
    try {
      long used = cell.window.used(clock.nanos());
      if (cell.retired || (onlyUnused && used > 0)) {
        return false;
      }
      retire(entry.getKey(), cell, used);
      return true;
    } finally {
      cell.unlock();
    }
  }

  /** Takes a cell out of the table. Only under its lock. */
  private void retire(Hash key, Cell cell, long forgiven) {
    if (!cell.retired && cells.remove(key, cell)) {
      cell.retired = true;
      size.addAndGet(-cell.weight);
      if (forgiven > 0) {
        budget.evicted(cell.weight, forgiven);
      } else {
        budget.giveBack(cell.weight);
      }
    }
  }
}
