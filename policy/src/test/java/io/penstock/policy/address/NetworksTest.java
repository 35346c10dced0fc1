package io.penstock.policy.address;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NetworksTest {
  @ParameterizedTest
  @CsvSource({
    "0.0.0.0/0, true, false",
    "::/0, false, true",
    "0.0.0.0/0 ::/0, true, true",
    "128.0.0.0/1 0.0.0.0/1, true, false",
    "0.0.0.0/1 0.0.0.0/1, false, false",
    "0.0.0.0/1 10.0.0.0/8 64.0.0.0/2 128.0.0.0/2, false, false",
    "0.0.0.0/1 10.0.0.0/8 128.0.0.0/2 192.0.0.0/2 192.0.2.1, true, false",
    "8000::/1 ::/1 ::1 2001:db8::/32, false, true",
    "8000::/1 ::/2, false, false",
    "::ffff:0:0/96, true, false",
    "10.0.0.0/8 fd00::/8, false, false"
  })
  void cover_networks_isWhetherNoAddressIsMissing(String networks, boolean ipv4, boolean ipv6) {
    List<Cidr> all = Stream.of(networks.split(" ")).map(Cidr::parse).toList();

    assertThat(Networks.coverIpv4(all)).isEqualTo(ipv4);
    assertThat(Networks.coverIpv6(all)).isEqualTo(ipv6);
  }
}
