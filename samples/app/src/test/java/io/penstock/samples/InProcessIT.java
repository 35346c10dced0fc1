package io.penstock.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.samples.RunningSample.Client;
import java.net.http.HttpResponse;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The sample with the in-process store. */
class InProcessIT {
  private static RunningSample sample;

  @BeforeAll
  static void start() {
    // The tests have Spring Data Redis on the class path, which Penstock would use.
    sample = RunningSample.with("--penstock.store=in-process");
  }

  @AfterAll
  static void stop() {
    sample.close();
  }

  @Test
  void context_hasTheExpectedWebApplicationType() {
    String kind = sample.context().getClass().getSimpleName().toLowerCase(Locale.ROOT);

    assertThat(kind).contains(System.getProperty("sample.web"));
  }

  @Test
  void get_afterTheBurst_isDeniedWithAProblem() {
    Client client = sample.client("192.0.2.1");
    HttpResponse<String> first = client.get("/tea");
    assertThat(first.statusCode()).isEqualTo(200);
    assertThat(first.body()).isEqualTo("tea");
    assertThat(first.headers().allValues("RateLimit-Limit")).containsExactly("3");
    assertThat(first.headers().allValues("RateLimit-Remaining")).containsExactly("2");
    assertThat(first.headers().allValues("RateLimit-Policy"))
        .containsExactly("\"address\";q=20;w=20, \"tea\";q=3;w=30");
    assertThat(client.status("/tea")).isEqualTo(200);
    assertThat(client.status("/tea")).isEqualTo(200);

    HttpResponse<String> fourth = client.get("/tea");
    assertThat(fourth.statusCode()).isEqualTo(429);
    assertThat(fourth.headers().firstValue("Content-Type")).contains("application/problem+json");
    assertThat(fourth.headers().firstValue("RateLimit-Remaining")).contains("0");
    assertThat(fourth.headers().firstValue("X-Penstock-Reason")).contains("token_bucket_exceeded");
    assertThat(Integer.parseInt(fourth.headers().firstValue("Retry-After").orElseThrow()))
        .isBetween(5, 15);
    assertThat(fourth.body()).contains("quota-exceeded", "\"violated-policies\":[\"tea\"]");
    assertThat(sample.client("192.0.2.2").status("/tea")).isEqualTo(200);
  }

  @Test
  void get_alternatelyAllowedAndDeniedOnOneConnection_areAllAnswered() {
    for (int i = 0; i < 100; i++) {
      Client client = sample.client("198.51.100." + i);
      for (int j = 0; j < 5; j++) {
        assertThat(client.status("/tea")).isEqualTo(j < 3 ? 200 : 429);
      }
    }
  }

  @Test
  void get_asUsers_limitsEachByNameAndRole() {
    Client ann = sample.client("192.0.2.3").as("ann");
    assertThat(ann.status("/orders")).isEqualTo(200);
    assertThat(ann.status("/orders")).isEqualTo(200);
    HttpResponse<String> third = ann.get("/orders");
    assertThat(third.statusCode()).isEqualTo(429);
    assertThat(third.body()).contains("\"violated-policies\":[\"free\"]");

    Client bob = sample.client("192.0.2.4").as("bob");
    for (int i = 0; i < 6; i++) {
      assertThat(bob.status("/orders")).isEqualTo(200);
    }
    assertThat(bob.status("/orders")).isEqualTo(429);
    assertThat(sample.client("192.0.2.4").status("/orders")).isEqualTo(401);
  }

  @Test
  void get_unauthenticated_isLimitedBeforeSecurity() {
    Client stranger = sample.client("192.0.2.5");
    HttpResponse<String> refused = stranger.get("/orders");
    assertThat(refused.statusCode()).isEqualTo(401);
    assertThat(refused.headers().firstValue("RateLimit-Limit")).contains("20");

    for (int i = 0; i < 60 && stranger.status("/orders") != 429; i++) {
      assertThat(i).isLessThan(59);
    }
  }

  @Test
  void get_rateLimitedMethod_isDeniedWithAProblem() {
    Client client = sample.client("192.0.2.6");
    assertThat(client.get("/exports/a").body()).isEqualTo("all of a");
    assertThat(client.status("/exports/a")).isEqualTo(200);

    HttpResponse<String> third = client.get("/exports/a");
    assertThat(third.statusCode()).isEqualTo(429);
    assertThat(third.headers().firstValue("Content-Type")).contains("application/problem+json");
    assertThat(third.headers().firstValue("Retry-After")).isPresent();
    assertThat(third.body()).contains("\"violated-policies\":[\"export\"]");
    assertThat(client.status("/exports/b")).isEqualTo(200);
  }

  @Test
  void get_rateLimitedPublisher_isChargedItsCost() {
    Client client = sample.client("192.0.2.7");
    assertThat(client.get("/pages/c/3").body()).isEqualTo("3 pages of c");

    HttpResponse<String> second = client.get("/pages/c/2");
    assertThat(second.statusCode()).isEqualTo(429);
    assertThat(second.body()).contains("\"violated-policies\":[\"export\"]");
    assertThat(client.get("/pages/c/9").body()).contains("cost_above_burst");
  }

  @Test
  void endpoint_returnsThePolicyAndTheLevelOfAKey() {
    Client client = sample.client("192.0.2.8");
    client.get("/exports/d");

    HttpResponse<String> policy = client.get("/actuator/penstock");
    assertThat(policy.statusCode()).isEqualTo(200);
    assertThat(policy.body()).contains("policy.yaml", "\"name\":\"export\"", "\"manual\":true");
    HttpResponse<String> level =
        client.post("/actuator/penstock", "{\"rule\":\"export\",\"key\":\"shop=d\"}");
    assertThat(level.body()).contains("\"rule\":\"export\"", "\"limit\":2", "\"remaining\":1");
    HttpResponse<String> rejected =
        client.post("/actuator/penstock", "{\"rule\":\"export\",\"key\":\"d\"}");
    assertThat(rejected.statusCode()).isEqualTo(400);
    assertThat(rejected.body()).contains("key must have the form name=value");
    assertThat(client.post("/actuator/penstock", "{\"rule\":\"no\",\"key\":\"\"}").statusCode())
        .isEqualTo(400);
  }

  @Test
  void meters_areInTheApplicationRegistry() {
    Client client = sample.client("192.0.2.9");
    client.get("/tea");

    assertThat(client.get("/actuator/metrics/penstock.decisions?tag=rule:tea").body())
        .contains("\"COUNT\"", "outcome");
    assertThat(client.status("/actuator/metrics/penstock.decision")).isEqualTo(200);
  }

  @Test
  void health_includesTheLimiter() {
    assertThat(sample.client("192.0.2.10").get("/actuator/health/penstock").body())
        .contains("\"status\":\"UP\"", "\"degraded\":false", "\"rules\":6");
  }
}
