package io.penstock.inprocess;

import io.penstock.Buckets;
import io.penstock.Claim;
import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.NanoClock;
import io.penstock.Store;
import io.penstock.StoreOptions;
import io.penstock.TokenBucket;
import io.penstock.WindowLimit;
import io.penstock.algorithm.FixedPointRate;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A store that keeps its buckets in this process. Thread-safe.
 *
 * <p>Memory is bounded by {@link Builder#maxKeys}. Full buckets need no state, so they are dropped
 * when their part of the table is rebuilt. At the cap, the store evicts the buckets with the
 * smallest missing fraction first.
 */
public final class InProcessStore implements Store {
  private static final long MAX_KEYS = 1L << 30;

  /** How many tables are checked when a name is used or retired. */
  private static final int SWEEP = 4;

  private final NanoClock clock;
  private final long maxKeys;
  private final SipHash hash;
  private final Striping striping;
  private final KeyBudget budget;
  private final Map<String, NamedTables> tables = new ConcurrentHashMap<>();
  private final Transaction.TransactionPool transactions = new Transaction.TransactionPool();

  private InProcessStore(Builder builder) {
    this.clock = builder.clock;
    this.maxKeys = builder.maxKeys;
    this.hash = builder.hash;
    this.striping = builder.striping;
    this.budget = new KeyBudget(builder.maxKeys);
  }

  /** Creates a store for up to a million keys, on the system clock. */
  public static InProcessStore create() {
    return builder().build();
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Options of a store. Not thread-safe. */
  public static final class Builder {
    private NanoClock clock = NanoClock.system();
    private long maxKeys = 1_000_000;
    private SipHash hash = SipHash.random();
    private Striping striping = Striping.DEFAULT;

    private Builder() {}

    /** The maximum number of buckets, over all limiters of this store; a million by default. */
    public Builder maxKeys(long maxKeys) {
      if (maxKeys <= 0 || maxKeys > MAX_KEYS) {
        throw new IllegalArgumentException(
            "maxKeys must be from 1 to " + MAX_KEYS + ": " + maxKeys);
      }
      this.maxKeys = maxKeys;
      return this;
    }

    /** The clock of the store; by default {@link NanoClock#system()}. */
    public Builder clock(NanoClock clock) {
      this.clock = Objects.requireNonNull(clock, "clock");
      return this;
    }

    /** A fixed hash key, for tests that have to be reproducible. */
    Builder hash(SipHash hash) {
      this.hash = hash;
      return this;
    }

    /** When buckets are striped, for tests that have to reach that state without contention. */
    Builder striping(Striping striping) {
      this.striping = striping;
      return this;
    }

    public InProcessStore build() {
      return new InProcessStore(this);
    }
  }

  @Override
  public Buckets buckets(String name, Limit limit, StoreOptions storeOptions) {
    NamedTables own = use(name);
    return limit instanceof TokenBucket bucket
        ? new TokenBuckets(this, name, bucket, own)
        : new WindowBuckets(this, name, (WindowLimit) limit, own);
  }

  private NamedTables use(String name) {
    NamedTables own =
        tables.compute(
            name,
            (unused, known) -> {
              NamedTables used = known == null ? new NamedTables(this, name) : known;
              used.limiters.incrementAndGet();
              return used;
            });
    sweep();
    return own;
  }

  /** Called when a limiter stops using a name. */
  void retired(NamedTables own) {
    own.limiters.decrementAndGet();
    dropIfUnused(own);
    sweep();
  }

  /** Drops unused names, once all of their buckets are full. */
  private void sweep() {
    for (int i = 0; i < SWEEP; i++) {
      NamedTables owner = budget.next().owner;
      if (owner != null) {
        dropIfUnused(owner);
      }
    }
  }

  private void dropIfUnused(NamedTables own) {
    // A name that was dropped and is used again has other tables by now.
    boolean unused = own.limiters.get() == 0 || tables.get(own.name()) != own;
    if (unused && own.dropIfFull(budget)) {
      tables.computeIfPresent(
          own.name(),
          (name, known) ->
              known == own && own.limiters.get() == 0 && !own.isRegistered() ? null : known);
    }
  }

  /**
   * Called for a request that began before its limiter was retired and uses a name that was
   * dropped.
   */
  void relink(NamedTables own) {
    tables.putIfAbsent(own.name(), own);
  }

  @Override
  public Decision take(List<Claim> claims) {
    Transaction transaction = transactions.lend();
    transaction.fill(claims);
    return run(transaction, true);
  }

  @Override
  public boolean take(List<Claim> claims, List<Decision> results) {
    Transaction transaction = transactions.lend();
    transaction.fill(claims);
    boolean passes = transaction.run(true);
    transaction.addDecisions(passes, results);
    transactions.giveBack(transaction);
    return passes;
  }

  @Override
  public CompletionStage<Decision> peekAsync(List<Claim> claims) {
    Transaction transaction = transactions.lend();
    transaction.fill(claims);
    return CompletableFuture.completedFuture(run(transaction, false));
  }

  @Override
  public boolean tryTake(List<Claim> claims) {
    Transaction transaction = transactions.lend();
    transaction.fill(claims);
    return tryTake(transaction);
  }

  Decision take(InProcessBuckets buckets, String key, long costThousandths, long maxDelayNanos) {
    Transaction transaction = transactions.lend();
    transaction.fill(buckets, key, costThousandths, maxDelayNanos);
    return run(transaction, true);
  }

  boolean tryTake(InProcessBuckets buckets, String key, long costThousandths) {
    Transaction transaction = transactions.lend();
    transaction.fill(buckets, key, costThousandths, 0);
    return tryTake(transaction);
  }

  private Decision run(Transaction transaction, boolean take) {
    boolean passes = transaction.run(take);
    Decision decision = transaction.decision(passes);
    transactions.giveBack(transaction);
    return decision;
  }

  private boolean tryTake(Transaction transaction) {
    boolean taken = transaction.run(true);
    transactions.giveBack(transaction);
    return taken;
  }

  @Override
  public CompletionStage<Decision> takeAsync(List<Claim> claims) {
    return CompletableFuture.completedFuture(take(claims));
  }

  @Override
  public String kind() {
    return "in-process";
  }

  @Override
  public boolean decidesImmediately() {
    return true;
  }

  /** Requests can combine buckets of all in-process stores. */
  @Override
  public boolean joins(Store other) {
    return other instanceof InProcessStore;
  }

  /** The number of buckets, including full ones that have not been dropped yet. */
  public long keys() {
    return budget.kept();
  }

  /** The number of buckets evicted at the cap although tokens were missing from them. */
  public long evictions() {
    return budget.evictions();
  }

  /** The number of tokens that were missing from evicted buckets. */
  public double forgivenTokens() {
    return budget.forgivenThousandths() / 1_000.0;
  }

  /** Does nothing: the store is memory only and is garbage collected with its last limiter. */
  @Override
  public void close() {}

  NanoClock clock() {
    return clock;
  }

  BucketTable newBucketTable(FixedPointRate fixedRate, NamedTables owner) {
    SegmentTable segments = new SegmentTable(clock, budget, maxKeys, fixedRate, owner);
    return new BucketTable(clock, hash, segments, striping);
  }

  WindowTable newWindowTable(NamedTables owner) {
    return new WindowTable(clock, hash, budget, owner);
  }
}
