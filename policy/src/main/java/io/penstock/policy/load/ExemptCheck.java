package io.penstock.policy.load;

import io.penstock.policy.Attribute;
import io.penstock.policy.Condition;
import io.penstock.policy.Match;
import io.penstock.policy.address.Cidr;
import io.penstock.policy.address.Networks;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Warns of exemptions that, alone or together, exempt every request or almost every one. */
final class ExemptCheck {
  private static final Set<String> ALL = Set.of("*", "/*");
  private static final Set<String> METHODS = Set.of("GET", "POST", "PUT", "DELETE", "PATCH");

  /** Headers about the original sender, in addition to {@code X-Forwarded-…}. */
  private static final Set<String> FORWARDING =
      Set.of(
          "forwarded",
          "x-real-ip",
          "x-client-ip",
          "client-ip",
          "true-client-ip",
          "x-cluster-client-ip",
          "x-original-forwarded-for",
          "cf-connecting-ip",
          "fastly-client-ip");

  private final Problems problems;

  /** The networks of exemptions without another condition. */
  private final List<Cidr> networks = new ArrayList<>();

  private @Nullable Located<Match> lastOfNetworks;
  private boolean isIpv4Reported;
  private boolean isIpv6Reported;

  private ExemptCheck(Problems problems) {
    this.problems = problems;
  }

  static void check(List<Located<Match>> exempt, Problems problems) {
    ExemptCheck check = new ExemptCheck(problems);
    exempt.forEach(check::add);
    if (check.lastOfNetworks != null) {
      check.reportNetworks(check.networks, check.lastOfNetworks);
    }
  }

  private void add(Located<Match> entry) {
    warnOfForwardingHeaders(entry);
    List<Condition> restricting =
        entry.value().conditions().stream().filter(each -> !acceptsAll(each)).toList();
    if (restricting.isEmpty()) {
      warn(entry, "exempts every request, so that no rule applies");
    } else if (restricting.size() == 1 && restricting.get(0) instanceof Condition.Within within) {
      reportNetworks(within.networks(), entry);
      networks.addAll(within.networks());
      lastOfNetworks = entry;
    } else if (restricting.size() == 1 && hasAllMethods(restricting.get(0))) {
      warn(
          entry,
          "exempts every common method, so that hardly any rule applies: "
              + restricting.get(0).describe()
              + "; exempt only the requests that need no limit");
    }
  }

  /** Clients can send these headers themselves, where no trusted proxy replaces them. */
  private void warnOfForwardingHeaders(Located<Match> entry) {
    for (Condition condition : entry.value().conditions()) {
      for (Attribute attribute : condition.subject().alternatives()) {
        if (attribute.source() == Attribute.AttributeSource.HEADER
            && (attribute.name().startsWith("x-forwarded-")
                || FORWARDING.contains(attribute.name()))) {
          warn(
              entry,
              "clients can send this header to be exempt, unless a trusted proxy replaces it: "
                  + attribute
                  + "; did you mean ip:address? client_address states which proxies are trusted");
        }
      }
    }
  }

  private void reportNetworks(Collection<Cidr> exempted, Located<Match> entry) {
    if (!isIpv4Reported && Networks.coverIpv4(exempted)) {
      isIpv4Reported = true;
      warn(entry, everyAddress("IPv4", "0.0.0.0/0"));
    }
    if (!isIpv6Reported && Networks.coverIpv6(exempted)) {
      isIpv6Reported = true;
      warn(entry, everyAddress("IPv6", "::/0"));
    }
  }

  private static String everyAddress(String version, String network) {
    return "the exempted networks contain every "
        + version
        + " address, so that no rule applies to these clients: "
        + network
        + "; exempt only the networks that need no limit";
  }

  private void warn(Located<Match> entry, String message) {
    problems.warning(entry.at(), entry.path() + ".match", message);
  }

  private static boolean acceptsAll(Condition condition) {
    if (condition instanceof Condition.Like like) {
      return like.patterns().stream().anyMatch(pattern -> ALL.contains(pattern.text()));
    }
    return condition instanceof Condition.Within within
        && Networks.coverIpv4(within.networks())
        && Networks.coverIpv6(within.networks());
  }

  private static boolean hasAllMethods(Condition condition) {
    return condition.subject().toString().equals("method")
        && condition.values().containsAll(METHODS);
  }
}
