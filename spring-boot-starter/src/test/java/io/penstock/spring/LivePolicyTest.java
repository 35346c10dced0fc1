package io.penstock.spring;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.Buckets;
import io.penstock.Claim;
import io.penstock.Decision;
import io.penstock.FailurePolicy;
import io.penstock.Limit;
import io.penstock.Store;
import io.penstock.StoreOptions;
import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.Policy;
import io.penstock.policy.PolicyObserver;
import io.penstock.policy.jwt.JwtObserver;
import io.penstock.policy.jwt.KeyFailure;
import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.Problem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.Resource;

class LivePolicyTest {
  private static final String GOOD = "rules: [{name: a, limit_keys: [], rate: 5/s, burst: 5}]";
  private static final String REFUSED =
      "rules: [{name: b, limit_keys: [], rate: 5/s, burst: 5, share: true}]";

  @TempDir private Path folder;

  @Test
  void reload_thatTheStoreRejects_isReported() throws IOException {
    Path file = Files.writeString(folder.resolve("policy.yaml"), GOOD);
    try (LivePolicy policy =
        new LivePolicy(
            from(new FileSystemResource(file)),
            new NoNodes(),
            PolicyObserver.NONE,
            List.of(),
            UnaryOperator.identity())) {
      Files.writeString(file, REFUSED);
      await().until(() -> !policy.active().rejected().isEmpty());
      assertThat(policy.active().rejected())
          .map(Problem::toString)
          .singleElement()
          .asString()
          .contains("policy.yaml", "nodes must be set");
      assertThat(policy.engine().policy().rules().get(0).name()).isEqualTo("a");

      Files.writeString(file, GOOD.replace("name: a", "name: c"));
      await().until(() -> policy.active().rejected().isEmpty());
      assertThat(policy.engine().policy().rules().get(0).name()).isEqualTo("c");
    }
  }

  @Test
  void reload_thatThrows_isReportedWithoutTheMessage() throws IOException {
    Path file = Files.writeString(folder.resolve("policy.yaml"), GOOD);
    UnaryOperator<Policy> settings =
        policy -> {
          if (policy.rules().get(0).name().equals("b")) {
            throw new IllegalStateException("sesame");
          }
          return policy;
        };
    try (LivePolicy policy =
        new LivePolicy(
            from(new FileSystemResource(file)),
            InProcessStore.create(),
            PolicyObserver.NONE,
            List.of(),
            settings)) {
      Files.writeString(file, GOOD.replace("name: a", "name: b"));
      await().until(() -> !policy.active().rejected().isEmpty());
      assertThat(policy.active().rejected())
          .singleElement()
          .asString()
          .contains("policy.yaml: ", "internal error: java.lang.IllegalStateException at ")
          .doesNotContain("sesame");
      assertThat(policy.engine().policy().rules().get(0).name()).isEqualTo("a");
    }
  }

  @Test
  void start_userOfThePrincipal_causesNoWarning() throws IOException {
    String text =
        "rules: [{name: a, limit_keys: [user_id], rate: 5/s, on_missing_key: skip},"
            + " {name: b, limit_keys: [account], rate: 5/s, on_missing_key: skip}]";
    Path file = Files.writeString(folder.resolve("policy.yaml"), text);
    List<Resource> sources =
        List.of(
            new FileSystemResource(file),
            new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8)));

    for (Resource source : sources) {
      try (LivePolicy policy =
          new LivePolicy(
              from(source),
              InProcessStore.create(),
              PolicyObserver.NONE,
              List.of(),
              UnaryOperator.identity())) {
        assertThat(policy.active().loaded().warnings())
            .singleElement()
            .asString()
            .contains("is not a part of an HTTP request: account");
      }
    }
  }

  /** An application without Spring Security and without resolvers. */
  @Test
  void start_nothingSuppliesTheKey_isReportedInTheHealthAndTheEndpoint() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("policy.yaml"), "rules: [{name: a, limit_keys: [user_id], rate: 5/s}]");
    Store store = InProcessStore.create();
    try (LivePolicy policy =
        new LivePolicy(
            new LivePolicy.PolicySource(new FileSystemResource(file), Set.of()),
            store,
            PolicyObserver.NONE,
            List.of(),
            UnaryOperator.identity())) {
      assertThat(policy.warnings())
          .satisfiesExactly(
              name -> assertThat(name).contains("is not a part of an HTTP request: user_id"),
              rule ->
                  assertThat(rule)
                      .isEqualTo(
                          "filters: rule a never applies: nothing supplies user_id; map it to a"
                              + " header or claim under attributes, or supply it with an attribute"
                              + " resolver"));
      assertThat(new StoreHealth(store, policy.engine(), policy::warnings).details())
          .containsEntry("warnings", policy.warnings());
      assertThat(new PenstockEndpoint(policy.engine(), policy).policy())
          .contains("\"warnings\":[\"", "\"filters: rule a never applies");

      Files.writeString(file, GOOD);
      await().until(() -> policy.warnings().isEmpty());
      assertThat(new StoreHealth(store, policy.engine(), policy::warnings).details())
          .doesNotContainKey("warnings");
    }
  }

  @Test
  void start_onlyShadowRules_isReported() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("policy.yaml"),
            "rules: [{name: a, limit_keys: [], rate: 5/s, mode: shadow}]");
    try (LivePolicy policy =
        new LivePolicy(
            from(new FileSystemResource(file)),
            InProcessStore.create(),
            PolicyObserver.NONE,
            List.of(),
            UnaryOperator.identity())) {
      assertThat(policy.warnings())
          .containsExactly("every rule has mode: shadow, so that no request is denied");
    }
  }

  private static LivePolicy.PolicySource from(Resource resource) {
    return new LivePolicy.PolicySource(resource, Set.of("user_id"));
  }

  @Test
  void start_withAMistake_failsWithASuggestion() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("policy.yaml"), "rules: [{name: a, limit_keys: [ip], rate: 5/s}]");

    assertThatThrownBy(
            () ->
                new LivePolicy(
                    from(new FileSystemResource(file)),
                    InProcessStore.create(),
                    PolicyObserver.NONE,
                    List.of(),
                    UnaryOperator.identity()))
        .isInstanceOf(PolicyException.class)
        .hasMessageContaining("did you mean ip:address?");
  }

  @Test
  void start_withAPolicyThatTheStoreRejects_fails() throws IOException {
    Path file = Files.writeString(folder.resolve("policy.yaml"), REFUSED);

    assertThatThrownBy(
            () ->
                new LivePolicy(
                    from(new FileSystemResource(file)),
                    new NoNodes(),
                    PolicyObserver.NONE,
                    List.of(),
                    UnaryOperator.identity()))
        .hasMessageContaining("nodes must be set");
  }

  @Test
  void start_jwtKeysUnavailable_isDegradedWithTheReason() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("policy.yaml"), "jwt: {jwks_url: 'http://127.0.0.1:1/keys'}\n" + GOOD);
    List<KeyFailure> failures = new CopyOnWriteArrayList<>();
    JwtObserver observer =
        new JwtObserver() {
          @Override
          public void fetchFailed(KeyFailure why) {
            failures.add(why);
          }
        };
    Store store = InProcessStore.create();
    try (LivePolicy policy =
        new LivePolicy(
            from(new FileSystemResource(file)),
            store,
            PolicyObserver.NONE,
            List.of(observer),
            UnaryOperator.identity())) {
      await().until(() -> !failures.isEmpty());

      assertThat(failures).contains(KeyFailure.CONNECTION);
      assertThat(new StoreHealth(store, policy.engine(), policy::warnings).details())
          .containsEntry("degraded", true)
          .containsKey("jwt_problem");
    }
  }

  /** Rejects what a Redis store rejects without the number of nodes. */
  private static final class NoNodes implements Store {
    private final InProcessStore store = InProcessStore.create();

    @Override
    public void check(String name, Limit limit, StoreOptions storeOptions) {
      if (storeOptions.onFailure() == FailurePolicy.LOCAL_SHARE) {
        throw new IllegalArgumentException("nodes must be set: " + name);
      }
    }

    @Override
    public Buckets buckets(String name, Limit limit, StoreOptions storeOptions) {
      return store.buckets(name, limit, storeOptions);
    }

    @Override
    public Decision take(List<Claim> claims) {
      return store.take(claims);
    }

    @Override
    public CompletionStage<Decision> takeAsync(List<Claim> claims) {
      return store.takeAsync(claims);
    }

    @Override
    public CompletionStage<Decision> peekAsync(List<Claim> claims) {
      return store.peekAsync(claims);
    }

    @Override
    public void close() {
      store.close();
    }
  }
}
