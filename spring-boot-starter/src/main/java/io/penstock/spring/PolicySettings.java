package io.penstock.spring;

import io.penstock.policy.Policy;
import io.penstock.policy.address.Cidr;
import io.penstock.policy.address.ClientAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Overrides parts of a policy by the properties of the application. Immutable. */
final class PolicySettings implements UnaryOperator<Policy> {
  private final PenstockProperties properties;

  PolicySettings(PenstockProperties properties) {
    this.properties = properties;
  }

  @Override
  public Policy apply(Policy policy) {
    return new Policy(
        policy.rules(),
        policy.exempt(),
        properties.mode() == null ? policy.mode() : properties.mode(),
        clientAddress(policy.clientAddress()),
        policy.jwt(),
        policy.keySecret(),
        policy.paths(),
        policy.attributes());
  }

  private ClientAddress clientAddress(ClientAddress ofPolicy) {
    List<String> proxies = properties.trustedProxies();
    ClientAddress.AddressSource header = properties.clientAddressHeader();
    return new ClientAddress(
        proxies == null ? ofPolicy.trustedProxies() : networks(proxies),
        header == null ? ofPolicy.source() : header,
        ofPolicy.ipv6Prefix());
  }

  private static List<Cidr> networks(List<String> texts) {
    List<Cidr> networks = new ArrayList<>();
    for (String text : texts) {
      Cidr network = Cidr.parse(text);
      if (network == null) {
        throw new IllegalArgumentException(
            "penstock.trusted-proxies must contain addresses or networks: " + text);
      }
      networks.add(network);
    }
    return networks;
  }
}
