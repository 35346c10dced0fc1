package io.penstock.policy.http;

import io.penstock.Consistency;
import io.penstock.Decision;
import io.penstock.Reason;
import io.penstock.policy.Explanation;
import io.penstock.policy.Explanation.ExpectedCharge;
import io.penstock.policy.Explanation.Finding;
import io.penstock.policy.Outcome;
import io.penstock.policy.Rule;
import io.penstock.policy.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Formats an explanation for people, with the same content as {@link ExplainJson}.
 *
 * <pre>
 * enterprise does not apply: jwt:plan is missing, not enterprise
 * free applies: matches
 *     enforce, key header:x-api-key=#kY2…, cost 1
 *     20 of 20 before, 19 after
 *     allowed
 * verdict: allowed by free, 19 of 20 left, full in 100 ms
 * </pre>
 */
public final class ExplainText {
  private static final String INDENT = "    ";
  private static final String NEVER = ", can never pass";

  private ExplainText() {}

  /** Returns the lines, without line endings. */
  public static List<String> lines(Explanation explanation) {
    List<String> lines = new ArrayList<>();
    if (explanation.token().isRejection()) {
      lines.add("token rejected: " + explanation.token().code());
    }
    for (Finding finding : explanation.findings()) {
      String applies = finding.applies() ? " applies: " : " does not apply: ";
      lines.add(finding.rule().name() + applies + finding.why());
      ExpectedCharge charge = finding.charge();
      if (charge != null) {
        add(finding.rule(), charge, finding.outcome(), lines);
      }
    }
    lines.add("verdict: " + verdict(explanation.verdict()));
    return lines;
  }

  private static void add(
      Rule rule, ExpectedCharge charge, @Nullable Outcome outcome, List<String> lines) {
    String cost = ", cost " + tokens(charge.costThousandths());
    lines.add(INDENT + charge.mode().code() + bucket(charge) + cost + lease(rule, charge));
    for (LimitStatus level : LimitStatus.of(charge, outcome)) {
      lines.add(INDENT + text(level));
    }
    lines.add(INDENT + (outcome == null ? "not evaluated" : text(outcome.decision())));
  }

  private static String bucket(ExpectedCharge charge) {
    if (charge.before() == null) {
      return "";
    }
    return charge.key().isEmpty() ? ", one bucket for all requests" : ", key " + charge.key();
  }

  private static String lease(Rule rule, ExpectedCharge charge) {
    Consistency consistency = rule.storeOptions().consistency();
    return consistency == Consistency.EXACT
        ? ""
        : ", consistency "
            + consistency.name().toLowerCase(Locale.ROOT)
            + (charge.leased() ? ", leased here" : ", not leased here");
  }

  private static String text(LimitStatus level) {
    String before = share(level.before()) + " before";
    Decision after = level.after();
    return after == null ? before : before + ", " + tokens(after.remainingThousandths()) + " after";
  }

  private static String verdict(Verdict verdict) {
    Optional<Outcome> decisive = verdict.decisive();
    if (decisive.isEmpty()) {
      return verdict.allowed()
          ? "allowed, no rule is enforced"
          : "denied" + reason(verdict.reason().orElse(null)) + NEVER;
    }
    Decision decision = decisive.get().decision();
    String by = " by " + decisive.get().rule().name();
    String delay = delay(Rounding.millis(verdict.delay()));
    String degraded = degraded(verdict.degraded());
    if (!verdict.allowed()) {
      return "denied" + by + denial(decision) + degraded;
    }
    long full = Rounding.millis(decision.resetAfter());
    String left = ", " + share(decision) + " left" + (full == 0 ? "" : ", full in " + full + " ms");
    return "allowed" + by + delay + left + degraded;
  }

  private static String text(Decision decision) {
    String outcome =
        decision.allowed()
            ? "allowed" + delay(Rounding.millis(decision.delay()))
            : "denied" + denial(decision);
    return outcome + degraded(decision.degraded());
  }

  private static String denial(Decision decision) {
    String reason = reason(decision.reason().orElse(null));
    return decision.neverAllowed()
        ? reason + NEVER
        : reason + ", retry in " + Rounding.millis(decision.retryAfter()) + " ms";
  }

  private static String reason(@Nullable Reason reason) {
    return reason == null ? "" : " (" + reason.code() + ")";
  }

  private static String delay(long millis) {
    return millis == 0 ? "" : " after a delay of " + millis + " ms";
  }

  private static String degraded(boolean degraded) {
    return degraded ? ", decided without the store" : "";
  }

  private static String share(Decision decision) {
    return tokens(decision.remainingThousandths())
        + " of "
        + tokens(decision.limit().burstThousandths());
  }

  private static String tokens(long thousandths) {
    return Rounding.tokens(thousandths).toPlainString();
  }
}
