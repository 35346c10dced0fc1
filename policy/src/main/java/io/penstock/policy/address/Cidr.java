package io.penstock.policy.address;

import org.jspecify.annotations.Nullable;

/** STUB. */
public record Cidr(IpAddress address, int bits) {
  public static @Nullable Cidr parse(String text) {
    return null;
  }

  public boolean contains(IpAddress that) {
    return address.equals(that);
  }

  public boolean contains(Cidr that) {
    return equals(that);
  }
}
