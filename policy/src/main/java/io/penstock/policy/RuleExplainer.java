package io.penstock.policy;

import static java.util.stream.Collectors.joining;

import io.penstock.policy.address.IpAddress;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Describes why rules do or don't apply to a request. */
final class RuleExplainer {
  private static final int MAX_VALUE_LENGTH = 100;

  private final CompiledPolicy policy;
  private final Request request;
  private final ModeOverrides overrides;
  private final boolean rejected;

  RuleExplainer(CompiledPolicy policy, Request request, ModeOverrides overrides, boolean rejected) {
    this.policy = policy;
    this.rejected = rejected;
    this.request = request;
    this.overrides = overrides;
  }

  /** Returns why a rule by itself doesn't apply; null if it does. */
  @Nullable String reasonNotApplied(Rule rule) {
    if (overrides.all() == Mode.OFF) {
      return "all rules are off by override";
    }
    if (policy.isOff(overrides)) {
      return "the whole policy is off";
    }
    if (rule.rollout().mode() == Mode.OFF) {
      return "is off";
    }
    if (rule.isManual()) {
      return "applies only when requested by name";
    }
    if (rejected) {
      return "the path is rejected";
    }
    int exemption = policy.exemption(request);
    if (exemption >= 0) {
      return exempt(exemption);
    }
    for (Condition condition : rule.match().conditions()) {
      if (condition.fit(request, onRepeated(rule)) == Condition.Fit.NO) {
        return describeUnmet(condition);
      }
    }
    for (KeyPart part : rule.limitKeys()) {
      if (isMissing(part) && rule.onMissing(part) == MissingKey.SKIP) {
        return missing(part) + ", so the rule is skipped";
      }
    }
    return null;
  }

  private String exempt(int position) {
    return policy.policy().exempt().get(position).conditions().stream()
        .map(condition -> condition.subject() + " is " + sanitize(condition.describe()))
        .collect(joining(", ", "the request is exempt by exempt[" + position + "]: ", ""));
  }

  /** Describes how a rule with limits applies. */
  String applies(SelectedRule selected) {
    Rule rule = selected.tier().rule();
    return selected.isUnverified()
        ? "may match"
            + mode(selected)
            + ", but the token can't be verified; on_store_failure decides"
        : "matches" + mode(selected) + override(selected) + missing(rule);
  }

  private String override(SelectedRule selected) {
    Tier tier = selected.tier();
    Rule ofPolicy = policy.policy().rules().get(tier.position());
    return tier.rule().equals(ofPolicy) ? "" : ", and the limit of this key is overridden";
  }

  /** Describes how a rule without limits applies. */
  String unlimited(Rule rule) {
    return rule.rollout().mode() == Mode.SHADOW
        ? "matches, and is unlimited, in shadow mode"
        : "matches, and is unlimited";
  }

  private String mode(SelectedRule selected) {
    if (selected.mode() != selected.ownMode()) {
      if (selected.mode() == Mode.ENFORCE) {
        return ", and is enforced by override";
      }
      return ", in shadow mode "
          + (overrides.applyTo(selected.tier().rule().name())
              ? "by override"
              : "with the whole policy");
    }
    if (selected.mode() == Mode.ENFORCE) {
      return "";
    }
    Rule.Rollout rollout = selected.tier().rule().rollout();
    return rollout.mode() == Mode.SHADOW
        ? ", in shadow mode"
        : ", in shadow mode: the key is not among the " + rollout.enforcePercent() + " % enforced";
  }

  /** The same default as in {@link Tier}. */
  private static @Nullable RepeatedKey onRepeated(Rule rule) {
    return rule.isUnlimited() && rule.onRepeatedKey() == RepeatedKey.DENY
        ? null
        : rule.onRepeatedKey();
  }

  private String missing(Rule rule) {
    Attribute repeated = repeated(rule);
    if (repeated != null) {
      return ", and denies because "
          + repeated
          + (request.isAmbiguous(repeated) ? " is ambiguous" : " is repeated");
    }
    for (KeyPart part : rule.limitKeys()) {
      if (isMissing(part)) {
        return rule.onMissing(part) == MissingKey.DENY
            ? ", and denies because " + missing(part)
            : ", and shares a bucket with all requests that lack " + part + rejection(part);
      }
    }
    return "";
  }

  /** Returns the repeated or ambiguous attribute for which the rule denies the request, or null. */
  private @Nullable Attribute repeated(Rule rule) {
    Attribute costSource = rule.cost().source();
    return Stream.of(
            rule.limitKeys().stream().map(part -> part.in(request)),
            rule.match().conditions().stream().map(condition -> condition.subject().in(request)),
            Stream.ofNullable(costSource))
        .flatMap(each -> each)
        .filter(attribute -> attribute != null && isDenied(attribute, rule.onRepeatedKey()))
        .findFirst()
        .orElse(null);
  }

  private boolean isDenied(Attribute attribute, RepeatedKey onRepeated) {
    String value = attribute.of(request);
    List<String> several = value == null ? null : attribute.repeated(request, value);
    return value != null
        && several != null
        && attribute.choose(onRepeated, request, value, several) == null;
  }

  private String missing(KeyPart part) {
    return part + " is missing" + rejection(part);
  }

  /** Returns why a claim is missing although the request has a token. */
  private String rejection(KeyPart part) {
    return part.hasClaim() && request.tokenResult().isRejection()
        ? " (token rejected: " + request.tokenResult().code() + ")"
        : "";
  }

  private boolean isMissing(KeyPart part) {
    return part.of(request) == null;
  }

  /** Describes an unmet condition. Omits values that may be secrets. */
  private String describeUnmet(Condition condition) {
    KeyPart subject = condition.subject();
    Attribute found = subject.in(request);
    if (found == null) {
      return missing(subject) + ", not " + sanitize(condition.describe());
    }
    String value = found.source().isPrivate() ? "something else" : sanitize(value(found));
    return found + " is " + value + ", not " + sanitize(condition.describe());
  }

  /** Conditions on addresses test the full address, not only the prefix that selects a bucket. */
  private String value(Attribute attribute) {
    IpAddress address = request.address();
    return attribute.source() == Attribute.AttributeSource.ADDRESS && address != null
        ? address.toString()
        : String.valueOf(attribute.of(request));
  }

  /**
   * Values come from requests and rules, so they are truncated and stripped of control characters
   * before they are printed.
   */
  private static String sanitize(String value) {
    StringBuilder line = new StringBuilder();
    value
        .codePoints()
        .limit(MAX_VALUE_LENGTH)
        .map(c -> Character.isISOControl(c) || c == 0x2028 || c == 0x2029 ? ' ' : c)
        .forEach(line::appendCodePoint);
    return value.codePointCount(0, value.length()) > MAX_VALUE_LENGTH
        ? line + "…"
        : line.toString();
  }
}
