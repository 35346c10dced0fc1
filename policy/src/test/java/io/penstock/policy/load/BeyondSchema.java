package io.penstock.policy.load;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Errors of the loader that are not structural, so that a schema can't express them. */
final class BeyondSchema {
  /** The error messages, by the reason why a schema can't express them. */
  private static final Map<String, Pattern> REASONS =
      Map.ofEntries(
          reason("names are compared with those of other rules", ": must have a unique name: "),
          reason("rules are compared with those before them", " can never apply: "),
          reason("a file of a folder needs no rules", ": has no rules$"),
          reason(
              "a burst is compared with a rate",
              "burst: must be at least the tokens of one second"),
          reason("a burst is divided by a rate", "burst / rate must be at most 10 years: "),
          reason("a rate is tokens divided by time", "rate: must be at most 1000000000 tokens"),
          reason("a length of time is added up", "window: must be positive and at most 10 years: "),
          reason("costs are compared", "min_cost: must be at most default_cost"),
          reason("attributes are compared", ": must not repeat an attribute: "),
          reason(
              "attributes are compared in any case", ": duplicates a condition; list all values"),
          reason("names are compared with built-in ones", ": is not a built-in attribute: "),
          reason("methods are looked up", ": must be an HTTP method such as GET: "),
          reason("paths are parsed", ": must not be a (regular expression|path template)"),
          reason("bits of an address are compared", ": must not have bits beyond its prefix: "),
          reason("claims need another section", ": needs a jwt section"),
          reason("costs are compared with another section", ": must name the source, because"),
          reason("bytes are counted", "secret: must have at least \\d+ bytes"),
          reason("files are read", "_file: (no such file|can't be read|must not be)"),
          reason("keys are decoded", "public_key: (public key|PEM|certificate) "),
          reason("algorithms have to fit a key", "algorithm must fit the public key"),
          reason("addresses of the web are parsed", "jwks_url: must be a URL such as"),
          reason("hosts are parsed", "jwks_url: must name a host"),
          reason("editors count in floating point", ": must be a whole number of thousandths: "),
          reason("editors drop digits", ": must be a number of at most 40 digits: "),
          reason("IPv6 is parsed", ": must be an address or network such as .*: [0-9a-fA-F.:/]*:"));

  private BeyondSchema() {}

  private static Map.Entry<String, Pattern> reason(String why, String message) {
    return Map.entry(why, Pattern.compile(message));
  }

  /** Returns the reasons that none of {@code problems} matches. */
  static List<String> unusedBy(List<Problem> problems) {
    return REASONS.entrySet().stream()
        .filter(
            reason ->
                problems.stream()
                    .noneMatch(problem -> reason.getValue().matcher(problem.toString()).find()))
        .map(Map.Entry::getKey)
        .toList();
  }

  static boolean covers(Problem problem) {
    return REASONS.values().stream()
        .anyMatch(message -> message.matcher(problem.toString()).find());
  }
}
