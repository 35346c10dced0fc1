package io.penstock.policy.address;

import java.net.InetAddress;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * An IPv4 or IPv6 address. Immutable.
 *
 * <p>Both are stored as 128 bits, IPv4 addresses as IPv4-mapped ones ({@code ::ffff:0:0/96}). So an
 * IPv4-mapped address equals the IPv4 address, and no client has two.
 *
 * @param high the first 64 bits
 * @param low the last 64 bits
 */
public record IpAddress(long high, long low) {
  private static final int GROUPS = 8;
  private static final long MAPPED = 0xffffL << 32;
  private static final HexFormat HEX = HexFormat.of();

  /**
   * Parses an address: dotted decimal without leading zeros, or IPv6, optionally in brackets and
   * with a zone, which is dropped. Never performs a DNS lookup.
   *
   * @return null if it isn't an address
   */
  public static @Nullable IpAddress parse(String text) {
    return AddressText.parse(text, 0, text.length());
  }

  /** Returns the address of a socket, without its zone. */
  public static IpAddress of(InetAddress address) {
    byte[] bytes = address.getAddress();
    if (bytes.length == Integer.BYTES) {
      return v4(bits(bytes, 0, Integer.BYTES));
    }
    return new IpAddress(
        bits(bytes, 0, Long.BYTES), bits(bytes, Long.BYTES, Long.BYTES + Long.BYTES));
  }

  private static long bits(byte[] bytes, int from, int to) {
    long bits = 0;
    for (int i = from; i < to; i++) {
      bits = bits << Byte.SIZE | (bytes[i] & 0xff);
    }
    return bits;
  }

  static IpAddress v4(long bits) {
    return new IpAddress(0, MAPPED | bits);
  }

  /** Returns whether it is an IPv4 address. */
  public boolean isV4() {
    return high == 0 && low >>> 32 == 0xffff;
  }

  /**
   * Returns the text that identifies the subscriber: the IPv4 address, or the network of an IPv6
   * address.
   */
  public String subscriber(int ipv6Prefix) {
    StringBuilder text = new StringBuilder(40);
    appendSubscriber(text, ipv6Prefix);
    return text.toString();
  }

  /** Appends {@link #subscriber} to a text. */
  public void appendSubscriber(StringBuilder text, int ipv6Prefix) {
    if (isV4()) {
      appendV4(text);
    } else {
      appendV6(text, high & mask(ipv6Prefix), low & mask(ipv6Prefix - Long.SIZE));
      text.append('/').append(ipv6Prefix);
    }
  }

  /** Returns a mask for the first bits of a half. */
  private static long mask(int bits) {
    return bits <= 0 ? 0 : bits >= Long.SIZE ? -1 : -1L << (Long.SIZE - bits);
  }

  /** Returns the canonical form of RFC 5952. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(40);
    if (isV4()) {
      appendV4(text);
    } else {
      appendV6(text, high, low);
    }
    return text.toString();
  }

  private void appendV4(StringBuilder text) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      text.append((int) (low >>> shift) & 0xff);
      if (shift > 0) {
        text.append('.');
      }
    }
  }

  private static void appendV6(StringBuilder text, long high, long low) {
    int gap = -1;
    int gapLength = 1;
    for (int i = 0; i < GROUPS; i++) {
      int length = 0;
      while (i + length < GROUPS && group(high, low, i + length) == 0) {
        length++;
      }
      if (length > gapLength) {
        gap = i;
        gapLength = length;
      }
      i += length;
    }
    for (int i = 0; i < GROUPS; i++) {
      if (i == gap) {
        text.append("::");
        i += gapLength - 1;
      } else {
        if (i > 0 && text.charAt(text.length() - 1) != ':') {
          text.append(':');
        }
        appendHex(text, group(high, low, i));
      }
    }
  }

  private static int group(long high, long low, int index) {
    long half = index < GROUPS / 2 ? high : low;
    return (int) (half >>> (48 - 16 * (index % (GROUPS / 2)))) & 0xffff;
  }

  private static void appendHex(StringBuilder text, int group) {
    for (int shift = 12; shift >= 0; shift -= 4) {
      if (shift == 0 || group >>> shift != 0) {
        text.append(HEX.toLowHexDigit(group >>> shift));
      }
    }
  }
}
