package io.penstock.spring;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.penstock.Store;
import io.penstock.StoreException;
import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.Mode;
import io.penstock.policy.Policy;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.address.ClientAddress;
import io.penstock.policy.http.Gate;
import io.penstock.policy.http.HeaderFormat;
import io.penstock.policy.http.Jitter;
import io.penstock.policy.http.VerdictResponses;
import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.servlet.AttributeResolver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.core.env.Environment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.mock.env.MockEnvironment;

class AutoConfigurationTest {
  private static final String RULES = "rules: [{name: all, limit_keys: [], rate: 5/s}]";

  @TempDir private Path folder;
  private Path policy;
  private WebApplicationContextRunner application;

  @BeforeEach
  void write() throws IOException {
    policy = Files.writeString(folder.resolve("policy.yaml"), RULES);
    application =
        new WebApplicationContextRunner()
            .withConfiguration(
                AutoConfigurations.of(
                    PenstockAutoConfiguration.class, PenstockServletAutoConfiguration.class))
            .withPropertyValues("penstock.policy=" + policy);
  }

  @Test
  void application_withAPolicy_hasFiltersInOrder() {
    application.run(
        context -> {
          assertThat(context).hasSingleBean(InProcessStore.class).hasSingleBean(Gate.class);
          assertThat(order(context.getBean("penstockEarlyFilter"))).isLessThan(-100);
          assertThat(order(context.getBean("penstockLateFilter"))).isGreaterThan(-100);
        });
  }

  private static int order(Object registration) {
    return ((FilterRegistrationBean<?>) registration).getOrder();
  }

  @Test
  void application_withProperties_appliesThem() {
    application
        .withPropertyValues(
            "penstock.mode=shadow",
            "penstock.headers=x-ratelimit",
            "penstock.trusted-proxies=10.0.0.0/8,::1",
            "penstock.client-address-header=cf-connecting-ip",
            "penstock.filter.early-order=7",
            "penstock.filter.late-order=8")
        .run(
            context -> {
              Policy inForce = context.getBean(PolicyEngine.class).policy();
              assertThat(inForce.mode()).isEqualTo(Mode.SHADOW);
              assertThat(inForce.clientAddress().trustedProxies()).hasSize(2);
              assertThat(inForce.clientAddress().source())
                  .isEqualTo(ClientAddress.AddressSource.CF_CONNECTING_IP);
              assertThat(context.getBean(PenstockProperties.class).headers())
                  .isEqualTo(HeaderFormat.X_RATELIMIT);
              assertThat(order(context.getBean("penstockEarlyFilter"))).isEqualTo(7);
              assertThat(order(context.getBean("penstockLateFilter"))).isEqualTo(8);
            });
  }

  @Test
  void application_withItsOwnBeans_keepsThem() {
    InProcessStore store = InProcessStore.create();
    PolicyEngine engine =
        new PolicyEngine(store, PolicyLoader.parse(RULES, "policy.yaml").policy());
    VerdictResponses responses = new VerdictResponses(HeaderFormat.NONE, Jitter.NONE);
    application
        .withBean("mine", Store.class, () -> store)
        .withBean(PolicyEngine.class, () -> engine)
        .withBean(VerdictResponses.class, () -> responses)
        .withBean("penstockEarlyFilter", String.class, () -> "none")
        .run(
            context -> {
              assertThat(context.getBean(Store.class)).isSameAs(store);
              assertThat(context.getBean(PolicyEngine.class)).isSameAs(engine);
              assertThat(context.getBean(VerdictResponses.class)).isSameAs(responses);
              assertThat(context.getBean(Gate.class).responses()).isSameAs(responses);
              assertThat(context).doesNotHaveBean(LivePolicy.class);
              assertThat(context.getBeansOfType(FilterRegistrationBean.class)).hasSize(1);
            });
  }

  @Test
  void application_disabled_hasNoBeans() {
    application
        .withPropertyValues("penstock.enabled=false")
        .run(
            context ->
                assertThat(context)
                    .doesNotHaveBean(Store.class)
                    .doesNotHaveBean(FilterRegistrationBean.class));
  }

  @Test
  void application_withAnInvalidPolicy_failsToStartWithTheReason() throws IOException {
    Files.writeString(policy, "rules: [{name: a, limit_keys: [], rate: 5}]");
    application.run(
        context -> {
          assertThat(context).hasFailed();
          assertThat(context.getStartupFailure()).hasRootCauseInstanceOf(PolicyException.class);
        });
  }

  @Test
  void application_withRedisButNoConnection_failsToStart() {
    application
        .withPropertyValues("penstock.store=redis")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .rootCause()
                    .hasMessageContaining("penstock.redis.url"));
  }

  @ParameterizedTest
  @CsvSource({
    "io.penstock.redis, io.penstock:penstock-redis",
    "io.lettuce, io.lettuce:lettuce-core"
  })
  void application_withRedisUrlButNoJar_failsToStartWithTheDependency(String jar, String artifact) {
    application
        .withClassLoader(new FilteredClassLoader(jar))
        .withPropertyValues("penstock.redis.url=redis://localhost")
        .run(
            context -> {
              FailureAnalysis analysis =
                  new RedisMissingFailureAnalyzer().analyze(context.getStartupFailure());
              assertThat(analysis.getDescription())
                  .isEqualTo(
                      "penstock.redis.url is set, but " + artifact + " is not on the classpath.");
              assertThat(analysis.getAction()).startsWith("Add the dependency " + artifact);
            });
  }

  @Test
  void analyzers_areRegistered() {
    List<FailureAnalyzer> analyzers =
        SpringFactoriesLoader.forDefaultResourceLocation()
            .load(
                FailureAnalyzer.class,
                SpringFactoriesLoader.ArgumentResolver.of(Environment.class, new MockEnvironment()),
                (type, name, failure) -> {});

    assertThat(analyzers)
        .hasAtLeastOneElementOfType(PolicyFailureAnalyzer.class)
        .hasAtLeastOneElementOfType(RedisMissingFailureAnalyzer.class);
  }

  @Test
  void endpoint_showsLimitsAsInThePolicy() throws IOException {
    Files.writeString(policy, "rules: [{name: a, limit_keys: [user_id], rate: 5/min, burst: 3}]");
    application.run(
        context -> {
          PenstockEndpoint endpoint =
              new PenstockEndpoint(context.getBean(PolicyEngine.class), null);
          assertThat(endpoint.policy()).contains("\"rate\":\"5/min\"");
          String levels = "{\"rule\":\"a\",\"key\":\"user_id=7\",\"levels\":[{\"limit\":3,";
          assertThat(endpoint.peek("a", "user_id=7")).asString().startsWith(levels);
          WebEndpointResponse<?> rejected = (WebEndpointResponse<?>) endpoint.peek("a", "7");
          assertThat(rejected.getStatus()).isEqualTo(400);
          assertThat(String.valueOf(rejected.getBody()))
              .contains("key must have the form name=value&name=value");
        });
  }

  @Test
  void application_thatKnowsNoUsers_warnsOfUserId() throws IOException {
    Files.writeString(policy, "rules: [{name: a, limit_keys: [user_id], rate: 5/min}]");
    application.run(context -> assertThat(context.getBean(LivePolicy.class).warnings()).isEmpty());
    WebApplicationContextRunner withoutSecurity =
        application.withClassLoader(new FilteredClassLoader("org.springframework.security"));
    withoutSecurity.run(
        context ->
            assertThat(context.getBean(LivePolicy.class).warnings())
                .anyMatch(warning -> warning.startsWith("filters: rule a never applies: ")));
    withoutSecurity
        .withBean(AttributeResolver.class, () -> request -> Map.of("user_id", "7"))
        .run(context -> assertThat(context.getBean(LivePolicy.class).warnings()).isEmpty());
  }

  @Test
  void application_withUnavailableRedis_reportsTheReasonInItsHealth() {
    application
        .withPropertyValues("penstock.redis.url=redis://127.0.0.1:1")
        .run(
            context ->
                await("the reason is known")
                    .untilAsserted(
                        () ->
                            assertThat(
                                    new StoreHealth(
                                            context.getBean(Store.class),
                                            context.getBean(PolicyEngine.class),
                                            List::of)
                                        .details())
                                .containsEntry("degraded", true)
                                .hasEntrySatisfying(
                                    "store_problem",
                                    problem ->
                                        assertThat(problem.toString())
                                            .startsWith(
                                                "Cannot connect to Redis at 127.0.0.1:1"
                                                    + " (CONNECTION_REFUSED: "))));
  }

  @Test
  void application_withUnavailableRedisAndFailFast_failsToStartWithTheReason() {
    application
        .withPropertyValues(
            "penstock.redis.url=redis://127.0.0.1:1", "penstock.redis.fail-fast=true")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .rootCause()
                    .isInstanceOf(StoreException.class)
                    .hasMessageStartingWith(
                        "Cannot connect to Redis at 127.0.0.1:1 (CONNECTION_REFUSED: "));
  }

  @Test
  void application_withAMethodThatNamesNoRule_failsToStart() {
    application
        .withConfiguration(AutoConfigurations.of(PenstockMethodAutoConfiguration.class))
        .withBean(Exports.class)
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .hasMessageContaining("manual: true: export on"));
  }

  static class Exports {
    @RateLimited("export")
    void export() {}
  }

  @Test
  void analyzer_invalidPolicy_reportsAllErrors() {
    PolicyException failure =
        catchThrowableOfType(
            PolicyException.class,
            () -> PolicyLoader.parse("rules: [{name: a}, {name: a}]", "policy.yaml"));

    MockEnvironment environment = new MockEnvironment();
    assertThat(new PolicyFailureAnalyzer(environment).analyze(failure, failure).getDescription())
        .contains("policy.yaml:1:9", "policy.yaml:1:20");
  }

  @Test
  void analyzer_invalidFile_showsTheSourceLine() throws IOException {
    Files.writeString(policy, "rules:\n- {name: a, limit_keys: [ip], rate: 5/s}\n");
    PolicyException failure =
        catchThrowableOfType(PolicyException.class, () -> PolicyLoader.load(policy));

    assertThat(
            new PolicyFailureAnalyzer(new MockEnvironment())
                .analyze(failure, failure)
                .getDescription())
        .contains(
            "  2 | - {name: a, limit_keys: [ip], rate: 5/s}\n    |                          ^");
  }
}
