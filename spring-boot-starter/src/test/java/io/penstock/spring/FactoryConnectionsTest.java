package io.penstock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.ClientOptions;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Tests without Redis: factories connect lazily. */
class FactoryConnectionsTest {
  private static LettuceConnectionFactory factory(RedisConfiguration configuration) {
    LettuceClientConfiguration client = LettuceClientConfiguration.defaultConfiguration();
    LettuceConnectionFactory factory =
        configuration instanceof RedisStaticMasterReplicaConfiguration replicas
            ? new LettuceConnectionFactory(replicas, client)
            : new LettuceConnectionFactory((RedisStandaloneConfiguration) configuration, client);
    factory.afterPropertiesSet();
    return factory;
  }

  @Test
  void connections_toOneServer_areOpenedLazily() {
    LettuceConnectionFactory factory = factory(new RedisStandaloneConfiguration("127.0.0.1", 1));

    assertThat(factory.isRunning()).isTrue();
    assertThat(new FactoryConnections(factory).address()).isEqualTo("127.0.0.1:1");
    factory.destroy();
  }

  @Test
  void connections_toAListOfReplicas_areRejected() {
    LettuceConnectionFactory factory =
        factory(new RedisStaticMasterReplicaConfiguration("127.0.0.1", 1));

    assertThatThrownBy(() -> new FactoryConnections(factory))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("penstock.redis.url");
    factory.destroy();
  }

  @Test
  void options_thatReconnect_mayReplay() {
    assertThat(FactoryConnections.mayReplay(ClientOptions.create())).isTrue();
    assertThat(FactoryConnections.mayReplay(ClientOptions.builder().autoReconnect(false).build()))
        .isFalse();
    assertThat(
            FactoryConnections.mayReplay(
                ClientOptions.builder().replayFilter(command -> true).build()))
        .isFalse();
  }
}
