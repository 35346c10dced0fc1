package io.penstock.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Creates connections to the servers of a cluster. Thread-safe. */
interface ClusterConnector {
  /** Servers that know the others. */
  List<ServerAddress> seeds();

  /** Returns a connector for one server. */
  Connector at(ServerAddress address);

  void close();

  /**
   * Creates new connections, with the user, password and TLS settings of the first of {@code
   * seeds}.
   *
   * @param seeds some servers, at least one
   */
  static ClusterConnector to(List<RedisURI> seeds, RedisTls tls) {
    RedisClient client = RedisClient.create();
    client.setOptions(tls.applyTo(Connector.options()));
    return new ClusterConnector() {
      @Override
      public List<ServerAddress> seeds() {
        return seeds.stream().map(uri -> new ServerAddress(uri.getHost(), uri.getPort())).toList();
      }

      @Override
      public Connector at(ServerAddress address) {
        RedisURI uri =
            tls.applyTo(
                RedisURI.builder(seeds.get(0))
                    .withHost(address.host())
                    .withPort(address.port())
                    .withTimeout(Connector.CONNECT_TIMEOUT)
                    .build());
        return new NodeConnector(address, uri.isSsl(), true) {
          @Override
          public CompletionStage<StatefulRedisConnection<byte[], byte[]>> connect() {
            return client.connectAsync(ByteArrayCodec.INSTANCE, uri);
          }
        };
      }

      @Override
      public void close() {
        var unused = client.shutdownAsync();
      }
    };
  }

  /** Uses the connections of a cluster connection that belongs to the application. */
  static ClusterConnector of(StatefulRedisClusterConnection<byte[], byte[]> connection) {
    return new ClusterConnector() {
      @Override
      public List<ServerAddress> seeds() {
        return connection.getPartitions().stream()
            .map(node -> new ServerAddress(node.getUri().getHost(), node.getUri().getPort()))
            .toList();
      }

      @Override
      public Connector at(ServerAddress address) {
        return new NodeConnector(address, false, false) {
          @Override
          public CompletionStage<StatefulRedisConnection<byte[], byte[]>> connect() {
            return connection.getConnectionAsync(address.host(), address.port());
          }
        };
      }

      @Override
      public void close() {}
    };
  }

  /** Creates connections to one of several servers. */
  abstract class NodeConnector implements Connector {
    private final ServerAddress address;
    private final boolean usesTls;
    private final boolean ownsConnections;

    NodeConnector(ServerAddress address, boolean usesTls, boolean ownsConnections) {
      this.address = address;
      this.usesTls = usesTls;
      this.ownsConnections = ownsConnections;
    }

    @Override
    public String address() {
      return address.toString();
    }

    @Override
    public boolean usesTls() {
      return usesTls;
    }

    @Override
    public long timeoutMillis() {
      return CONNECT_TIMEOUT.toMillis();
    }

    @Override
    public boolean ownsConnections() {
      return ownsConnections;
    }

    @Override
    public void close() {
      // The client is shared with the other servers.
    }
  }
}
