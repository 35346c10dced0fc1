package io.penstock.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * The connection to Redis, or none at times. Thread-safe. What is under way when a connection
 * breaks fails and is never sent again.
 */
final class ServerConnection {
  private static final long PROBE_MILLIS = 1_000;
  private static final long PROBE_TIMEOUT_MILLIS = 250;

  /** A call without requests: it takes the script, and the right to run it, but no bucket. */
  private static final Batch NO_REQUESTS = new Batch(List.of());

  private final Connector connector;
  private final Script script;
  private final EvictionWatch evictions;

  /** Whose writers are those who say ASKING: it holds for whatever comes next. */
  private final ReadWriteLock dispatching = new ReentrantReadWriteLock();

  private volatile byte @Nullable [] probeKey;
  private @Nullable StatefulRedisConnection<byte[], byte[]> connection;
  private boolean closed;

  ServerConnection(Connector connector, Script script, EvictionWatch evictions) {
    this.connector = connector;
    this.script = script;
    this.evictions = evictions;
  }

  /** What a probe writes from now on; null if it can only ask whether the server is there. */
  void probeWith(byte @Nullable [] key) {
    probeKey = key;
  }

  /** There was no connection, so nothing was sent. */
  static final class NotSent extends RedisException {
    private static final long serialVersionUID = 1;

    NotSent() {
      super("not connected");
    }
  }

  private synchronized @Nullable StatefulRedisConnection<byte[], byte[]> open() {
    return connection != null && connection.isOpen() ? connection : null;
  }

  /**
   * Asks Redis to decide; fails at once when there is no connection.
   *
   * @param asking whether it is about a slot that is on its way to this server
   */
  CompletionStage<long[]> call(Batch batch, boolean asking) {
    StatefulRedisConnection<byte[], byte[]> open = open();
    if (open == null) {
      return CompletableFuture.failedFuture(new NotSent());
    }
    return call(open, batch, asking);
  }

  private CompletionStage<long[]> call(
      StatefulRedisConnection<byte[], byte[]> open, Batch batch, boolean asking) {
    byte[] numbers = batch.numbers().toBytes();
    return call(open, asking, CommandType.EVALSHA, script.sha(), batch, numbers)
        .exceptionallyCompose(
            failure ->
                failure instanceof RedisNoScriptException
                    ? call(open, asking, CommandType.EVAL, script.text(), batch, numbers)
                    : CompletableFuture.failedStage(failure));
  }

  private CompletionStage<long[]> call(
      StatefulRedisConnection<byte[], byte[]> open,
      boolean asking,
      CommandType how,
      byte[] what,
      Batch batch,
      byte[] numbers) {
    CommandArgs<byte[], byte[]> args =
        new CommandArgs<>(ByteArrayCodec.INSTANCE).add(what).add(batch.keyCount());
    for (String key : batch.keys()) {
      args.addKey(Utf8.bytes(key));
    }
    args.add(numbers);
    Lock lock = asking ? dispatching.writeLock() : dispatching.readLock();
    lock.lock();
    try {
      if (asking) {
        var unused = open.async().asking();
      }
      return open.async().dispatch(how, new LongsOutput(ByteArrayCodec.INSTANCE), args);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Connects if need be, and finds out whether Redis takes writes and runs the script: a user may
   * be allowed one and not the other. Ends in bounded time.
   *
   * @return how long Redis took for a write, in nanoseconds
   */
  CompletionStage<Long> probe() {
    StatefulRedisConnection<byte[], byte[]> open = open();
    return open == null ? connect().thenCompose(this::write) : write(open);
  }

  private CompletionStage<StatefulRedisConnection<byte[], byte[]>> connect() {
    var attempt = connector.connect().toCompletableFuture();
    return attempt
        .copy()
        .orTimeout(connector.patienceMillis(), TimeUnit.MILLISECONDS)
        .whenComplete(
            (fresh, failure) -> {
              if (failure != null) {
                // It may succeed yet, but nobody waits for it any more.
                var unused = attempt.thenAccept(this::discard);
              } else if (adopt(fresh)) {
                evictions.lookAt(fresh);
              } else {
                discard(fresh);
              }
            });
  }

  private synchronized boolean adopt(StatefulRedisConnection<byte[], byte[]> fresh) {
    if (!closed) {
      connection = fresh;
    }
    return !closed;
  }

  private CompletionStage<Long> write(StatefulRedisConnection<byte[], byte[]> open) {
    long sent = System.nanoTime();
    byte[] key = probeKey;
    CompletionStage<Long> taken =
        (key == null ? open.async().ping() : write(open, key))
            .thenApply(done -> System.nanoTime() - sent);
    return (key == null ? taken : taken.thenCompose(nanos -> run(open).thenApply(ran -> nanos)))
        .toCompletableFuture()
        .copy()
        .orTimeout(PROBE_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
  }

  private CompletionStage<long[]> run(StatefulRedisConnection<byte[], byte[]> open) {
    return call(open, NO_REQUESTS, false);
  }

  private static CompletionStage<String> write(
      StatefulRedisConnection<byte[], byte[]> open, byte[] key) {
    return open.async()
        .set(key, new byte[] {'1'}, SetArgs.Builder.px(PROBE_MILLIS))
        .exceptionallyCompose(
            failure ->
                // The slot of the key may have moved; the server is there all the same.
                Redirection.isOne(failure)
                    ? open.async().ping()
                    : CompletableFuture.failedStage(failure));
  }

  /** Gives the connection up, so that the next probe makes a new one. */
  void drop() {
    StatefulRedisConnection<byte[], byte[]> dropped;
    synchronized (this) {
      dropped = connection;
      connection = null;
    }
    if (dropped != null) {
      discard(dropped);
    }
  }

  private void discard(StatefulRedisConnection<byte[], byte[]> unwanted) {
    if (connector.owns()) {
      var unused = unwanted.closeAsync();
    }
  }

  void close() {
    synchronized (this) {
      closed = true;
    }
    drop();
    connector.close();
  }
}
