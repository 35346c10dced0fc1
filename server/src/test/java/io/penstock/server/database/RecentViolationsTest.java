package io.penstock.server.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.Reason;
import io.penstock.policy.ExplicitRequest;
import io.penstock.policy.KeyPart;
import io.penstock.policy.Mode;
import io.penstock.policy.Outcome;
import io.penstock.policy.Request;
import io.penstock.policy.Rule;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RecentViolationsTest {
  private static final ViolationFilter ANY =
      new ViolationFilter(null, null, null, null, null, null);

  private final RecentViolations recent = new RecentViolations(KeyPart.parse("user_id"));

  private void deny(String rule, String user, String address, String path) {
    recent.denials().denied(request(user, address, path), denial(rule, user));
  }

  private static Outcome denial(String rule, String user) {
    Limit limit = Limit.perSecond(1);
    return new Outcome(
        Rule.builder(rule)
            .limitKeys(List.of(KeyPart.parse("user_id")))
            .limits(List.of(limit))
            .build(),
        Mode.ENFORCE,
        "user_id=" + user,
        1_000,
        Decision.deny(rule, limit, Reason.TOKEN_BUCKET_EXCEEDED));
  }

  private static Request request(String user, String address, String path) {
    return ExplicitRequest.builder().ip(address).path(path).attribute("user_id", user).build();
  }

  private List<String> users(ViolationFilter filter) {
    return recent.page(filter, Optional.empty(), 100).stream()
        .map(row -> row.violation().userId())
        .toList();
  }

  private static ViolationFilter filter(
      @Nullable String user,
      @Nullable String address,
      @Nullable String rule,
      @Nullable String path) {
    return new ViolationFilter(user, address, rule, path, null, null);
  }

  @Test
  void page_filters_selectMatchingViolations() {
    deny("a", "zoe", "192.0.2.1", "/x");
    deny("b", "max", "192.0.2.77", "/y");
    deny("b", "tim", "2001:db8::1", "/y");
    assertThat(users(ANY)).containsExactlyInAnyOrder("zoe", "max", "tim");
    assertThat(users(filter("zoe", null, null, null))).containsExactly("zoe");
    assertThat(users(filter(null, "192.0.2.77", null, null))).containsExactly("max");
    assertThat(users(filter(null, "192.0.2.0/24", null, null)))
        .containsExactlyInAnyOrder("zoe", "max");
    assertThat(users(filter(null, null, "b", null))).containsExactlyInAnyOrder("max", "tim");
    assertThat(users(filter(null, "2001:db8::/32", "b", "/y"))).containsExactly("tim");
    Instant future = Instant.now().plusSeconds(3_600);
    assertThat(users(new ViolationFilter(null, null, null, null, future, null))).isEmpty();
    assertThat(users(new ViolationFilter(null, null, null, null, null, future))).hasSize(3);
  }

  @Test
  void page_shadow_selectsWhatShadowRulesWouldHaveDenied() {
    deny("a", "zoe", "192.0.2.1", "/x");
    recent.denials().shadowDenied(request("max", "192.0.2.2", "/y"), denial("next", "max"));
    ViolationFilter shadow = new ViolationFilter(null, null, null, null, null, null, null, true);

    assertThat(users(ANY)).containsExactly("zoe");
    assertThat(users(shadow)).containsExactly("max");
    assertThat(recent.top(ViolationRepository.GroupBy.RULE, shadow, 10))
        .containsExactly(new ViolationRepository.Offender("next", 1));
    assertThat(recent.page(shadow, Optional.empty(), 1).get(0).violation().reason())
        .isEqualTo("shadow");
  }

  @Test
  void collect_manyShadowDenials_displaceNoDenial() {
    deny("a", "zoe", "192.0.2.1", "/x");
    for (int i = 0; i < 2 * RecentViolations.MAX; i++) {
      recent
          .denials()
          .shadowDenied(request("user" + i, "192.0.2.2", "/y"), denial("next", "user" + i));
      if (i % 1_000 == 0) {
        recent.collect();
      }
    }
    deny("a", "max", "192.0.2.1", "/x");
    assertThat(users(ANY)).containsExactlyInAnyOrder("zoe", "max");
  }

  @Test
  void page_key_selectsItsDenials() {
    deny("a", "zoe", "192.0.2.1", "/x");
    deny("a", "max", "192.0.2.1", "/x");
    ViolationFilter key =
        new ViolationFilter(null, null, "a", "user_id=zoe", null, null, null, false);
    assertThat(users(key)).containsExactly("zoe");
  }

  @Test
  void histogram_ofThePeriod_countsAllDenials() {
    deny("a", "zoe", "192.0.2.1", "/x");
    deny("a", "zoe", "192.0.2.1", "/x");
    deny("a", "max", "192.0.2.1", "/x");
    Instant from = Instant.now().minusSeconds(3_600);
    ViolationHistogram histogram =
        recent.histogram(
            new ViolationFilter(null, null, null, null, from, from.plusSeconds(4_000)), 60);
    assertThat(histogram.start()).isEqualTo(from);
    assertThat(histogram.stepSeconds()).isEqualTo(67);
    assertThat(histogram.denied()).hasSize(60);
    assertThat(histogram.denied().stream().mapToLong(Long::longValue).sum()).isEqualTo(3);
    assertThat(histogram.denied().subList(0, 53)).containsOnly(0L);
    assertThat(recent.histogram(ANY, 60).denied().stream().mapToLong(Long::longValue).sum())
        .isEqualTo(3);
    assertThat(recent.histogram(filter("tim", null, null, null), 60).denied()).containsOnly(0L);
  }

  @Test
  void page_cursor_continuesWithoutGapsWhileDenialsArrive() {
    for (int i = 0; i < 50; i++) {
      deny("a", "user" + i, "192.0.2.1", "/x");
      recent.collect();
    }
    List<String> seen = new ArrayList<>();
    Optional<ViolationRepository.Cursor> after = Optional.empty();
    for (int page = 0; page < 5; page++) {
      List<ViolationRepository.StoredViolation> rows = recent.page(ANY, after, 10);
      rows.forEach(row -> seen.add(row.violation().userId()));
      after = ViolationRepository.Cursor.parse(rows.get(9).cursor().toString());
      deny("a", "later" + page, "192.0.2.1", "/x");
    }
    assertThat(seen).hasSize(50).doesNotHaveDuplicates().allMatch(user -> user.startsWith("user"));
  }

  @Test
  void collect_moreThanTheMax_dropsTheOldest() {
    for (int i = 0; i < RecentViolations.MAX + 500; i++) {
      deny("a", "user" + i, "192.0.2.1", "/x");
      if (i % 1_000 == 0) {
        recent.collect();
      }
    }
    List<ViolationRepository.StoredViolation> all =
        recent.page(ANY, Optional.empty(), Integer.MAX_VALUE);
    assertThat(all).hasSize(RecentViolations.MAX);
    assertThat(users(filter("user0", null, null, null))).isEmpty();
    assertThat(users(filter("user" + (RecentViolations.MAX + 499), null, null, null))).hasSize(1);
  }

  @Test
  void top_byAddress_sumsDenialsAndPutsUnknownLast() {
    deny("a", "zoe", "192.0.2.1", "/x");
    deny("a", "zoe", "192.0.2.1", "/x");
    deny("a", "max", "192.0.2.2", "/x");
    recent
        .denials()
        .denied(ExplicitRequest.builder().attribute("user_id", "tim").build(), denial("a", "tim"));
    assertThat(recent.top(ViolationRepository.GroupBy.ADDRESS, ANY, 10))
        .containsExactly(
            new ViolationRepository.Offender("192.0.2.1", 2),
            new ViolationRepository.Offender("192.0.2.2", 1),
            new ViolationRepository.Offender(null, 1));
    assertThat(recent.top(ViolationRepository.GroupBy.USER, ANY, 1))
        .containsExactly(new ViolationRepository.Offender("zoe", 2));
  }
}
