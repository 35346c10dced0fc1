package io.penstock.server.database;

import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;

/** Starts servers with a database. */
final class DatabaseServer {
  private DatabaseServer() {}

  /** Starts a server whose snapshot is in {@code folder}. */
  static RunningServer start(String url, Path folder) {
    return start(url, folder, Map.of());
  }

  static RunningServer start(String url, Path folder, Map<Setting, String> more) {
    Map<Setting, String> flags = new EnumMap<>(Setting.class);
    flags.put(Setting.POSTGRES, url);
    flags.put(Setting.POSTGRES_SNAPSHOT, folder.resolve("rules.json").toString());
    flags.putAll(more);
    return RunningServer.with(flags);
  }

  /** Returns a check request of a user with a plan. */
  static String user(String id, String plan) {
    return "{\"attributes\":{\"user_id\":\"%s\",\"plan\":\"%s\"}}".formatted(id, plan);
  }
}
