package io.penstock.policy.load;

import io.penstock.policy.Attribute;
import io.penstock.policy.Attribute.AttributeSource;
import io.penstock.policy.AttributeMap;
import io.penstock.policy.Condition;
import io.penstock.policy.KeyPart;
import io.penstock.policy.Match;
import io.penstock.policy.Rule;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Checks that requests can have the attributes that rules refer to. A rule that refers to a
 * misspelled attribute, or to claims of tokens that are never verified, limits no request. Not
 * thread-safe.
 */
final class AttributeCheck {
  /** How a rule uses an attribute. */
  private enum Use {
    KEY,
    MATCH,
    COST
  }

  private final AttributeMap attributes;
  private final Set<String> supplied;
  private final boolean hasClaims;
  private final Problems problems;
  private final Set<String> reported = new HashSet<>();

  /**
   * @param supplied the bare names that the application supplies, without a declaration
   * @param hasClaims whether the policy states where the claims of tokens come from
   */
  AttributeCheck(
      AttributeMap attributes, Set<String> supplied, boolean hasClaims, Problems problems) {
    this.attributes = attributes;
    this.supplied = supplied;
    this.hasClaims = hasClaims;
    this.problems = problems;
  }

  /** Checks the sources of declared names as written. */
  void checkSources(Fields declared) {
    for (String name : declared.names()) {
      if (declared.node(name) instanceof Node.Scalar text && attributes.maps(name)) {
        check(text.text(), Use.KEY, text.at(), declared.path(name));
      }
    }
  }

  /** Checks a rule as written, even if other parts of it are invalid. */
  void check(Fields rule) {
    if (rule.node("limit_keys") instanceof Node.Sequence keys) {
      for (int i = 0; i < keys.items().size(); i++) {
        if (keys.items().get(i) instanceof Node.Scalar key) {
          check(key.text(), Use.KEY, key.at(), rule.path("limit_keys") + "[" + i + "]");
        }
      }
    }
    checkMatch(rule);
    if (rule.node("cost_source") instanceof Node.Scalar cost) {
      check(cost.text(), Use.COST, cost.at(), rule.path("cost_source"));
    }
  }

  /** Checks the conditions of a rule or exemption as written. */
  void checkMatch(Fields fields) {
    if (fields.node("match") instanceof Node.Mapping match) {
      match
          .entries()
          .forEach(
              (name, entry) ->
                  check(name, Use.MATCH, entry.at(), fields.path("match") + "." + name));
    }
  }

  /** Checks the attributes in a text; one that can't be parsed is reported elsewhere. */
  private void check(String text, Use use, Location at, String path) {
    List<Attribute> alternatives;
    try {
      alternatives = KeyPart.parse(text).alternatives();
    } catch (IllegalArgumentException e) {
      return;
    }
    alternatives.forEach(attribute -> check(attribute, use, at, path));
  }

  /**
   * Checks a rule of the database. All parts of it have the same location.
   *
   * @return whether there are no errors
   */
  boolean check(Located<Rule> row) {
    int before = problems.errorCount();
    Rule rule = row.value();
    rule.limitKeys().forEach(part -> check(part, Use.KEY, row, "limit_keys"));
    check(rule.match(), row);
    Attribute cost = rule.cost().source();
    if (cost != null) {
      check(cost, Use.COST, row.at(), "cost_source");
    }
    return problems.errorCount() == before;
  }

  private void check(Match match, Located<Rule> row) {
    for (Condition condition : match.conditions()) {
      check(condition.subject(), Use.MATCH, row, "match." + condition.subject());
    }
  }

  private void check(KeyPart part, Use use, Located<Rule> row, String path) {
    part.alternatives().forEach(attribute -> check(attribute, use, row.at(), path));
  }

  private void check(Attribute attribute, Use use, Location at, String path) {
    if (attribute.source() == AttributeSource.CLAIM) {
      checkClaim(attribute, use, at, path);
    } else if (attribute.source() == AttributeSource.STATED) {
      checkBare(attribute.name(), use, at, path);
    } else {
      checkName(attribute, at, path);
    }
  }

  private void checkName(Attribute attribute, Location at, String path) {
    String warning = NameCheck.warning(attribute);
    if (warning != null && reported.add(attribute.toString())) {
      problems.warning(at, path, warning);
    }
  }

  private void checkClaim(Attribute claim, Use use, Location at, String path) {
    if (hasClaims) {
      return;
    }
    if (use == Use.KEY) {
      problems.error(
          at,
          path,
          "needs a jwt section, which states how tokens are verified: "
              + claim
              + "; with jwt: caller, only callers of /v1/check supply claims");
    } else if (reported.add(claim.toString())) {
      problems.warning(
          at,
          path,
          "without a jwt section, only callers of /v1/check supply claims: "
              + claim
              + "; add jwt: with the keys to verify tokens, or jwt: caller");
    }
  }

  private void checkBare(String name, Use use, Location at, String path) {
    if (use == Use.COST && attributes.maps(name)) {
      problems.error(at, path, "must name the source, because attributes doesn't apply: " + name);
    }
    if (attributes.declares(name)
        || supplied.contains(name)
        || (use == Use.COST && name.equals("fixed"))) {
      return;
    }
    String builtIn = BuiltInNames.near(name);
    if (builtIn != null) {
      problems.error(
          at,
          path,
          "is not a built-in attribute: "
              + name
              + "; did you mean "
              + builtIn
              + "? If callers supply it, declare attributes: {"
              + name
              + ": caller}");
    } else if (reported.add(name)) {
      problems.warning(
          at,
          path,
          "is not a part of an HTTP request: "
              + name
              + "; take it from one, such as attributes: {"
              + name
              + ": header:x-"
              + name.replace('_', '-')
              + "}, or declare attributes: {"
              + name
              + ": caller} if callers of /v1/check or the application supply it");
    }
  }
}
