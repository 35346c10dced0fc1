package io.penstock.policy.address;

import org.jspecify.annotations.Nullable;

/** STUB. */
public record IpAddress(long high, long low, boolean v4) {
  public static @Nullable IpAddress parse(String text) {
    return null;
  }

  /** Who it belongs to, as far as one can tell: the address itself, of IPv6 its /64. */
  public String subscriber() {
    return "";
  }
}
