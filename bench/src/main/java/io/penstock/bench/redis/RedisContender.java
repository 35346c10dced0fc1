package io.penstock.bench.redis;

import io.github.bucket4j.distributed.proxy.optimization.Optimization;
import io.github.bucket4j.distributed.proxy.optimization.Optimizations;
import io.penstock.Consistency;
import io.penstock.FailurePolicy;
import io.penstock.StoreOptions;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** The contenders with buckets in Redis. */
enum RedisContender {
  PENSTOCK("Penstock", 0, "evalsha eval") {
    @Override
    SharedLimiter open(String url, RedisLimits limits) {
      return new OnPenstock(url, limits, StoreOptions.DEFAULT);
    }
  },
  PENSTOCK_LEASED("Penstock, leased", 7, "evalsha eval") {
    @Override
    SharedLimiter open(String url, RedisLimits limits) {
      return new OnPenstock(url, limits, local(Consistency.LEASED));
    }
  },
  PENSTOCK_AUTO("Penstock, auto", 8, "evalsha eval") {
    @Override
    SharedLimiter open(String url, RedisLimits limits) {
      return new OnPenstock(url, limits, local(Consistency.AUTO));
    }
  },
  PENSTOCK_OPEN("Penstock, fail open (5)", 9, "evalsha eval") {
    @Override
    SharedLimiter open(String url, RedisLimits limits) {
      return new OnPenstock(url, limits, new StoreOptions(FailurePolicy.OPEN, Consistency.EXACT));
    }
  },
  LUA_EVAL_SHA("LuaEvalSha (1)", 1, "evalsha") {
    @Override
    SharedLimiter open(String url, RedisLimits limits) {
      return new SeedScript(url, limits);
    }
  },
  MULTI_CMD("MultiCmd (1)", 2, "hmget hset pexpire") {
    @Override
    SharedLimiter open(String url, RedisLimits limits) {
      return new SeedCommands(url, limits);
    }
  },
  WATCH_MULTI_EXEC("WatchMultiExec (1) (2)", 3, "watch hmget exec") {
    @Override
    SharedLimiter open(String url, RedisLimits limits) {
      return new SeedTransaction(url, limits);
    }
  },
  BUCKET4J("Bucket4j (3)", 4, "get") {
    @Override
    SharedLimiter open(String url, RedisLimits limits) {
      return OnBucket4j.sync(url, limits, Optimization.NONE_OPTIMIZED);
    }
  },
  BUCKET4J_BATCHING("Bucket4j, batching (3)", 5, "get") {
    @Override
    SharedLimiter open(String url, RedisLimits limits) {
      return OnBucket4j.sync(url, limits, Optimizations.batching());
    }
  },
  BUCKET4J_ASYNC("Bucket4j, async and batching (3)", 10, "get") {
    @Override
    SharedLimiter open(String url, RedisLimits limits) {
      return OnBucket4j.async(url, limits, Optimizations.batching());
    }
  },
  BUCKET4J_DELAYING("Bucket4j, delaying (6)", 11, "get") {
    @Override
    SharedLimiter open(String url, RedisLimits limits) {
      return OnBucket4j.sync(url, limits, Optimizations.delaying(limits.delays()));
    }
  },
  BUCKET4J_PREDICTING("Bucket4j, predicting (6)", 12, "get") {
    @Override
    SharedLimiter open(String url, RedisLimits limits) {
      return OnBucket4j.sync(url, limits, Optimizations.predicting(limits.delays()));
    }
  },
  REDISSON("Redisson (4)", 6, "evalsha eval") {
    @Override
    SharedLimiter open(String url, RedisLimits limits) {
      return new OnRedisson(url, limits);
    }
  },
  SPRING_CLOUD_GATEWAY("Spring Cloud Gateway (7)", 13, "evalsha") {
    @Override
    SharedLimiter open(String url, RedisLimits limits) {
      return new GatewayScript(url, limits);
    }
  },
  PING("PING", 0, "ping") {
    @Override
    SharedLimiter open(String url, RedisLimits limits) {
      return BareCommand.ping(url);
    }
  },
  EMPTY_EVAL_SHA("empty EVALSHA", 0, "evalsha") {
    @Override
    SharedLimiter open(String url, RedisLimits limits) {
      return BareCommand.emptyScript(url);
    }
  };

  /** The contenders that decide nothing: the minimum cost of a command and of a script. */
  static final List<RedisContender> FLOORS = List.of(PING, EMPTY_EVAL_SHA);

  /** Explains the columns and the numbers in the labels. */
  static final String NOTES =
      """
      ns/op is the duration of the run divided by the number of requests of all callers. Callers are
      platform threads that wait for each response. bytes/op is the allocation of all client threads. Redis
      calls are the calls in INFO commandstats that the client waits for; commands within scripts are not
      counted, and a transaction is one call. server µs is the CPU time of redis-server.
      (1) Textbook token buckets on Lettuce: a script (seed-lua in the ratios), plain commands, and WATCH
          with MULTI. All callers share a connection, except with WATCH.
      (2) Gives up after 20 attempts; only completed requests have to be allowed.
      (3) Each attempt is a GET and an EVAL that runs a GET itself, so the number of calls is the number of
          GETs that Redis counts. With batching, concurrent requests for a key in one process are combined.
      (4) Has no burst: its limit is only the rate, 10^6/s where requests are allowed.
      (5) Keeps no local buckets for decisions without Redis, which the others keep up to date.
      (6) Decides locally and synchronizes later, like leases, but may over-grant. A process may consume an
          eighth of the burst for half a second before it synchronizes, as much as a lease of Penstock.
      (7) Its script, sent by Lettuce in one EVALSHA per request, without the gateway around it. Its clock has
          a resolution of one second.
      """;

  final String label;

  /**
   * Each contender has its own database, because all use the same keys with different values. Redis
   * has 16 by default.
   */
  final int database;

  private final String calls;

  RedisContender(String label, int database, String calls) {
    this.label = label;
    this.database = database;
    this.calls = calls;
  }

  private static StoreOptions local(Consistency consistency) {
    return new StoreOptions(FailurePolicy.LOCAL, consistency);
  }

  /** Returns the contenders that decide. */
  static List<RedisContender> limiters() {
    return Arrays.stream(values()).filter(contender -> !FLOORS.contains(contender)).toList();
  }

  abstract SharedLimiter open(String url, RedisLimits limits);

  /** Returns the commands that Redis counts once per call. */
  Set<String> calls() {
    return Set.of(calls.split(" ", -1));
  }

  /** Returns whether it may abandon requests. */
  boolean givesUp() {
    return this == WATCH_MULTI_EXEC;
  }
}
