package io.penstock.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
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
 * The connection to a Redis server, which may be down at times. Thread-safe. Calls in flight fail
 * when the connection breaks, and are never resent.
 */
final class ServerConnection implements ServerHealth.ProbedConnection {
  private static final long PROBE_MILLIS = 1_000;
  private static final long PROBE_TIMEOUT_MILLIS = 250;
  private static final long CONNECT_GRACE_MILLIS = 250;

  /**
   * A call without requests. It requires the script and the permission to run it, but no bucket.
   */
  private static final Batch NO_REQUESTS = new Batch(List.of());

  private static final Script PRESENCE = Script.presence();

  private final Connector connector;
  private final Script script;
  private final EvictionWatch evictions;

  /** Write-locked for ASKING, because that command affects the next command on the connection. */
  private final ReadWriteLock dispatching = new ReentrantReadWriteLock();

  private volatile OrderedWrites writes = new OrderedWrites();
  private volatile byte @Nullable [] probeKey;
  private @Nullable StatefulRedisConnection<byte[], byte[]> connection;
  private boolean closed;

  ServerConnection(Connector connector, Script script, EvictionWatch evictions) {
    this.connector = connector;
    this.script = script;
    this.evictions = evictions;
  }

  /** Sets the key that probes write; null if they should only send PING. */
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

  /** No connection could be established. */
  static final class NotConnected extends RedisException {
    private static final long serialVersionUID = 1;

    private final transient RedisOutage outage;

    NotConnected(Connector connector, Throwable failure) {
      super(failure);
      Throwable cause = FailureCauses.cause(failure);
      UnavailableReason reason = UnavailableReason.ofConnect(cause, connector.usesTls());
      this.outage = RedisOutage.of(reason, connector.address(), cause);
    }

    RedisOutage outage() {
      return outage;
    }
  }

  @Override
  public RedisOutage outage(@Nullable Throwable failure) {
    return failure instanceof NotConnected notConnected
        ? notConnected.outage()
        : RedisOutage.of(UnavailableReason.of(failure), connector.address(), failure);
  }

  private synchronized @Nullable StatefulRedisConnection<byte[], byte[]> open() {
    return connection != null && connection.isOpen() ? connection : null;
  }

  /**
   * Sends a call; fails immediately if there is no connection.
   *
   * @param asking whether to send {@code ASKING} first, because the slot is being migrated to this
   *     server
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
      CommandType command,
      byte[] scriptArgument,
      Batch batch,
      byte[] numbers) {
    CommandArgs<byte[], byte[]> args =
        new CommandArgs<>(ByteArrayCodec.INSTANCE).add(scriptArgument);
    if (batch.passesKeysAsArguments()) {
      args.add(0).add(numbers);
      batch.keys().forEach(key -> args.add(Utf8.bytes(key)));
    } else {
      args.add(batch.keyCount());
      batch.keys().forEach(key -> args.addKey(Utf8.bytes(key)));
      args.add(numbers);
    }
    return writes.inOrder(
        () -> {
          Lock lock = asking ? dispatching.writeLock() : dispatching.readLock();
          lock.lock();
          try {
            if (asking) {
              var unused = open.async().asking();
            }
            return open.async().dispatch(command, new LongsOutput(ByteArrayCodec.INSTANCE), args);
          } finally {
            lock.unlock();
          }
        });
  }

  /**
   * Registers a node in a sorted set.
   *
   * @return the number of nodes that registered within {@code ttlMillis}
   */
  CompletionStage<Long> registerNode(String redisKey, String node, long ttlMillis) {
    StatefulRedisConnection<byte[], byte[]> open = open();
    if (open == null) {
      return CompletableFuture.failedFuture(new NotSent());
    }
    return open.async()
        .eval(
            PRESENCE.text(),
            ScriptOutputType.INTEGER,
            new byte[][] {Utf8.bytes(redisKey)},
            Utf8.bytes(node),
            Utf8.bytes(Long.toString(ttlMillis)));
  }

  /**
   * {@inheritDoc}
   *
   * <p>Checks that Redis accepts writes and runs the script; a user may have the permission for one
   * but not the other.
   */
  @Override
  public CompletionStage<Long> probe() {
    StatefulRedisConnection<byte[], byte[]> open = open();
    return open == null ? connect().thenCompose(this::write) : write(open);
  }

  private CompletionStage<StatefulRedisConnection<byte[], byte[]>> connect() {
    var attempt = connector.connect().toCompletableFuture();
    return attempt
        .copy()
        // Longer than the timeout of the attempt itself, whose failure has a better reason.
        .orTimeout(connector.timeoutMillis() + CONNECT_GRACE_MILLIS, TimeUnit.MILLISECONDS)
        .whenComplete(
            (fresh, failure) -> {
              if (failure != null) {
                // The attempt may still succeed, but it is no longer needed.
                var unused = attempt.thenAccept(this::discard);
              } else if (adopt(fresh)) {
                evictions.check(fresh);
              } else {
                discard(fresh);
              }
            })
        .exceptionallyCompose(
            failure -> CompletableFuture.failedFuture(new NotConnected(connector, failure)));
  }

  private synchronized boolean adopt(StatefulRedisConnection<byte[], byte[]> fresh) {
    if (!closed) {
      connection = fresh;
      writes = new OrderedWrites();
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
                // The slot of the key may have moved; the server is available nevertheless.
                Redirection.isRedirection(failure)
                    ? open.async().ping()
                    : CompletableFuture.failedStage(failure));
  }

  @Override
  public void drop() {
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
    if (connector.ownsConnections()) {
      var unused = unwanted.closeAsync();
    }
  }

  /**
   * Closes the connection, and then the client: closed at once, it would close both again.
   *
   * @return completes when the connection is closed
   */
  CompletionStage<Void> close() {
    StatefulRedisConnection<byte[], byte[]> last;
    synchronized (this) {
      closed = true;
      last = connection;
      connection = null;
    }
    CompletionStage<Void> lastClosed =
        last != null && connector.ownsConnections()
            ? last.closeAsync()
            : CompletableFuture.completedFuture(null);
    return lastClosed.whenComplete((done, failure) -> connector.close());
  }
}
