package io.penstock.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The connection to Redis, or none at times. Thread-safe. What is under way when a connection
 * breaks fails and is never sent again.
 */
final class Link {
  private static final long PROBE_MILLIS = 1_000;

  private final Connector connector;
  private final Script script;
  private final byte[] probeKey;
  private volatile @Nullable StatefulRedisConnection<byte[], byte[]> connection;

  Link(Connector connector, Script script, String keyPrefix) {
    this.connector = connector;
    this.script = script;
    this.probeKey = Utf8.bytes(keyPrefix + "probe");
  }

  /** Asks Redis to decide; fails at once when there is no connection. */
  CompletionStage<long[]> call(Batch batch) {
    StatefulRedisConnection<byte[], byte[]> open = connection;
    if (open == null || !open.isOpen()) {
      return CompletableFuture.failedFuture(new RedisException("not connected"));
    }
    byte[] numbers = batch.numbers().toBytes();
    return call(open, CommandType.EVALSHA, script.sha(), batch, numbers)
        .exceptionallyCompose(
            failure ->
                failure instanceof RedisNoScriptException
                    ? call(open, CommandType.EVAL, script.text(), batch, numbers)
                    : CompletableFuture.failedStage(failure));
  }

  private static CompletionStage<long[]> call(
      StatefulRedisConnection<byte[], byte[]> open,
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
    return open.async().dispatch(how, new LongsOutput(ByteArrayCodec.INSTANCE), args);
  }

  /** Connects if need be, and finds out whether Redis takes writes. */
  CompletionStage<Void> probe() {
    StatefulRedisConnection<byte[], byte[]> open = connection;
    if (open != null && open.isOpen()) {
      return open.async()
          .set(probeKey, new byte[] {'1'}, SetArgs.Builder.px(PROBE_MILLIS))
          .thenApply(done -> null);
    }
    return connector
        .connect()
        .thenCompose(
            fresh -> {
              connection = fresh;
              return probe();
            });
  }

  /** Gives the connection up, so that the next probe makes a new one. */
  void drop() {
    StatefulRedisConnection<byte[], byte[]> open = connection;
    if (open != null && connector.owns()) {
      connection = null;
      var unused = open.closeAsync();
    }
  }

  void close() {
    drop();
    connector.close();
  }
}
