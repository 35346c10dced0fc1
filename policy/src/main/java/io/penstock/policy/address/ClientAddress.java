package io.penstock.policy.address;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How the address of a client is told. Immutable.
 *
 * <p>A header says what its last writer wants it to say, so it is read from its end, for as long as
 * the writers are trusted. What isn't an address ends the walk: whoever passed it on counts.
 *
 * @param trustedProxies the networks of proxies whose word counts
 * @param source where they say whom they ask for
 * @param ipv6Prefix how many bits of an IPv6 address tell clients apart
 */
public record ClientAddress(List<Cidr> trustedProxies, AddressSource source, int ipv6Prefix) {
  /** What providers give a subscriber, at the least. */
  public static final int DEFAULT_IPV6_PREFIX = 64;

  public static final int MIN_IPV6_PREFIX = 48;
  public static final int MAX_IPV6_PREFIX = 128;

  /** The TCP peer, always. */
  public static final ClientAddress PEER =
      new ClientAddress(List.of(), AddressSource.X_FORWARDED_FOR);

  /** Where trusted proxies say whom they ask for. */
  public enum AddressSource {
    X_FORWARDED_FOR,
    FORWARDED,
    X_REAL_IP,
    CF_CONNECTING_IP;

    private final String headerName = name().toLowerCase(Locale.ROOT).replace('_', '-');

    /** The name of the header in lower case. */
    public String headerName() {
      return headerName;
    }

    /** The source with a header's name; null if there is none. */
    public static @Nullable AddressSource parse(String headerName) {
      for (AddressSource source : values()) {
        if (source.headerName.equalsIgnoreCase(headerName)) {
          return source;
        }
      }
      return null;
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

  /** Identifies IPv6 clients by the default prefix. */
  public ClientAddress(List<Cidr> trustedProxies, AddressSource source) {
    this(trustedProxies, source, DEFAULT_IPV6_PREFIX);
  }

  /** The client behind {@code peer}, or the peer itself if it isn't a trusted proxy. */
  public IpAddress resolve(IpAddress peer, Headers headers) {
    return trusts(peer) ? resolveBehind(peer, headers) : peer;
  }

  /** The client behind {@code proxy}, which is trusted whatever its address. */
  public IpAddress resolveBehind(IpAddress proxy, Headers headers) {
    IpAddress client = clientBehind(headers);
    return client == null ? proxy : client;
  }

  /** The client as a proxy tells it that is trusted whatever its address; null if it doesn't. */
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

  /** Whether an address is that of a proxy whose word counts. */
  public boolean trusts(IpAddress address) {
    for (int i = 0; i < trustedProxies.size(); i++) {
      if (trustedProxies.get(i).contains(address)) {
        return true;
      }
    }
    return false;
  }
}
