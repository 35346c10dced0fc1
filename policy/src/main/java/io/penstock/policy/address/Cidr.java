package io.penstock.policy.address;

import org.jspecify.annotations.Nullable;

/**
 * A network of either IPv4 or IPv6 addresses. Immutable.
 *
 * @param address the first address; host bits are cleared
 * @param bits the prefix length: up to 32 for IPv4, up to 128 for IPv6
 */
public record Cidr(IpAddress address, int bits) {
  private static final int V4_BITS = 32;
  private static final int V6_BITS = 128;
  private static final int MAPPED_BITS = V6_BITS - V4_BITS;

  public Cidr {
    int maxBits = address.isV4() ? V4_BITS : V6_BITS;
    if (bits < 0 || bits > maxBits) {
      throw new IllegalArgumentException("bits must be from 0 to " + maxBits + ": " + bits);
    }
    address = first(address, address.isV4() ? bits + MAPPED_BITS : bits);
  }

  /**
   * Parses {@code 10.0.0.0/8}, {@code 2001:db8::/32} or a single address. A network within {@code
   * ::ffff:0:0/96} becomes the IPv4 network.
   *
   * @return null if it isn't a network
   */
  public static @Nullable Cidr parse(String text) {
    if (text.length() > AddressText.MAX_LENGTH
        || text.indexOf('%') >= 0
        || text.indexOf('[') >= 0) {
      return null;
    }
    int slash = text.indexOf('/');
    IpAddress address = AddressText.parse(text, 0, slash < 0 ? text.length() : slash);
    if (address == null) {
      return null;
    }
    if (slash < 0) {
      return new Cidr(address, address.isV4() ? V4_BITS : V6_BITS);
    }
    int bits = AddressText.decimal(text, slash + 1, text.length());
    boolean writtenAsV4 = text.indexOf(':') < 0;
    if (bits < 0 || bits > (writtenAsV4 ? V4_BITS : V6_BITS)) {
      return null;
    }
    if (writtenAsV4 || !address.isV4()) {
      return new Cidr(address, bits);
    }
    return bits >= MAPPED_BITS
        ? new Cidr(address, bits - MAPPED_BITS)
        : new Cidr(first(address, bits), bits);
  }

  /** Returns whether the network contains an address. */
  public boolean contains(IpAddress that) {
    return address.isV4() == that.isV4()
        && first(that, address.isV4() ? bits + MAPPED_BITS : bits).equals(address);
  }

  /** Returns whether the network contains all of another one. */
  public boolean contains(Cidr that) {
    return bits <= that.bits && contains(that.address);
  }

  private static IpAddress first(IpAddress address, int bits) {
    long high = bits >= Long.SIZE ? -1 : ~(-1L >>> bits);
    long low = bits <= Long.SIZE ? 0 : bits == V6_BITS ? -1 : ~(-1L >>> (bits - Long.SIZE));
    return new IpAddress(address.high() & high, address.low() & low);
  }

  @Override
  public String toString() {
    return address + "/" + bits;
  }
}
