package io.penstock.policy.load;

import io.penstock.policy.address.Cidr;
import io.penstock.policy.address.ClientAddress;
import io.penstock.policy.address.Networks;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Reads the {@code client_address} section, which states how a client's address is determined. */
final class AddressReader {
  private static final Map<String, ClientAddress.AddressSource> HEADERS =
      EnumFields.of(ClientAddress.AddressSource.values(), ClientAddress.AddressSource::headerName);

  private AddressReader() {}

  /** Returns the settings, or {@link ClientAddress#PEER} if they have errors. */
  static ClientAddress read(Located<Node> node, Problems problems) {
    Fields fields = Fields.of(node, problems);
    if (fields == null) {
      return ClientAddress.PEER;
    }
    ClientAddress.AddressSource source =
        fields.choice("header", HEADERS, ClientAddress.PEER.source());
    List<Cidr> proxies = new ArrayList<>();
    List<Located<Node>> items = fields.list("trusted_proxies");
    for (Located<Node> item : items == null ? List.<Located<Node>>of() : items) {
      String text = fields.text(item);
      try {
        if (text != null) {
          proxies.add(MatchReader.network(text));
        }
      } catch (IllegalArgumentException e) {
        problems.error(item.at(), item.path(), String.valueOf(e.getMessage()));
      }
    }
    warnOfTrust(proxies, source, fields);
    int ipv6Prefix =
        fields.whole(
            "ipv6_prefix",
            ClientAddress.MIN_IPV6_PREFIX,
            ClientAddress.MAX_IPV6_PREFIX,
            ClientAddress.DEFAULT_IPV6_PREFIX);
    fields.done();
    return new ClientAddress(proxies, source, ipv6Prefix);
  }

  private static void warnOfTrust(
      List<Cidr> proxies, ClientAddress.AddressSource source, Fields fields) {
    boolean isIpv4 = Networks.coverIpv4(proxies);
    boolean isIpv6 = Networks.coverIpv6(proxies);
    if (isIpv4 || isIpv6 || Networks.coverGlobalIpv6(proxies)) {
      fields.warning(
          "trusted_proxies",
          "trusts every "
              + (isIpv4 ? "IPv4" : "IPv6")
              + " address, so that any client can choose its address with "
              + source.headerName()
              + ": "
              + (isIpv4 ? "0.0.0.0/0" : isIpv6 ? "::/0" : "2000::/3")
              + "; list only the addresses of your proxies");
    }
  }
}
