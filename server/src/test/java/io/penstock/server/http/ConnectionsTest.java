package io.penstock.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.penstock.policy.address.IpAddress;
import io.penstock.server.http.Connections.ConnectionRejection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ConnectionsTest {
  private static final IpAddress PROXY = Objects.requireNonNull(IpAddress.parse("198.51.100.1"));

  private final Connections connections =
      new Connections("proxy", new Connections.ConnectionLimits(8, 2, 60_000), PROXY::equals);

  /** A client connection with the given address. */
  private static final class ClientChannel extends EmbeddedChannel {
    private final SocketAddress remote;

    ClientChannel(String address) {
      try {
        this.remote = new InetSocketAddress(InetAddress.getByName(address), 40_000);
      } catch (UnknownHostException e) {
        throw new IllegalArgumentException(e);
      }
    }

    @Override
    public SocketAddress remoteAddress() {
      return remote;
    }
  }

  private boolean admits(String address) {
    return connections.admit(new ClientChannel(address));
  }

  @Test
  void admit_manyOfOneAddress_leavesRoomForOthers() {
    assertThat(admits("203.0.113.1")).isTrue();
    assertThat(admits("203.0.113.1")).isTrue();
    assertThat(admits("203.0.113.1")).isFalse();

    assertThat(admits("203.0.113.2")).isTrue();
    assertThat(connections.open()).isEqualTo(3);
    assertThat(connections.rejected(ConnectionRejection.ADDRESS)).isEqualTo(1);
    assertThat(connections.rejected(ConnectionRejection.LISTENER)).isZero();
  }

  @Test
  void admit_afterOneClosed_admitsAnother() {
    ClientChannel first = new ClientChannel("203.0.113.1");
    assertThat(connections.admit(first)).isTrue();
    assertThat(admits("203.0.113.1")).isTrue();
    first.close().syncUninterruptibly();

    assertThat(admits("203.0.113.1")).isTrue();
    assertThat(admits("203.0.113.1")).isFalse();
    assertThat(connections.open()).isEqualTo(2);
  }

  @Test
  void admit_ipv6_countsByItsPrefix() {
    assertThat(admits("2001:db8:0:1::1")).isTrue();
    assertThat(admits("2001:db8:0:1:ffff::2")).isTrue();
    assertThat(admits("2001:db8:0:1:aaaa::3")).isFalse();

    assertThat(admits("2001:db8:0:2::1")).isTrue();
  }

  @Test
  void admit_loopbackAndTrustedProxy_onlyTheListenerLimitApplies() {
    for (int i = 0; i < 4; i++) {
      assertThat(admits("127.0.0.1")).isTrue();
      assertThat(admits("198.51.100.1")).isTrue();
    }

    assertThat(admits("127.0.0.1")).isFalse();
    assertThat(admits("198.51.100.1")).isFalse();
    assertThat(connections.rejected(ConnectionRejection.LISTENER)).isEqualTo(2);
  }
}
