package io.penstock.policy.address;

import java.util.List;

/** STUB. */
public record ClientAddress(List<Cidr> trustedProxies, Source source) {
  /** The TCP peer, always. */
  public static final ClientAddress PEER = new ClientAddress(List.of(), Source.X_FORWARDED_FOR);

  /** Where trusted proxies say whom they ask for. */
  public enum Source {
    X_FORWARDED_FOR,
    FORWARDED,
    X_REAL_IP,
    CF_CONNECTING_IP
  }
}
