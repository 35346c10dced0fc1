package io.penstock.server.database;

import io.penstock.Decision;
import io.penstock.Reason;
import io.penstock.policy.KeyPart;
import io.penstock.policy.Outcome;
import io.penstock.policy.Request;
import io.penstock.policy.address.IpAddress;
import io.penstock.policy.http.GateObserver;
import java.time.Instant;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Records denied requests, and those that shadow rules would have denied, for the table of
 * violations. Thread-safe and non-blocking.
 */
final class ViolationLog implements GateObserver {
  private static final int MAX_TEXT_LENGTH = 255;
  private static final int MAX_KEY_LENGTH = 1_000;
  private static final double THOUSANDTHS_PER_TOKEN = 1_000;
  private static final long MILLIS_PER_SECOND = 1_000;

  private final DenialTally denials;
  private final DenialTally shadowDenials;
  private final KeyPart user;
  private final Function<String, @Nullable Long> ids;

  /**
   * @param denials counts denied requests
   * @param shadowDenials counts requests that shadow rules would have denied
   * @param user the attribute that identifies the user
   * @param ids returns the row id of a rule by its name
   */
  ViolationLog(
      DenialTally denials,
      DenialTally shadowDenials,
      KeyPart user,
      Function<String, @Nullable Long> ids) {
    this.denials = denials;
    this.shadowDenials = shadowDenials;
    this.user = user;
    this.ids = ids;
  }

  @Override
  public void denied(Request request, Outcome decisive) {
    add(request, decisive, false);
  }

  @Override
  public void shadowDenied(Request request, Outcome outcome) {
    add(request, outcome, true);
  }

  private void add(Request request, Outcome outcome, boolean isShadow) {
    long nowMillis = System.currentTimeMillis();
    (isShadow ? shadowDenials : denials)
        .add(
            new DenialTally.Key(
                outcome.rule().name(), outcome.key(), isShadow, nowMillis / MILLIS_PER_SECOND),
            () -> violation(request, outcome, isShadow, nowMillis));
  }

  private Violation violation(Request request, Outcome decisive, boolean isShadow, long nowMillis) {
    IpAddress address = request.address();
    Decision decision = decisive.decision();
    String rule = decisive.rule().name();
    return new Violation(
        stored(decisive.key(), MAX_KEY_LENGTH),
        PostgresText.storable(user.of(request), MAX_TEXT_LENGTH),
        address == null ? null : address.toString(),
        PostgresText.storable(request.path(), MAX_TEXT_LENGTH),
        Instant.ofEpochMilli(nowMillis),
        decision.remainingThousandths() / THOUSANDTHS_PER_TOKEN,
        ids.apply(rule),
        rule,
        isShadow ? Violation.SHADOW : decision.reason().map(Reason::code).orElse("unknown"),
        1);
  }

  private static String stored(String text, int maxLength) {
    String storable = PostgresText.storable(text, maxLength);
    return storable == null ? "" : storable;
  }
}
