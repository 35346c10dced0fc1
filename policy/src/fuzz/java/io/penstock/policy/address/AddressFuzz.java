package io.penstock.policy.address;

import io.penstock.policy.Lines;
import io.penstock.policy.address.ClientAddress.AddressSource;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Fuzzes addresses, networks, and clients behind proxies. The input is an address, a network and
 * the header that a client sends, one per line.
 */
public final class AddressFuzz {
  private static final IpAddress PROXY = known("10.0.0.1");
  private static final IpAddress CLIENT = known("203.0.113.9");
  private static final Cidr PROXIES = Objects.requireNonNull(Cidr.parse("10.0.0.0/8"));

  private AddressFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) {
    Lines lines = Lines.of(input);
    IpAddress address = address(lines.get(0));
    Cidr network = network(lines.get(1), address);
    String header = lines.get(2);
    for (AddressSource source : AddressSource.values()) {
      ClientAddress trusting =
          new ClientAddress(network == null ? List.of() : List.of(network, PROXIES), source);
      Objects.requireNonNull(trusting.resolve(PROXY, only(source, header)));
      Objects.requireNonNull(trusting.resolveBehind(PROXY, only(source, header)));
    }
    appended(AddressSource.X_FORWARDED_FOR, header, ", " + CLIENT);
    appended(AddressSource.FORWARDED, header, ", for=" + CLIENT);
    appended(AddressSource.FORWARDED, header, ", for=\"" + CLIENT + ":80\";proto=http");
  }

  private static @Nullable IpAddress address(String text) {
    IpAddress address = IpAddress.parse(text);
    if (address != null) {
      check(address.equals(IpAddress.parse(address.toString())), text);
      check(Cidr.parse(address.subscriber(64)) != null, text);
    }
    return address;
  }

  private static @Nullable Cidr network(String text, @Nullable IpAddress address) {
    Cidr network = Cidr.parse(text);
    if (network != null) {
      check(network.contains(network.address()) && network.contains(network), text);
      check(network.equals(Cidr.parse(network.toString())), text);
      if (address != null) {
        network.contains(address);
      }
    }
    return network;
  }

  /** Whatever a client has sent, the address that the proxy appended counts. */
  private static void appended(AddressSource source, String header, String byProxy) {
    ClientAddress trusting = new ClientAddress(List.of(PROXIES), source);
    IpAddress client = trusting.resolve(PROXY, only(source, header + byProxy));
    check(client.equals(CLIENT), source + ": " + header);
  }

  private static Headers only(AddressSource source, String value) {
    return name -> name.equals(source.headerName()) ? value : null;
  }

  private static IpAddress known(String text) {
    return Objects.requireNonNull(IpAddress.parse(text));
  }

  private static void check(boolean holds, String text) {
    if (!holds) {
      throw new AssertionError(text);
    }
  }
}
