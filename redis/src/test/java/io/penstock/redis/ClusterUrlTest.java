package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisURI;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterUrlTest {
  @Test
  void servers_several_shareUserPasswordAndTls() {
    List<RedisURI> servers = ClusterUrl.servers("rediss-cluster://u:p%40s@h1:7000,h2:7001,h3");
    assertThat(servers).extracting(RedisURI::getHost).containsExactly("h1", "h2", "h3");
    assertThat(servers).extracting(RedisURI::getPort).containsExactly(7000, 7001, 6379);
    for (RedisURI server : servers) {
      assertThat(server.isSsl()).isTrue();
      assertThat(server.getCredentialsProvider().resolveCredentials().block())
          .satisfies(
              credentials -> {
                assertThat(credentials.getUsername()).isEqualTo("u");
                assertThat(credentials.getPassword()).containsExactly('p', '@', 's');
              });
    }
  }

  @Test
  void servers_oneWithoutTls_isAccepted() {
    List<RedisURI> servers = ClusterUrl.servers("redis-cluster://h");
    assertThat(servers).hasSize(1);
    assertThat(servers.get(0).isSsl()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"redis-cluster://h/1", "redis-cluster://", "redis-cluster://u:p@"})
  void checkUrl_noCluster_isRejected(String url) {
    assertThatThrownBy(() -> RedisStore.checkUrl(url)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void isClusterUrl_otherUrls_areNot() {
    assertThat(ClusterUrl.isClusterUrl("redis://h")).isFalse();
    assertThat(ClusterUrl.isClusterUrl("redis-sentinel://h#m")).isFalse();
    RedisStore.checkUrl("redis://h/2");
  }
}
