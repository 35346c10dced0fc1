package io.penstock.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The sample with its buckets in the process. */
class InProcessIT {
  private RunningSample sample;

  @BeforeEach
  void start() {
    sample = RunningSample.inProcess();
  }

  @AfterEach
  void stop() {
    sample.close();
  }

  @Test
  void context_isOfTheKindThatTheRunIsAbout() {
    String kind = sample.context().getClass().getSimpleName().toLowerCase();

    assertThat(kind).contains(System.getProperty("sample.web"));
  }

  @Test
  void get_untilTheBurstIsUsedUp_thenIsAProblem() {
    HttpResponse<String> first = sample.get("/tea");
    assertThat(first.statusCode()).isEqualTo(200);
    assertThat(first.body()).isEqualTo("tea");
    assertThat(first.headers().allValues("RateLimit-Limit")).containsExactly("3");
    assertThat(first.headers().allValues("RateLimit-Remaining")).containsExactly("2");
    assertThat(first.headers().allValues("RateLimit-Policy"))
        .containsExactly("\"address\";q=20;w=20, \"tea\";q=3;w=30");
    assertThat(sample.status("/tea")).isEqualTo(200);
    assertThat(sample.status("/tea")).isEqualTo(200);

    HttpResponse<String> fourth = sample.get("/tea");
    assertThat(fourth.statusCode()).isEqualTo(429);
    assertThat(fourth.headers().firstValue("Content-Type")).contains("application/problem+json");
    assertThat(fourth.headers().firstValue("RateLimit-Remaining")).contains("0");
    assertThat(fourth.headers().firstValue("X-Penstock-Reason")).contains("token_bucket_exceeded");
    assertThat(Integer.parseInt(fourth.headers().firstValue("Retry-After").orElseThrow()))
        .isBetween(9, 15);
    assertThat(fourth.body()).contains("quota-exceeded", "\"violated-policies\":[\"tea\"]");
    assertThat(sample.status("/exports/a")).isEqualTo(200);
  }

  @Test
  void get_asUsers_limitsEachByNameAndRole() {
    for (int i = 0; i < 2; i++) {
      assertThat(sample.status("/orders", "ann")).isEqualTo(200);
    }
    HttpResponse<String> third = sample.get("/orders", "ann");
    assertThat(third.statusCode()).isEqualTo(429);
    assertThat(third.body()).contains("\"violated-policies\":[\"free\"]");

    for (int i = 0; i < 6; i++) {
      assertThat(sample.status("/orders", "bob")).isEqualTo(200);
    }
    assertThat(sample.status("/orders", "bob")).isEqualTo(429);
    assertThat(sample.status("/orders")).isEqualTo(401);
  }

  @Test
  void get_byStrangers_isLimitedBeforeSecurity() {
    HttpResponse<String> refused = sample.get("/orders");
    assertThat(refused.statusCode()).isEqualTo(401);
    assertThat(refused.headers().firstValue("RateLimit-Limit")).contains("20");

    for (int i = 0; i < 25; i++) {
      sample.status("/orders");
    }

    assertThat(sample.status("/orders")).isEqualTo(429);
  }
}
