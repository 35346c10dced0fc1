package io.penstock.policy;

import static io.penstock.policy.Rules.rule;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Different groups have different buckets. */
class BucketNameTest {
  private static String name(Rules rule, int position) {
    return BucketName.of(rule.build().tierGroup(), position, Mode.ENFORCE);
  }

  @Test
  void of_limitsAndGroupsThatLookAlike_differ() {
    assertThat(name(rule("r").group("x"), 1)).isNotEqualTo(name(rule("r").group("x.1"), 0));
    assertThat(name(rule("r").group("x"), 1)).isNotEqualTo(name(rule("r").group("x 1"), 0));
    assertThat(name(rule("r").by("k"), 1)).isNotEqualTo(name(rule("r").by("k.1"), 0));
    assertThat(name(rule("r"), 1)).isNotEqualTo(name(rule("r").by("1"), 0));
  }

  @Test
  void of_routesThatLookAlike_differ() {
    List<Rules> rules =
        List.of(
            rule("r").where("path", "/a", "/b"),
            rule("r").where("path", "/a, /b"),
            rule("r").where("path", "/a,/b"),
            rule("r").where("path", "/a").where("method", "GET"),
            rule("r").where("path", "/a] method=[GET"),
            rule("r").where("path", "/a method=GET"),
            rule("r").where("method", "GET", "PUT"),
            rule("r").where("method", "GET, PUT"),
            rule("r").where("method", "GET,PUT"),
            rule("r").group("x"),
            rule("r").by("x"));
    Set<String> names = new HashSet<>();
    rules.forEach(rule -> names.add(name(rule, 0)));
    assertThat(names).hasSameSizeAs(rules);
  }

  @Test
  void of_theSameRouteInAnyOrder_isTheSame() {
    assertThat(name(rule("r").where("path", "/b", "/a").where("method", "PUT", "GET"), 0))
        .isEqualTo(name(rule("r").where("method", "GET", "PUT").where("path", "/a", "/b"), 0));
  }

  @Test
  void of_shadows_differ() {
    TierGroup group = rule("r").by("k").build().tierGroup();
    assertThat(BucketName.of(group, 0, Mode.SHADOW))
        .isNotEqualTo(BucketName.of(group, 0, Mode.ENFORCE));
  }
}
