package io.penstock.policy.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CidrTest {
  @ParameterizedTest
  @CsvSource({
    "10.1.2.3/8, 10.0.0.0/8",
    "10.1.2.3, 10.1.2.3/32",
    "0.0.0.0/0, 0.0.0.0/0",
    "255.255.255.255/0, 0.0.0.0/0",
    "::/0, ::/0",
    "::1, ::1/128",
    "2001:db8:1:2:3::/64, 2001:db8:1:2::/64",
    "2001:db8:1:2:3::/63, 2001:db8:1:2::/63",
    "2001:db8:0:0:8000:0:0:1/65, 2001:db8:0:0:8000::/65",
    "::ffff:10.1.2.3/104, 10.0.0.0/8",
    "::ffff:10.1.2.3, 10.1.2.3/32",
    "::ffff:0:0/96, 0.0.0.0/0",
    "::ffff:0:0/95, ::fffe:0:0/95",
    "::ffff:1.2.3.4/0, ::/0",
  })
  void parse_network_leavesHostBitsOut(String text, String canonical) {
    assertThat(Cidr.parse(text)).hasToString(canonical).isEqualTo(Cidr.parse(canonical));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/08",
        "10.0.0.0/8/8", "10.0.0/8", "10.*", "::/129", "::/1000", "::/ 1", "[::1]/64",
            "fe80::1%a/64",
        "fe80::1%a", "10.0.0.0/255.0.0.0", "example.com/8"
      })
  void parse_notANetwork_isNull(String text) {
    assertThat(Cidr.parse(text)).isNull();
  }

  @Test
  void parse_longInput_isNull() {
    assertThat(Cidr.parse("::/" + "1".repeat(1_000_000))).isNull();
  }

  @Test
  void new_tooManyBits_isRejected() {
    IpAddress address = IpAddress.parse("10.0.0.0");

    assertThatThrownBy(() -> new Cidr(address, 33))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("bits must be from 0 to 32: 33");
  }

  @ParameterizedTest
  @CsvSource({
    "0.0.0.0/0, ::1, false",
    "0.0.0.0/0, ::, false",
    "::/0, 1.2.3.4, false",
    "::/0, ::ffff:1.2.3.4, false",
    "0.0.0.0/0, ::ffff:1.2.3.4, true",
    "::/0, ::1, true",
    "10.0.0.0/8, 10.255.255.255, true",
    "10.0.0.0/8, 11.0.0.0, false",
    "10.0.0.0/8, ::a00:1, false",
    "192.0.2.128/25, 192.0.2.127, false",
    "2001:db8::/32, 2001:db8:ffff::1, true",
    "2001:db8::/32, 2001:db9::, false",
    "::ffff:10.0.0.0/104, 10.9.9.9, true",
  })
  void contains_address_onlyOfItsFamily(String network, String address, boolean contained) {
    assertThat(Cidr.parse(network).contains(IpAddress.parse(address))).isEqualTo(contained);
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.0/8, 10.1.0.0/16, true",
    "10.1.0.0/16, 10.0.0.0/8, false",
    "10.0.0.0/8, 10.0.0.0/8, true",
    "10.0.0.0/8, 11.0.0.0/16, false",
    "0.0.0.0/0, ::/0, false",
    "::/0, 0.0.0.0/0, false",
    "::/0, 2001:db8::/32, true",
  })
  void contains_network_onlyIfAllOfIt(String outer, String inner, boolean contained) {
    assertThat(Cidr.parse(outer).contains(Cidr.parse(inner))).isEqualTo(contained);
  }

  @Property
  void contains_v6_agreesWithMasksOfBigIntegers(
      @ForAll("bits128") BigInteger network,
      @ForAll @IntRange(max = 128) int bits,
      @ForAll @IntRange(max = 127) int flipped,
      @ForAll @IntRange(max = 127) int flippedToo) {
    BigInteger other = network.flipBit(flipped).flipBit(flippedToo);
    BigInteger mask = BigInteger.ONE.shiftLeft(128).subtract(BigInteger.ONE.shiftLeft(128 - bits));
    Cidr cidr = new Cidr(address(network), bits);

    assertThat(cidr.address()).isEqualTo(address(network.and(mask)));
    assertThat(cidr.contains(address(other))).isEqualTo(network.and(mask).equals(other.and(mask)));
  }

  @Property
  void contains_v4_agreesWithMasks(
      @ForAll int network,
      @ForAll @IntRange(max = 32) int bits,
      @ForAll @IntRange(max = 31) int at) {
    int other = network ^ 1 << at;
    int mask = bits == 0 ? 0 : -1 << (32 - bits);
    Cidr cidr = new Cidr(v4(network), bits);

    assertThat(cidr.address()).isEqualTo(v4(network & mask));
    assertThat(cidr.contains(v4(other))).isEqualTo((network & mask) == (other & mask));
    assertThat(Cidr.parse(cidr.toString())).isEqualTo(cidr);
  }

  @Property
  void contains_network_isThatItContainsFirstAndLast(
      @ForAll int left,
      @ForAll @IntRange(max = 32) int leftBits,
      @ForAll @IntRange(max = 31) int flipped,
      @ForAll @IntRange(max = 32) int rightBits) {
    Cidr outer = new Cidr(v4(left), leftBits);
    Cidr inner = new Cidr(v4(left ^ 1 << flipped), rightBits);
    int first = (int) inner.address().low();
    int last = first | (rightBits == 32 ? 0 : -1 >>> rightBits);

    assertThat(outer.contains(inner))
        .isEqualTo(outer.contains(v4(first)) && outer.contains(v4(last)));
  }

  private static IpAddress v4(int bits) {
    return IpAddress.v4(Integer.toUnsignedLong(bits));
  }

  private static IpAddress address(BigInteger bits) {
    return new IpAddress(bits.shiftRight(64).longValue(), bits.longValue());
  }

  /** Avoids IPv4-mapped addresses, where only the last 32 bits count. */
  @Provide
  Arbitrary<BigInteger> bits128() {
    return Arbitraries.bigIntegers()
        .between(
            BigInteger.ONE.shiftLeft(110), BigInteger.ONE.shiftLeft(128).subtract(BigInteger.ONE))
        .filter(bits -> bits.bitCount() > 3);
  }
}
