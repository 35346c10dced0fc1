package io.penstock.policy.http;

import static io.penstock.policy.http.Limited.KEY;
import static io.penstock.policy.http.Limited.shadow;
import static io.penstock.policy.http.Limited.verdict;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.Decision;
import io.penstock.FailurePolicy;
import io.penstock.Limit;
import io.penstock.Reason;
import io.penstock.policy.Mode;
import io.penstock.policy.Outcome;
import io.penstock.policy.Verdict;
import io.penstock.testing.FixedLimiters;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VerdictResponsesTest {
  private static final VerdictResponses ALL =
      new VerdictResponses(HeaderFormat.ALL, Jitter.DEFAULT);

  private static Limited perOrg() {
    return new Limited("per-org-rps", Limit.perSecond(100).burst(200));
  }

  private static List<String> headers(VerdictResponses answers, Verdict verdict) {
    List<String> lines = new ArrayList<>();
    answers.headers(verdict, (name, value) -> lines.add(name + ": " + value));
    return lines;
  }

  private static List<String> headers(HeaderFormat form, Verdict verdict) {
    return headers(new VerdictResponses(form, Jitter.NONE), verdict);
  }

  /** 113 of 200 are used at 100 per second. */
  @Test
  void headers_allowedWith87Of200Left_reportWhatIsLeft() {
    Verdict verdict = verdict(perOrg().take(113_000));

    assertThat(headers(ALL, verdict))
        .containsExactly(
            "RateLimit-Limit: 200",
            "RateLimit-Remaining: 87",
            "RateLimit-Reset: 1",
            "RateLimit: \"per-org-rps\";r=87;t=1",
            "RateLimit-Policy: \"per-org-rps\";q=200;w=2");
    assertThat(ALL.status(verdict)).isEqualTo(200);
  }

  /** 200 are used, and the wait is 1.5 s. */
  @Test
  void headers_denied_reportWhenAndWhy() {
    Limited org = perOrg();
    org.take(200_000);
    Verdict verdict = verdict(org.take(150_000));

    List<String> triple =
        List.of("RateLimit-Limit: 200", "RateLimit-Remaining: 0", "RateLimit-Reset: 2");
    List<String> draft =
        List.of(
            "RateLimit: \"per-org-rps\";r=0;t=2", "RateLimit-Policy: \"per-org-rps\";q=200;w=2");
    List<String> denial = List.of("Retry-After: 2", "X-Penstock-Reason: token_bucket_exceeded");
    assertThat(headers(HeaderFormat.ALL, verdict)).isEqualTo(joined(triple, draft, denial));
    assertThat(headers(HeaderFormat.LEGACY, verdict)).isEqualTo(joined(triple, denial));
    assertThat(headers(HeaderFormat.DRAFT, verdict)).isEqualTo(joined(draft, denial));
    assertThat(headers(HeaderFormat.NONE, verdict)).isEqualTo(denial);
    assertThat(headers(HeaderFormat.X_RATELIMIT, verdict))
        .containsExactly(
            "X-RateLimit-Limit: 200",
            "X-RateLimit-Remaining: 0",
            "X-RateLimit-Reset: 2",
            "Retry-After: 2",
            "X-Penstock-Reason: token_bucket_exceeded");
    assertThat(ALL.status(verdict)).isEqualTo(429);
  }

  @SafeVarargs
  private static List<String> joined(List<String>... parts) {
    List<String> all = new ArrayList<>();
    for (List<String> part : parts) {
      all.addAll(part);
    }
    return all;
  }

  @Test
  void headers_allowed_followTheForm() {
    Verdict verdict = verdict(perOrg().take(113_000));

    assertThat(headers(HeaderFormat.LEGACY, verdict))
        .containsExactly("RateLimit-Limit: 200", "RateLimit-Remaining: 87", "RateLimit-Reset: 1");
    assertThat(headers(HeaderFormat.X_RATELIMIT, verdict))
        .containsExactly(
            "X-RateLimit-Limit: 200", "X-RateLimit-Remaining: 87", "X-RateLimit-Reset: 1");
    assertThat(headers(HeaderFormat.DRAFT, verdict))
        .containsExactly(
            "RateLimit: \"per-org-rps\";r=87;t=1", "RateLimit-Policy: \"per-org-rps\";q=200;w=2");
    assertThat(headers(HeaderFormat.NONE, verdict)).isEmpty();
  }

  @Test
  void headers_noRuleApplies_areNone() {
    assertThat(headers(ALL, Verdict.UNLIMITED)).isEmpty();
    assertThat(headers(ALL, verdict(shadow(perOrg().take(1_000))))).isEmpty();
    assertThat(ALL.status(Verdict.UNLIMITED)).isEqualTo(200);
  }

  @Test
  void headers_severalRules_listTheEnforcingOnesInOrder() {
    Limited org = perOrg();
    Limited search = new Limited("search", Limit.perMinute(30).burst(10));
    Limited login = new Limited("login", Limit.fixedWindow(5, Duration.ofMinutes(15)));
    login.clock.advance(Duration.ofMinutes(1));
    Limited tried = new Limited("tried", Limit.perSecond(1));

    Verdict verdict =
        verdict(org.take(1_000), search.take(9_000), login.take(1_000), shadow(tried.take(1_000)));

    assertThat(headers(ALL, verdict))
        .containsExactly(
            "RateLimit-Limit: 10",
            "RateLimit-Remaining: 1",
            "RateLimit-Reset: 2",
            "RateLimit: \"per-org-rps\";r=199;t=1, \"search\";r=1;t=2, \"login\";r=4;t=840",
            "RateLimit-Policy: \"per-org-rps\";q=200;w=2, \"search\";q=10;w=20,"
                + " \"login\";q=5;w=900");
  }

  @Test
  void headers_oneEnforcedBesideAShadow_nameTheEnforcedOnly() {
    Limited tried = new Limited("tried", Limit.perSecond(1));

    assertThat(
            headers(HeaderFormat.DRAFT, verdict(perOrg().take(1_000), shadow(tried.take(1_000)))))
        .containsExactly(
            "RateLimit: \"per-org-rps\";r=199;t=1", "RateLimit-Policy: \"per-org-rps\";q=200;w=2");
  }

  @Test
  void headers_fullBucket_resetNow() {
    assertThat(headers(HeaderFormat.LEGACY, verdict(perOrg().take(0))))
        .containsExactly("RateLimit-Limit: 200", "RateLimit-Remaining: 200", "RateLimit-Reset: 0");
  }

  @ParameterizedTest
  @CsvSource({"999, 1", "1000, 1", "1001, 2", "60000, 60"})
  void headers_nextTokenAfterMillis_resetInTheSecondRoundedUp(long millis, long reset) {
    Limited slow = new Limited("slow", Limit.per(1, Duration.ofMillis(millis)).burst(5));

    assertThat(headers(HeaderFormat.LEGACY, verdict(slow.take(1_000))))
        .contains("RateLimit-Remaining: 4", "RateLimit-Reset: " + reset);
  }

  /** Each token takes a third of a nanosecond more than a second. */
  @Test
  void headers_nextTokenAHairAfterASecond_resetAfterTwo() {
    Limited odd = new Limited("odd", Limit.per(3, Duration.ofNanos(3_000_000_001L)).burst(5));

    assertThat(headers(HeaderFormat.LEGACY, verdict(odd.take(1_000))))
        .contains("RateLimit-Reset: 2");
  }

  @Test
  void headers_fractionalBurst_isRoundedDown() {
    Limited half = new Limited("half", Limit.perSecond(0.25).burst(2.5));

    assertThat(headers(HeaderFormat.ALL, verdict(half.take(300))))
        .containsExactly(
            "RateLimit-Limit: 2",
            "RateLimit-Remaining: 2",
            "RateLimit-Reset: 2",
            "RateLimit: \"half\";r=2;t=2",
            "RateLimit-Policy: \"half\";q=2;w=10");
  }

  @Test
  void headers_costAboveBurst_haveNoRetryAfter() {
    Limited org = new Limited("org", Limit.perSecond(1).burst(10));
    org.take(4_000);

    assertThat(headers(ALL, verdict(org.take(11_000))))
        .containsExactly(
            "RateLimit-Limit: 10",
            "RateLimit-Remaining: 6",
            "RateLimit-Reset: 4",
            "RateLimit: \"org\";r=6;t=4",
            "RateLimit-Policy: \"org\";q=10;w=10",
            "X-Penstock-Reason: cost_above_burst");
  }

  /**
   * Three tokens at 1.5/s: the delay is rounded up to a tick, but two seconds must not become
   * three.
   */
  @Test
  void headers_allowedWithDelay_resetWhenThereIsMore() {
    Limited queue = new Limited("queue", Limit.perSecond(1.5).burst(1));
    Duration patience = Duration.ofSeconds(10);
    queue.take(1_000, patience);
    queue.take(1_000, patience);
    Outcome delayed = queue.take(1_000, patience);

    assertThat(delayed.decision().delay()).isEqualTo(Duration.ofNanos(1_333_333_334));
    assertThat(headers(HeaderFormat.LEGACY, verdict(delayed)))
        .containsExactly("RateLimit-Limit: 1", "RateLimit-Remaining: 0", "RateLimit-Reset: 2");
  }

  /** The same on a store with a microsecond clock. */
  @Test
  void headers_allowedWithDelayOfWholeMicros_resetWhenThereIsMore() {
    Limited queue = new Limited("queue", Limit.perSecond(1.5).burst(1));
    Decision delayed =
        Decision.allow("queue", queue.limiter.limit(), 0, 2_000_000_000L, 1_333_334_000L);

    assertThat(headers(HeaderFormat.LEGACY, verdict(queue.outcome(1_000, delayed))))
        .contains("RateLimit-Reset: 2");
  }

  @Test
  void headers_sameKey_alwaysSameJitter() {
    Limited slow = new Limited("per-org-rps", Limit.per(1, Duration.ofSeconds(60)));
    slow.take(1_000);
    Verdict verdict = verdict(slow.take(1_000));

    assertThat(headers(ALL, verdict)).contains("RateLimit-Reset: 60", "Retry-After: 85");
    assertThat(headers(ALL, verdict)).isEqualTo(headers(ALL, verdict));
    assertThat(headers(HeaderFormat.ALL, verdict)).contains("Retry-After: 60");
  }

  @Test
  void headers_shortestWait_isASecond() {
    Limited fast = new Limited("fast", Limit.perSecond(1_000).burst(1));
    fast.take(1_000);

    Decision atOnce = FixedLimiters.denyAll(Duration.ZERO).take(KEY);

    assertThat(headers(HeaderFormat.NONE, verdict(fast.take(1_000)))).contains("Retry-After: 1");
    assertThat(headers(HeaderFormat.NONE, verdict(fast.outcome(1_000, atOnce))))
        .contains("Retry-After: 1");
  }

  @Test
  void headers_windowDenied_waitForIt() {
    Limited login = new Limited("login", Limit.fixedWindow(1, Duration.ofMinutes(1)));
    login.take(1_000);
    login.clock.advance(Duration.ofMillis(20_500));

    assertThat(headers(HeaderFormat.DRAFT, verdict(login.take(1_000))))
        .containsExactly(
            "RateLimit: \"login\";r=0;t=40",
            "RateLimit-Policy: \"login\";q=1;w=60",
            "Retry-After: 40",
            "X-Penstock-Reason: fixed_window_exceeded");
  }

  @Test
  void headers_oddRuleName_isEscaped() {
    Limited odd = new Limited("a\"b\\c\r\nd é", Limit.perSecond(1));

    List<String> lines = headers(HeaderFormat.DRAFT, verdict(odd.take(0)));

    assertThat(lines)
        .containsExactly(
            "RateLimit: \"a\\\"b\\\\c??d ?\";r=1;t=0",
            "RateLimit-Policy: \"a\\\"b\\\\c??d ?\";q=1;w=1");
  }

  @Test
  void headers_limitReplacedUnderTheSameName_areThoseOfTheNewOne() {
    Limited org = new Limited("org", Limit.perSecond(1).burst(10));
    headers(ALL, verdict(org.take(0)));
    org.limiter.replaceLimit(Limit.perSecond(2).burst(50));

    assertThat(headers(ALL, verdict(org.take(0))))
        .contains("RateLimit-Limit: 50", "RateLimit-Policy: \"org\";q=50;w=25");
  }

  @Test
  void status_closedWithoutAStore_is503() {
    Limit limit = Limit.perSecond(1);
    Verdict refused = verdict(Limited.closed("pay", limit, 0));
    Verdict waiting = verdict(Limited.closed("pay", limit, 1_500_000_000L));
    Verdict hintless = verdict(Limited.closed("pay", limit, 0));

    assertThat(ALL.status(refused)).isEqualTo(503);
    assertThat(headers(HeaderFormat.NONE, refused))
        .containsExactly(
            "Penstock-Degraded: store_unavailable", "X-Penstock-Reason: store_unavailable");
    assertThat(ALL.status(waiting)).isEqualTo(503);
    assertThat(headers(HeaderFormat.NONE, waiting))
        .containsExactly(
            "Penstock-Degraded: store_unavailable",
            "Retry-After: 2",
            "X-Penstock-Reason: store_unavailable");
    assertThat(headers(HeaderFormat.NONE, hintless))
        .containsExactly(
            "Penstock-Degraded: store_unavailable", "X-Penstock-Reason: store_unavailable");
  }

  @Test
  void status_deniedByTheLocalBucket_is429() {
    Limited local = new Limited("pay", Limit.perSecond(1));
    local.take(1_000);
    Outcome denied =
        new Outcome(
            Limited.rule("pay", local.limiter.limit(), FailurePolicy.LOCAL),
            Mode.ENFORCE,
            KEY,
            1_000,
            local.take(1_000).decision().asDegraded(Reason.STORE_UNAVAILABLE));

    assertThat(ALL.status(verdict(denied))).isEqualTo(429);
    assertThat(headers(HeaderFormat.NONE, verdict(denied))).contains("Retry-After: 1");
  }

  @Test
  void status_degradedButAllowed_passes() {
    Limited open = perOrg();

    assertThat(
            ALL.status(
                verdict(
                    open.outcome(
                        1_000, open.take(0).decision().asDegraded(Reason.STORE_UNAVAILABLE)))))
        .isEqualTo(200);
  }

  @Test
  void status_missingKey_is429WithoutRetryAfter() {
    Limited org = perOrg();
    Verdict verdict =
        verdict(
            org.outcome(
                1_000, Decision.deny("per-org-rps", org.limiter.limit(), Reason.MISSING_KEY)));

    assertThat(ALL.status(verdict)).isEqualTo(429);
    assertThat(headers(HeaderFormat.NONE, verdict))
        .containsExactly("X-Penstock-Reason: missing_key");
  }

  @Test
  void headers_missingKey_haveNoReset() {
    Limited org = perOrg();
    Verdict verdict =
        verdict(
            org.outcome(
                1_000, Decision.deny("per-org-rps", org.limiter.limit(), Reason.MISSING_KEY)));

    assertThat(headers(HeaderFormat.ALL, verdict))
        .containsExactly(
            "RateLimit-Limit: 200",
            "RateLimit-Remaining: 0",
            "RateLimit: \"per-org-rps\";r=0",
            "RateLimit-Policy: \"per-org-rps\";q=200;w=2",
            "X-Penstock-Reason: missing_key");
  }

  /** The bucket is full, but the request can never pass. */
  @Test
  void headers_costAboveBurstOfFullBucket_haveNoReset() {
    assertThat(headers(HeaderFormat.ALL, verdict(perOrg().take(201_000))))
        .containsExactly(
            "RateLimit-Limit: 200",
            "RateLimit-Remaining: 200",
            "RateLimit: \"per-org-rps\";r=200",
            "RateLimit-Policy: \"per-org-rps\";q=200;w=2",
            "X-Penstock-Reason: cost_above_burst");
  }

  @Test
  void deny_allowed_isRejected() {
    for (Verdict allowed : List.of(verdict(perOrg().take(1_000)), Verdict.UNLIMITED)) {
      assertThatThrownBy(() -> ALL.deny(allowed, (name, value) -> {}))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void describe_denied_isJsonWithoutHeadersAboutLimits() {
    Limited org = perOrg();
    List<String> headers = new ArrayList<>();
    HttpAnswer answer =
        ALL.describe(verdict(org.take(201_000)), (name, value) -> headers.add(name + ": " + value));
    assertThat(answer.status()).isEqualTo(200);
    assertThat(headers).containsExactly("Content-Type: application/json");
    assertThat(new String(answer.body(), StandardCharsets.UTF_8)).startsWith("{\"allowed\":false");
  }
}
