package io.penstock.bench.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.function.Predicate;

/** Sends a command that decides nothing, once per request; all callers share a connection. */
final class BareCommand implements SharedLimiter {
  private final RedisClient client;
  private final Predicate<String> command;

  private BareCommand(RedisClient client, Predicate<String> command) {
    this.client = client;
    this.command = command;
  }

  static BareCommand ping(String url) {
    RedisClient client = SeedClient.to(url);
    RedisCommands<String, String> commands = client.connect().sync();
    return new BareCommand(client, key -> commands.ping().equals("PONG"));
  }

  static BareCommand emptyScript(String url) {
    RedisClient client = SeedClient.to(url);
    RedisCommands<String, String> commands = client.connect().sync();
    String sha = commands.scriptLoad("return 1");
    return new BareCommand(
        client,
        key -> {
          Long reply = commands.evalsha(sha, ScriptOutputType.INTEGER, key);
          return reply == 1;
        });
  }

  @Override
  public boolean tryAcquire(String key) {
    return command.test(key);
  }

  @Override
  public void close() {
    SeedClient.close(client);
  }
}
