package io.penstock.policy.address;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How the address of a client is determined. Immutable.
 *
 * <p>A client can put anything into a forwarding header, so the header is read from its end, for as
 * long as the senders are trusted proxies. An element that isn't an address ends the search, and
 * the proxy that passed it on counts as the client.
 *
 * @param trustedProxies the networks of trusted proxies
 * @param source the header in which they state the client
 * @param ipv6Prefix how many bits of an IPv6 address identify a client
 */
public record ClientAddress(List<Cidr> trustedProxies, AddressSource source, int ipv6Prefix) {
  /** The smallest network that providers usually assign to a subscriber. */
  public static final int DEFAULT_IPV6_PREFIX = 64;

  public static final int MIN_IPV6_PREFIX = 48;
  public static final int MAX_IPV6_PREFIX = 128;

  /** Always uses the TCP peer. */
  public static final ClientAddress PEER =
      new ClientAddress(List.of(), AddressSource.X_FORWARDED_FOR);

  /** The header in which trusted proxies state the client. */
  public enum AddressSource {
    X_FORWARDED_FOR,
    FORWARDED,
    X_REAL_IP,
    CF_CONNECTING_IP;

    private final String headerName = name().toLowerCase(Locale.ROOT).replace('_', '-');

    /** Returns the name of the header in lower case. */
    public String headerName() {
      return headerName;
    }

    Hops hops(String value) {
      return switch (this) {
        case X_FORWARDED_FOR -> Hops.listed(value);
        case FORWARDED -> Hops.forwarded(value);
        case X_REAL_IP, CF_CONNECTING_IP -> Hops.single(value);
      };
    }
  }

  public ClientAddress {
    trustedProxies = List.copyOf(trustedProxies);
    if (ipv6Prefix < MIN_IPV6_PREFIX || ipv6Prefix > MAX_IPV6_PREFIX) {
      throw new IllegalArgumentException(
          "ipv6_prefix must be from %d to %d: %d"
              .formatted(MIN_IPV6_PREFIX, MAX_IPV6_PREFIX, ipv6Prefix));
    }
  }

  /** Creates settings with the default IPv6 prefix. */
  public ClientAddress(List<Cidr> trustedProxies, AddressSource source) {
    this(trustedProxies, source, DEFAULT_IPV6_PREFIX);
  }

  /** Returns the client behind {@code peer}, or the peer itself if it isn't a trusted proxy. */
  public IpAddress resolve(IpAddress peer, Headers headers) {
    return trusts(peer) ? resolveBehind(peer, headers) : peer;
  }

  /** Returns the client behind {@code proxy}, which is trusted regardless of its address. */
  public IpAddress resolveBehind(IpAddress proxy, Headers headers) {
    IpAddress client = clientBehind(headers);
    return client == null ? proxy : client;
  }

  /**
   * Returns the client as stated by a proxy that is trusted regardless of its address; null if it
   * states none.
   */
  public @Nullable IpAddress clientBehind(Headers headers) {
    String value = headers.get(source.headerName);
    if (value == null) {
      return null;
    }
    IpAddress client = null;
    Hops hops = source.hops(value);
    IpAddress hop;
    while ((hop = hops.next()) != null) {
      client = hop;
      if (!trusts(hop)) {
        break;
      }
    }
    return client;
  }

  /** Returns whether an address belongs to a trusted proxy. */
  public boolean trusts(IpAddress address) {
    for (int i = 0; i < trustedProxies.size(); i++) {
      if (trustedProxies.get(i).contains(address)) {
        return true;
      }
    }
    return false;
  }
}
