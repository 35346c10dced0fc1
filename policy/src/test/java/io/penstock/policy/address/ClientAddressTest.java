package io.penstock.policy.address;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.address.ClientAddress.AddressSource;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ClientAddressTest {
  private static final IpAddress PROXY = IpAddress.parse("10.0.0.1");
  private static final IpAddress STRANGER = IpAddress.parse("203.0.113.9");
  private static final List<Cidr> TRUSTED =
      List.of(Cidr.parse("10.0.0.0/8"), Cidr.parse("2001:db8:f::/48"));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1.2.3.4 | 1.2.3.4",
        "6.6.6.6, 1.2.3.4 | 1.2.3.4",
        "6.6.6.6, 1.2.3.4, 10.0.0.2 | 1.2.3.4",
        "6.6.6.6, 1.2.3.4,10.0.0.2,10.0.0.3 | 1.2.3.4",
        "6.6.6.6, 1.2.3.4, 2001:db8:f::2 | 1.2.3.4",
        "1.2.3.4:5678 | 1.2.3.4",
        "1.2.3.4:65535 | 1.2.3.4",
        "[2001:db8::1]:80 | 2001:db8::1",
        "[2001:db8::1] | 2001:db8::1",
        "2001:db8::1 | 2001:db8::1",
        "2001:db8::80 | 2001:db8::80",
        "::ffff:1.2.3.4 | 1.2.3.4",
        "1.2.3.4, ::ffff:10.0.0.2 | 1.2.3.4",
        "'\t 1.2.3.4 \t' | 1.2.3.4",
        "10.0.0.3, 10.0.0.2 | 10.0.0.3",
        "10.0.0.2 | 10.0.0.2",
        "unknown | 10.0.0.1",
        "_hidden | 10.0.0.1",
        "'' | 10.0.0.1",
        "', ,' | 10.0.0.1",
        "1.2.3.4, | 10.0.0.1",
        "1.2.3.4, unknown | 10.0.0.1",
        "6.6.6.6, unknown, 10.0.0.2 | 10.0.0.2",
        "6.6.6.6, garbage, 1.2.3.4 | 1.2.3.4",
        "6.6.6.6, 10.0.0.3, 010.0.0.9, 10.0.0.2 | 10.0.0.2",
        "1.2.3.4:port | 10.0.0.1",
        "1.2.3.4:123456 | 10.0.0.1",
        "1.2.3.4: | 10.0.0.1",
        "[::1]80 | 10.0.0.1",
        "1.2.3.4;6.6.6.6 | 10.0.0.1",
        "'\"1.2.3.4\"' | 10.0.0.1",
        "localhost | 10.0.0.1",
      })
  void resolve_forwardedForByTrustedProxy_isWalkedFromTheRight(String value, String client) {
    ClientAddress address = new ClientAddress(TRUSTED, AddressSource.X_FORWARDED_FOR);

    assertThat(address.resolve(PROXY, only("x-forwarded-for", value))).hasToString(client);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\'',
      value = {
        "for=1.2.3.4 | 1.2.3.4",
        "For=1.2.3.4;proto=http;by=10.0.0.1 | 1.2.3.4",
        "proto=https;FOR=\"1.2.3.4:80\" | 1.2.3.4",
        "proto=https; for=1.2.3.4 ; host=a | 1.2.3.4",
        "for=\"[2001:db8:cafe::17]:4711\" | 2001:db8:cafe::17",
        "for=\"[2001:db8:cafe::17]\" | 2001:db8:cafe::17",
        "for=1.2.3.4:_port | 1.2.3.4",
        "for=\"1.2.3.4\" ;proto=http | 1.2.3.4",
        "for=6.6.6.6, for=1.2.3.4 | 1.2.3.4",
        "for=6.6.6.6, for=1.2.3.4, for=10.0.0.2 | 1.2.3.4",
        "for=1.2.3.4, for=10.0.0.2;host=\"a, for=6.6.6.6\" | 1.2.3.4",
        "for=1.2.3.4, for=10.0.0.2;host=\"a\\\", for=6.6.6.6\" | 1.2.3.4",
        "for=1.2.3.4;host=\"a;for=6.6.6.6\" | 1.2.3.4",
        "for=\", for=1.2.3.4 | 1.2.3.4",
        "for=\", for=\"[2001:db8::1]\" | 2001:db8::1",
        "for=6.6.6.6\\, for=1.2.3.4, for=\"10.0.0.2\" | 1.2.3.4",
        "for=\"x\\, for=1.2.3.4 | 1.2.3.4",
        "for=unknown | 10.0.0.1",
        "for=_hidden, for=10.0.0.2 | 10.0.0.2",
        "for=\"_gazonk\" | 10.0.0.1",
        "proto=http | 10.0.0.1",
        "for=1.2.3.4;for=6.6.6.6 | 10.0.0.1",
        "for=unknown;for=6.6.6.6 | 10.0.0.1",
        "for=\"1.2.3.4 | 10.0.0.1",
        "for | 10.0.0.1",
        "for= | 10.0.0.1",
        "=1.2.3.4 | 10.0.0.1",
        "1.2.3.4 | 10.0.0.1",
        "xfor=1.2.3.4 | 10.0.0.1",
        "for=1.2.3.4, | 10.0.0.1",
        "'' | 10.0.0.1",
      })
  void resolve_forwardedByTrustedProxy_isWalkedFromTheRight(String value, String client) {
    ClientAddress address = new ClientAddress(TRUSTED, AddressSource.FORWARDED);

    assertThat(address.resolve(PROXY, only("forwarded", value))).hasToString(client);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1.2.3.4 | 1.2.3.4",
        "' 2001:db8::1 ' | 2001:db8::1",
        "10.0.0.7 | 10.0.0.7",
        "6.6.6.6, 1.2.3.4 | 10.0.0.1",
        "unknown | 10.0.0.1",
        "'' | 10.0.0.1",
      })
  void resolve_singleAddressByTrustedProxy_isTheClient(String value, String client) {
    for (AddressSource source : List.of(AddressSource.X_REAL_IP, AddressSource.CF_CONNECTING_IP)) {
      ClientAddress address = new ClientAddress(TRUSTED, source);

      assertThat(address.resolve(PROXY, only(source.headerName(), value))).hasToString(client);
    }
  }

  @ParameterizedTest
  @EnumSource
  void resolve_strangerWithHeaders_isTheStranger(AddressSource source) {
    Headers spoofed = name -> name.equals("forwarded") ? "for=10.0.0.1" : "10.0.0.1";

    assertThat(new ClientAddress(TRUSTED, source).resolve(STRANGER, spoofed)).isEqualTo(STRANGER);
    assertThat(ClientAddress.PEER.resolve(PROXY, spoofed)).isEqualTo(PROXY);
  }

  @ParameterizedTest
  @EnumSource
  void resolve_otherHeadersOrNone_isThePeer(AddressSource source) {
    Headers others = name -> name.equals(source.headerName()) ? null : "1.2.3.4";

    assertThat(new ClientAddress(TRUSTED, source).resolve(PROXY, others)).isEqualTo(PROXY);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1.2.3.4 | 1.2.3.4",
        "6.6.6.6, 1.2.3.4 | 1.2.3.4",
        "6.6.6.6, 1.2.3.4, 10.0.0.2 | 1.2.3.4",
        "6.6.6.6, 203.0.113.9 | 203.0.113.9",
        "unknown | 203.0.113.9",
      })
  void resolveBehind_anyProxy_isTrustedForOneHop(String value, String client) {
    ClientAddress address = new ClientAddress(TRUSTED, AddressSource.X_FORWARDED_FOR);

    assertThat(address.resolveBehind(STRANGER, only("x-forwarded-for", value))).hasToString(client);
  }

  @Test
  void resolveBehind_withoutTrustedProxies_believesTheLastEntryOnly() {
    Headers headers = only("x-forwarded-for", "6.6.6.6, 10.0.0.2");

    assertThat(ClientAddress.PEER.resolveBehind(PROXY, headers)).hasToString("10.0.0.2");
  }

  @Test
  void resolve_hugeHeaders_areReadInLinearTime() {
    String listed = "10.0.0.2,".repeat(200_000) + "10.0.0.2";
    String forwarded = "for=\"[2001:db8:f::2]\",".repeat(200_000) + "for=10.0.0.2";
    String quotes = "\\\"".repeat(1_000_000) + "\"";

    assertThat(client(AddressSource.X_FORWARDED_FOR, listed)).hasToString("10.0.0.2");
    assertThat(client(AddressSource.FORWARDED, forwarded)).hasToString("2001:db8:f::2");
    assertThat(client(AddressSource.FORWARDED, quotes)).isEqualTo(PROXY);
  }

  @Property(tries = 5000)
  void resolve_whateverTheClientPutsInFront_isWhatTheProxyAppended(
      @ForAll("scraps") String front, @ForAll AddressSource source) {
    String appended = source == AddressSource.FORWARDED ? "for=1.2.3.4" : "1.2.3.4";
    boolean list = source == AddressSource.FORWARDED || source == AddressSource.X_FORWARDED_FOR;

    IpAddress client = client(source, front + ", " + appended);

    assertThat(client).hasToString(list ? "1.2.3.4" : PROXY.toString());
  }

  private static IpAddress client(AddressSource source, String value) {
    return new ClientAddress(TRUSTED, source).resolve(PROXY, only(source.headerName(), value));
  }

  private static Headers only(String wanted, String value) {
    return name -> name.equals(wanted) ? value : null;
  }

  @Provide
  Arbitrary<String> scraps() {
    return Arbitraries.of(
            "for", "=", "\"", "\\", ",", ";", " ", "10.0.0.2", "6.6.6.6", "[", "::1", "]")
        .list()
        .ofMaxSize(20)
        .map(parts -> String.join("", parts));
  }
}
