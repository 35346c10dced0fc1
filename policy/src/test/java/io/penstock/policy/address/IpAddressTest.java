package io.penstock.policy.address;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IpAddressTest {
  @ParameterizedTest
  @CsvSource({
    "0.0.0.0, 0.0.0.0",
    "255.255.255.255, 255.255.255.255",
    "10.1.2.3, 10.1.2.3",
    "::, ::",
    "::1, ::1",
    "1::, 1::",
    "[::1], ::1",
    "fe80::1%eth0, fe80::1",
    "[fe80::1%25eth0], fe80::1",
    "2001:DB8:0:0:0:0:0:1, 2001:db8::1",
    "2001:0db8:0000:0000:0001:0000:0000:0001, 2001:db8::1:0:0:1",
    "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
    "1:2:3:4:5:6:7::, 1:2:3:4:5:6:7:0",
    "::2:3:4:5:6:7:8, 0:2:3:4:5:6:7:8",
    "1:0:0:2:0:0:0:3, 1:0:0:2::3",
    "::ffff:1.2.3.4, 1.2.3.4",
    "::FFFF:102:304, 1.2.3.4",
    "0:0:0:0:0:ffff:1.2.3.4, 1.2.3.4",
    "::1.2.3.4, ::102:304",
    "64:ff9b::1.2.3.4, 64:ff9b::102:304",
    "1:2:3:4:5:6:1.2.3.4, 1:2:3:4:5:6:102:304",
    "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff, ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
  })
  void parse_anyForm_isCanonical(String text, String canonical) {
    assertThat(IpAddress.parse(text)).hasToString(canonical);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        ".",
        ":",
        ":::",
        "::1 ",
        " ::1",
        "1.2.3",
        "1.2.3.4.5",
        "1.2.3.",
        ".1.2.3",
        "1..2.3",
        "010.1.1.1",
        "1.2.3.04",
        "00.0.0.0",
        "256.1.1.1",
        "1.2.3.1000",
        "+1.2.3.4",
        "-1.2.3.4",
        "0x7f.0.0.1",
        "2130706433",
        "127.1",
        "1.2.3.4:80",
        "[1.2.3.4]",
        "1.2.3.4%eth0",
        "1.2.3.4/32",
        "١.2.3.4",
        "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9",
        "1:2:3:4:5:6:7:8::",
        "::1:2:3:4:5:6:7:8",
        "1::2::3",
        "1:::2",
        ":1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:",
        "12345::",
        "g::",
        "::1%",
        "::1%a b",
        "::1%\u007f",
        "::%/",
        "[::1",
        "::1]",
        "[]",
        "[[::1]]",
        "[::1]:80",
        "::ffff:1.2.3",
        "::ffff:1.2.3.256",
        "::ffff:01.2.3.4",
        "::1.2.3.4:5",
        "1.2.3.4::",
        "1:2:3:4:5:6:7:1.2.3.4",
        "localhost",
        "example.com",
        "unknown",
        "::１"
      })
  void parse_notAnAddress_isNull(String text) {
    assertThat(IpAddress.parse(text)).isNull();
  }

  @ParameterizedTest
  @CsvSource({"59, true", "60, false", "1000000, false"})
  void parse_longInput_isCutOffAt64(int zone, boolean read) {
    String text = "::1%2" + "x".repeat(zone);

    assertThat(IpAddress.parse(text) != null).isEqualTo(read);
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.7, 192.0.2.7",
    "::ffff:192.0.2.7, 192.0.2.7",
    "2001:db8:1:2:3:4:5:6, 2001:db8:1:2::/64",
    "2001:db8:1:2::, 2001:db8:1:2::/64",
    "2001:db8::1, 2001:db8::/64",
    "::1, ::/64",
    "0:0:0:1::, 0:0:0:1::/64",
    "1:0:0:2:3::, 1:0:0:2::/64",
  })
  void subscriber_isTheAddressOrItsSlash64(String text, String subscriber) {
    assertThat(IpAddress.parse(text).subscriber(64)).isEqualTo(subscriber);
  }

  @Property
  void parse_whatInetAddressWrites_isTheSameAddress(@ForAll("addresses") byte[] bytes)
      throws UnknownHostException {
    InetAddress theirs = InetAddress.getByAddress(bytes);

    IpAddress ours = IpAddress.parse(theirs.getHostAddress());

    assertThat(ours).isEqualTo(IpAddress.of(theirs));
    assertThat(InetAddress.getByName(ours.toString())).isEqualTo(theirs);
    assertThat(IpAddress.parse(ours.toString())).isEqualTo(ours);
  }

  @Property
  void parse_anyGapAndZeros_isTheSameAddress(
      @ForAll("groups") int[] groups,
      @ForAll @IntRange(max = 7) int from,
      @ForAll @IntRange(min = 1, max = 8) int length,
      @ForAll boolean wide,
      @ForAll boolean dotted)
      throws UnknownHostException {
    int to = Math.min(8, from + length);
    for (int i = from; i < to; i++) {
      groups[i] = 0;
    }
    int end = dotted && to <= 6 ? 6 : 8;
    String tail = end == 6 ? join(groups, to, 6, wide) + (to < 6 ? ":" : "") + quad(groups) : null;
    String text =
        join(groups, 0, from, wide) + "::" + (tail == null ? join(groups, to, 8, wide) : tail);

    IpAddress ours = IpAddress.parse(text);

    assertThat(ours).as(text).isEqualTo(IpAddress.of(InetAddress.getByName(text)));
  }

  @Property(tries = 20_000)
  void parse_nearlyAnAddress_isReadOnlyIfInetAddressAgrees(@ForAll("scraps") String text)
      throws UnknownHostException {
    IpAddress ours = IpAddress.parse(text);

    if (ours != null) {
      assertThat(IpAddress.of(InetAddress.getByName(text))).as(text).isEqualTo(ours);
    }
  }

  @Property
  void parse_anything_neverThrows(@ForAll String text) {
    IpAddress ours = IpAddress.parse(text);

    assertThat(ours == null || IpAddress.parse(ours.toString()).equals(ours)).isTrue();
  }

  private static String join(int[] groups, int from, int to, boolean wide) {
    StringBuilder text = new StringBuilder();
    for (int i = from; i < to; i++) {
      text.append(i == from ? "" : ":").append(String.format(wide ? "%04X" : "%x", groups[i]));
    }
    return text.toString();
  }

  private static String quad(int[] groups) {
    return String.format(
        "%d.%d.%d.%d", groups[6] >> 8, groups[6] & 0xff, groups[7] >> 8, groups[7] & 0xff);
  }

  @Provide
  Arbitrary<byte[]> addresses() {
    Arbitrary<Byte> octet = Arbitraries.oneOf(Arbitraries.just((byte) 0), Arbitraries.bytes());
    return Arbitraries.of(4, 16).flatMap(size -> octet.array(byte[].class).ofSize(size));
  }

  @Provide
  Arbitrary<int[]> groups() {
    return Arbitraries.integers().between(0, 0xffff).array(int[].class).ofSize(8);
  }

  @Provide
  Arbitrary<String> scraps() {
    return Arbitraries.of(":", "::", ":", ".", "0", "1", "255", "a", "ffff", "1.2.3.4", "[", "]")
        .list()
        .ofMinSize(1)
        .ofMaxSize(17)
        .map(parts -> String.join("", parts));
  }

  @ParameterizedTest
  @CsvSource({
    "2001:db8:1:2ff:4::1, 48, 2001:db8:1::/48",
    "2001:db8:1:2ff:4::1, 56, 2001:db8:1:200::/56",
    "2001:db8:1:2ff:4::1, 64, 2001:db8:1:2ff::/64",
    "2001:db8:1:2ff:4::1, 80, 2001:db8:1:2ff:4::/80",
    "2001:db8:1:2ff:4::1, 128, 2001:db8:1:2ff:4::1/128",
    "192.0.2.7, 48, 192.0.2.7",
  })
  void subscriber_ofAPrefix_isItsNetwork(String text, int prefix, String subscriber) {
    assertThat(IpAddress.parse(text).subscriber(prefix)).isEqualTo(subscriber);
  }
}
