package io.penstock.servlet;

import static jakarta.servlet.DispatcherType.ASYNC;
import static jakarta.servlet.DispatcherType.REQUEST;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.Phase;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.Verdict;
import io.penstock.policy.http.Gate;
import io.penstock.policy.http.HeaderFormat;
import io.penstock.policy.http.Jitter;
import io.penstock.policy.http.VerdictResponses;
import io.penstock.policy.load.PolicyLoader;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RateLimitFilterTest {
  private static final EnumSet<DispatcherType> BOTH = EnumSet.of(REQUEST, ASYNC);

  @TempDir private Path folder;

  private static Gate gate(String rules) {
    InProcessStore store = InProcessStore.create();
    PolicyEngine engine =
        new PolicyEngine(store, PolicyLoader.parse("rules:\n" + rules, "policy.yaml").policy());
    return new Gate(engine, new VerdictResponses(HeaderFormat.ALL, Jitter.NONE));
  }

  private Container container(Filter... filters) {
    Container container = new Container(folder, 2);
    for (Filter filter : filters) {
      container.with(filter, BOTH);
    }
    return container.start();
  }

  @Test
  void get_afterTheBurst_isDeniedWithAProblem() {
    Gate gate = gate("  - {name: address, limit_keys: [\"ip:address\"], rate: 1/h, burst: 2}\n");
    try (Container container = container(new RateLimitFilter(gate, Phase.WHOLE, List.of()))) {
      HttpResponse<String> first = container.get("/");
      assertThat(first.statusCode()).isEqualTo(200);
      assertThat(first.body()).isEqualTo("tea");
      assertThat(first.headers().firstValue("RateLimit-Limit")).contains("2");
      assertThat(first.headers().firstValue("RateLimit-Remaining")).contains("1");
      assertThat(container.get("/").statusCode()).isEqualTo(200);

      HttpResponse<String> third = container.get("/");
      assertThat(third.statusCode()).isEqualTo(429);
      assertThat(third.headers().firstValue("Content-Type")).contains("application/problem+json");
      assertThat(third.headers().firstValue("Retry-After")).contains("3600");
      assertThat(third.headers().firstValue("X-Penstock-Reason")).contains("token_bucket_exceeded");
      assertThat(third.headers().firstValue("RateLimit")).contains("\"address\";r=0;t=3600");
      assertThat(third.body()).contains("quota-exceeded", "\"violated-policies\":[\"address\"]");
    }
  }

  @Test
  void get_allowed_exposesTheVerdictToLaterFilters() {
    Gate gate = gate("  - {name: address, limit_keys: [\"ip:address\"], rate: 1/h, burst: 2}\n");
    List<String> seen = new CopyOnWriteArrayList<>();
    Filter behind =
        (request, response, chain) -> {
          Verdict verdict = RequestProgress.of(request).verdict().orElseThrow();
          assertThat(request.getAttribute(RequestProgress.ATTRIBUTE))
              .hasToString(verdict.toString());
          seen.add(verdict.decisive().orElseThrow().rule().name());
          chain.doFilter(request, response);
        };
    try (Container container =
        container(new RateLimitFilter(gate, Phase.WHOLE, List.of()), behind)) {
      assertThat(container.get("/").statusCode()).isEqualTo(200);
    }
    assertThat(seen).containsExactly("address");
  }

  @Test
  void get_inPhases_chargesEachRuleOnceAndReportsBoth() {
    Gate gate =
        gate(
            """
              - {name: address, limit_keys: ["ip:address"], rate: 1/h, burst: 9}
              - {name: planned, limit_keys: [plan], rate: 1/h, burst: 2}
            """);
    AttributeResolver plans = request -> Map.of("plan", request.getParameter("plan"));
    try (Container container =
        container(
            new RateLimitFilter(gate, Phase.EARLY, List.of()),
            new RateLimitFilter(gate, Phase.LATE, List.of(plans)))) {
      HttpResponse<String> first = container.get("/?plan=pro");
      assertThat(first.headers().allValues("RateLimit"))
          .containsExactly("\"address\";r=8;t=3600, \"planned\";r=1;t=3600");
      assertThat(first.headers().allValues("RateLimit-Limit")).containsExactly("2");
      container.get("/?plan=pro");

      HttpResponse<String> third = container.get("/?plan=pro");
      assertThat(third.statusCode()).isEqualTo(429);
      assertThat(third.body()).contains("\"violated-policies\":[\"planned\"]");
      // The late denial refunded the early charge: of nine tokens, two were taken, and this request
      // takes the third.
      HttpResponse<String> fourth = container.get("/?plan=free");
      assertThat(fourth.statusCode()).isEqualTo(200);
      assertThat(fourth.headers().firstValue("RateLimit").orElseThrow())
          .startsWith("\"address\";r=6;");
    }
  }

  @Test
  void get_requestAttribute_isAvailableToRules() {
    Gate gate = gate("  - {name: t, limit_keys: [tenant], rate: 1/h, burst: 1}\n");
    Filter tenants =
        (request, response, chain) -> {
          request.setAttribute("tenant", request.getParameter("t"));
          chain.doFilter(request, response);
        };
    try (Container container =
        container(tenants, new RateLimitFilter(gate, Phase.LATE, List.of()))) {
      assertThat(container.get("/?t=a").statusCode()).isEqualTo(200);
      assertThat(container.get("/?t=a").statusCode()).isEqualTo(429);
      assertThat(container.get("/?t=b").statusCode()).isEqualTo(200);
      assertThat(container.get("/").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void get_equivalentPaths_shareALimit() {
    Gate gate =
        gate("  - {name: login, limit_keys: [], match: {path: /login}, rate: 1/h, burst: 1}\n");
    try (Container container = container(new RateLimitFilter(gate, Phase.WHOLE, List.of()))) {
      assertThat(container.get("/login").statusCode()).isEqualTo(200);
      for (String path :
          List.of("/login;a=b", "//login", "/./login", "/%6cogin", "/x/..;y/login")) {
        assertThat(container.get(path).statusCode()).as(path).isEqualTo(429);
      }
    }
  }

  @Test
  void get_delayed_isHeldWithoutAThread() {
    Gate gate =
        gate(
            "  - {name: slow, limit_keys: [], rate: 20/s, burst: 1, on_limit: delay,"
                + " max_delay_ms: 5000}\n");
    try (Container container = container(new RateLimitFilter(gate, Phase.WHOLE, List.of()))) {
      // More requests than threads.
      var answers =
          java.util.stream.IntStream.range(0, 8).mapToObj(i -> container.getLater("/")).toList();
      assertThat(answers).allMatch(answer -> answer.join().statusCode() == 200);
    }
  }

  @Test
  void get_heldByARuleThatIsRemoved_keepsItsVerdict() {
    String rules =
        "rules:\n  - {name: slow, limit_keys: [plan], rate: 5/s, burst: 1, on_limit: delay,"
            + " max_delay_ms: 5000}\n";
    String others = "rules:\n  - {name: early, limit_keys: [], rate: 1/h, burst: 9}\n";
    InProcessStore store = InProcessStore.create();
    PolicyEngine engine =
        new PolicyEngine(store, PolicyLoader.parse(rules, "policy.yaml").policy());
    Gate gate = new Gate(engine, new VerdictResponses(HeaderFormat.ALL, Jitter.NONE));
    CountDownLatch asked = new CountDownLatch(2);
    AttributeResolver plans =
        request -> {
          asked.countDown();
          return Map.of("plan", "pro");
        };
    try (Container container = container(new RateLimitFilter(gate, Phase.LATE, List.of(plans)))) {
      container.get("/");
      var held = container.getLater("/");
      // By now the second request has been decided by the old rules.
      assertThat(await(asked)).isTrue();
      engine.replace(PolicyLoader.parse(others, "policy.yaml").policy());

      assertThat(held.join().statusCode()).isEqualTo(200);
      assertThat(held.join().body()).isEqualTo("tea");
      assertThat(held.join().headers().firstValue("RateLimit-Limit")).contains("1");
      assertThat(container.get("/").headers().firstValue("RateLimit-Limit")).isEmpty();
    }
  }

  private static boolean await(CountDownLatch latch) {
    try {
      return latch.await(30, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void get_spellingsOfAPath_shareALimit() {
    Gate gate = gate("  - {name: login, limit_keys: [], match: {path: /login}, rate: 1/h}\n");
    try (Container container = container(new RateLimitFilter(gate, Phase.WHOLE, List.of()))) {
      assertThat(container.get("/login").statusCode()).isEqualTo(200);
      for (String path : List.of("/login;a=b", "/;x/login", "/a/..;/login", "/%6cogin;b")) {
        assertThat(container.get(path).statusCode()).as(path).isEqualTo(429);
      }
    }
  }

  @Test
  void get_keyInTwoHeaders_isDenied() {
    Gate gate = gate("  - {name: keys, limit_keys: [\"header:x-api-key\"], rate: 1/h, burst: 5}\n");
    try (Container container = container(new RateLimitFilter(gate, Phase.WHOLE, List.of()))) {
      assertThat(container.get("/", "X-Api-Key", "K").statusCode()).isEqualTo(200);
      HttpResponse<String> denied = container.get("/", "X-Api-Key", "K", "X-Api-Key", "r1");
      assertThat(denied.statusCode()).isEqualTo(429);
      assertThat(denied.headers().firstValue("X-Penstock-Reason")).contains("missing_key");
    }
  }
}
