package io.penstock.bench.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KeysTest {
  private final String[] inserted = Keys.inserted(1_000);
  private final String[] asked = Keys.requested(inserted);

  @Test
  void inserted_calledTwice_isEqual() {
    assertThat(inserted).isEqualTo(Keys.inserted(1_000)).doesNotHaveDuplicates();
    assertThat(inserted).allMatch(key -> key.matches("user-[0-9a-f]{16}"));
  }

  @Test
  void requested_isInsertedInAnotherOrder_equalButNotIdentical() {
    assertThat(asked).containsExactlyInAnyOrder(inserted).isNotEqualTo(inserted);
    Set<String> identities = Collections.newSetFromMap(new IdentityHashMap<>());
    identities.addAll(List.of(inserted));
    assertThat(asked).noneMatch(identities::contains);
  }
}
