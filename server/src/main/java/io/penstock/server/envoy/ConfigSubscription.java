package io.penstock.server.envoy;

import io.penstock.policy.load.FileWatcher;
import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.PolicyFiles;
import io.penstock.server.envoy.proto.discovery.DiscoveryResponse;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.List;

/** Delivers the configuration from its source, and each change. Thread-safe. */
interface ConfigSubscription extends AutoCloseable {
  /** Delivers the current configuration, now or later. Called once. */
  void start();

  /** Delivers the configuration again, if it can be had. */
  void reload();

  @Override
  void close();

  static ConfigSubscription of(
      EnvoyOptions options, Vertx vertx, FileWatcher.WatchListener<EnvoyConfig> listener) {
    return options.source() instanceof EnvoySource.XdsServer server
        ? fromServer(new XdsClient(vertx, server, response -> receive(response, options, listener)))
        : ofFiles(((EnvoySource.ConfigFiles) options.source()).path(), options, listener);
  }

  private static void receive(
      DiscoveryResponse response,
      EnvoyOptions options,
      FileWatcher.WatchListener<EnvoyConfig> listener) {
    try {
      listener.onLoaded(
          EnvoyConfigLoader.read(
              problems -> XdsResources.documents(response.getResourcesList(), problems),
              options.mergesDomains()));
    } catch (PolicyException invalid) {
      listener.onRejected(invalid);
      throw invalid;
    }
  }

  private static ConfigSubscription fromServer(XdsClient client) {
    return new ConfigSubscription() {
      @Override
      public void start() {
        client.start();
      }

      @Override
      public void reload() {
        // The server sends each change by itself.
      }

      @Override
      public void close() {
        client.close();
      }
    };
  }

  private static ConfigSubscription ofFiles(
      Path path, EnvoyOptions options, FileWatcher.WatchListener<EnvoyConfig> listener) {
    FileWatcher<EnvoyConfig> watcher =
        new FileWatcher<>(
            path,
            PolicyFiles::deepUnder,
            read -> EnvoyConfigLoader.load(List.of(path), options.mergesDomains(), read),
            listener);
    return new ConfigSubscription() {
      @Override
      public void start() {
        if (options.startsWithoutConfig()) {
          watcher.reload();
        } else {
          listener.onLoaded(watcher.load());
        }
        watcher.start();
      }

      @Override
      public void reload() {
        watcher.reload();
      }

      @Override
      public void close() {
        watcher.close();
      }
    };
  }
}
