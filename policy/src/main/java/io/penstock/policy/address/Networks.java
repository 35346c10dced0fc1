package io.penstock.policy.address;

import static java.util.Comparator.comparing;

import java.math.BigInteger;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/** Determines whether several networks together contain all addresses of a version of IP. */
public final class Networks {
  private static final Comparator<IpAddress> UNSIGNED =
      comparing(IpAddress::high, Long::compareUnsigned)
          .thenComparing(IpAddress::low, Long::compareUnsigned);

  /** Puts a network before the networks that it contains. */
  private static final Comparator<Cidr> IN_ORDER =
      comparing(Cidr::address, UNSIGNED).thenComparing(Cidr::bits);

  private static final Cidr GLOBAL = Objects.requireNonNull(Cidr.parse("2000::/3"));

  private Networks() {}

  /** Returns whether the networks contain all IPv4 addresses. */
  public static boolean coverIpv4(Collection<Cidr> networks) {
    return areAll(networks.stream().filter(each -> each.address().isV4()).toList(), 32);
  }

  /** Returns whether the networks contain all IPv6 addresses. */
  public static boolean coverIpv6(Collection<Cidr> networks) {
    return areAll(networks.stream().filter(each -> !each.address().isV4()).toList(), 128);
  }

  /** Returns whether the networks contain all global IPv6 addresses ({@code 2000::/3}). */
  public static boolean coverGlobalIpv6(Collection<Cidr> networks) {
    return networks.stream().anyMatch(each -> each.contains(GLOBAL))
        || hasSize(networks.stream().filter(GLOBAL::contains).toList(), 128, 128 - GLOBAL.bits());
  }

  private static boolean areAll(List<Cidr> networks, int addressBits) {
    return hasSize(networks, addressBits, addressBits);
  }

  /**
   * Returns whether networks contain 2 to the power of {@code sizeBits} addresses. Of two networks
   * that overlap, one contains the other.
   */
  private static boolean hasSize(List<Cidr> networks, int addressBits, int sizeBits) {
    BigInteger size = BigInteger.ZERO;
    Cidr last = null;
    for (Cidr network : networks.stream().sorted(IN_ORDER).toList()) {
      if (last == null || !last.contains(network)) {
        size = size.add(BigInteger.ONE.shiftLeft(addressBits - network.bits()));
        last = network;
      }
    }
    return size.equals(BigInteger.ONE.shiftLeft(sizeBits));
  }
}
