package io.penstock.bench.redis;

import static io.github.bucket4j.distributed.proxy.optimization.Optimizations.batching;

import io.github.bucket4j.distributed.proxy.optimization.Optimization;
import io.penstock.Consistency;
import java.util.Set;

/** Who competes for buckets in Redis. */
enum RedisContender {
  PENSTOCK("Penstock", 0, "evalsha eval") {
    @Override
    SharedLimiter open(String url, Terms terms) {
      return new OnPenstock(url, terms, Consistency.EXACT);
    }
  },
  PENSTOCK_LEASED("Penstock, leased", 7, "evalsha eval") {
    @Override
    SharedLimiter open(String url, Terms terms) {
      return new OnPenstock(url, terms, Consistency.LEASED);
    }
  },
  PENSTOCK_AUTO("Penstock, auto", 8, "evalsha eval") {
    @Override
    SharedLimiter open(String url, Terms terms) {
      return new OnPenstock(url, terms, Consistency.AUTO);
    }
  },
  LUA_EVAL_SHA("LuaEvalSha (1)", 1, "evalsha") {
    @Override
    SharedLimiter open(String url, Terms terms) {
      return new SeedScript(url, terms);
    }
  },
  MULTI_CMD("MultiCmd (1)", 2, "hmget hset pexpire") {
    @Override
    SharedLimiter open(String url, Terms terms) {
      return new SeedCommands(url, terms);
    }
  },
  WATCH_MULTI_EXEC("WatchMultiExec (1) (2)", 3, "watch hmget exec") {
    @Override
    SharedLimiter open(String url, Terms terms) {
      return new SeedTransaction(url, terms);
    }
  },
  BUCKET4J("Bucket4j (3)", 4, "get") {
    @Override
    SharedLimiter open(String url, Terms terms) {
      return new OnBucket4j(url, terms, Optimization.NONE_OPTIMIZED);
    }
  },
  BUCKET4J_BATCHING("Bucket4j, batching (3)", 5, "get") {
    @Override
    SharedLimiter open(String url, Terms terms) {
      return new OnBucket4j(url, terms, batching());
    }
  },
  REDISSON("Redisson (4)", 6, "evalsha eval") {
    @Override
    SharedLimiter open(String url, Terms terms) {
      return new OnRedisson(url, terms);
    }
  };

  /** What the numbers in the labels refer to, and what the columns mean. */
  static final String NOTES =
      """
      ns/op is the time of the run over its requests, of all callers. Callers are platform threads that
      wait for each answer. bytes/op is what all threads of the client allocate. Redis calls are those of
      INFO commandstats that the client waits for; commands that scripts run are not counted, and a
      transaction is one call however many commands it holds. server µs is the CPU time of redis-server.
      (1) Textbook token buckets on Lettuce: a script (seed-lua of the ratios), plain commands, and WATCH
          with MULTI. All callers share a connection, except those that WATCH.
      (2) Gives up after 20 attempts; only those that it answered have to be allowed.
      (3) Each attempt is a GET and an EVAL that runs a GET of its own, so the GETs that Redis counts are
          the calls. With batching, requests that wait for the same key in one process go together.
      (4) Has no burst: its limit is the rate alone, 10^6 a second where the row allows.
      """;

  final String label;

  /** Each has a database of its own: their keys are the same, their values are not. */
  final int database;

  private final String calls;

  RedisContender(String label, int database, String calls) {
    this.label = label;
    this.database = database;
    this.calls = calls;
  }

  abstract SharedLimiter open(String url, Terms terms);

  /** The commands that Redis counts once for each call. */
  Set<String> calls() {
    return Set.of(calls.split(" ", -1));
  }

  /** Whether it may leave requests unanswered. */
  boolean givesUp() {
    return this == WATCH_MULTI_EXEC;
  }
}
