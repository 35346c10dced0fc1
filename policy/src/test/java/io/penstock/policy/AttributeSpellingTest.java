package io.penstock.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Reason;
import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.http.HttpRequest;
import io.penstock.policy.http.RequestLine;
import io.penstock.policy.jwt.JwtSettings;
import io.penstock.policy.jwt.JwtVerifier;
import io.penstock.policy.load.PolicyLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A client gains nothing from another spelling of a header, cookie or query parameter that some
 * origin reads as the same one.
 */
class AttributeSpellingTest {
  private static PolicyEngine engine(String fields) {
    return new PolicyEngine(
        InProcessStore.create(),
        PolicyLoader.parse("rules: [{name: r, rate: 1/h, burst: 1, " + fields + "}]", "policy.yaml")
            .policy());
  }

  private static HttpRequest cookies(String header) {
    return new HttpRequest(
        null,
        RequestLine.of("GET", "/", "a"),
        name -> name.equals("cookie") ? header : null,
        new JwtVerifier(JwtSettings.NONE));
  }

  private static HttpRequest query(String query) {
    return new HttpRequest(
        null,
        RequestLine.of("GET", "/?" + query, "a"),
        name -> null,
        new JwtVerifier(JwtSettings.NONE));
  }

  private static Reason denial(PolicyEngine engine, Request request) {
    return engine.decide(request).decisive().orElseThrow().decision().reason().orElseThrow();
  }

  /** A request to {@code /v1/check}. */
  private static ExplicitRequest header(String name) {
    return ExplicitRequest.builder().ip("192.0.2.1").header(name, "K").build();
  }

  @ParameterizedTest
  @ValueSource(strings = {"X_Api_Key", "x-api_key", "X.API.KEY", "x~api-key"})
  void header_otherSpelling_isDenied(String name) {
    for (String keys : new String[] {"header:x-api-key", "header:x-api-key|ip:address"}) {
      for (String onRepeatedKey : new String[] {"deny", "first", "last"}) {
        PolicyEngine engine =
            engine(
                "on_missing_key: skip, limit_keys: ['"
                    + keys
                    + "'], on_repeated_key: "
                    + onRepeatedKey);
        assertThat(denial(engine, header(name))).isEqualTo(Reason.MISSING_KEY);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"X-Api-Keys", "XApiKey", "X-Api-Kez", "X-ApiXKey"})
  void header_otherName_isIgnored(String name) {
    PolicyEngine engine = engine("on_missing_key: skip, limit_keys: ['header:x-api-key']");
    assertThat(engine.decide(header(name)).outcomes()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sid=%4B7",
        "sid=K%37",
        "sid=%4b%37",
        "sid=\"K7\"",
        "sid=\"%4B7\"",
        "sid=\"\\1137\"",
        "sid=\"\\K\\7\"",
        "sid=\u00a0K7\u00a0",
        "sid=\u000bK7\u0085",
        "sid=\u00c2\u00a0K7",
      })
  void cookie_sameValue_sharesTheBucket(String header) {
    PolicyEngine engine = engine("limit_keys: ['cookie:sid']");
    assertThat(engine.decide(cookies("sid=K7")).allowed()).isTrue();
    assertThat(denial(engine, cookies(header))).isEqualTo(Reason.TOKEN_BUCKET_EXCEEDED);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\u00a0sid=K; sid=r77",
        "sid=r77; \u00c2\u00a0sid=K",
        "sid=r77; \u000bsid=K",
        "sid=r77; SID=K",
        "sid=r77; s%69d=K",
        "sid=r77; sid[]=K",
        "SID=K",
        "\u00a0sid=K",
        "sid=r77, sid=K",
        "sid=r77,sid=K",
        "sid=r77 sid=K",
        "sid=r77\u000bsid =K",
        "a=b, sid=K",
        "sid=K x=r77",
        "sid=K,x=r77",
        "sid=\"Kx",
        "sid=Kx\"",
        "sid=\"",
        "sid=\"K\"x\"",
        "sid=\"K\\\"",
        "sid=\\113%4B",
        "sid=%5C113",
        "sid=\"\\04537\"",
      })
  void cookie_ambiguous_isDenied(String header) {
    for (String onRepeatedKey : new String[] {"deny", "first", "last"}) {
      PolicyEngine engine = engine("limit_keys: ['cookie:sid'], on_repeated_key: " + onRepeatedKey);
      assertThat(denial(engine, cookies(header))).isEqualTo(Reason.MISSING_KEY);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sid=r77; sidx=K",
        "sid=r77; xsid=K",
        "sid=r77; s_id=K",
        "sid=r77; a=sid; b=\"x, sid=K\"",
        "sid=r77; sid",
        "a=1; sid=r77; b=x y, z",
        "sid=\"r77 a, b\"",
        "sid={'a':1}",
        "sid=r=77==",
      })
  void cookie_ordinary_isCounted(String header) {
    PolicyEngine engine = engine("limit_keys: ['cookie:sid']");
    assertThat(engine.decide(cookies(header)).allowed()).isTrue();
    assertThat(denial(engine, cookies(header))).isEqualTo(Reason.TOKEN_BUCKET_EXCEEDED);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "api_key=r5&api.key=K",
        "api_key=r5&api+key=K",
        "api_key=r5&api%20key=K",
        "api_key=r5&api[key=K",
        "api_key=r5&API_KEY=K",
        "api_key=r5&%41PI_%6bey=K",
        "api_key=r5&api%u005fkey=K",
        "api_key=r5&api_key[]=K",
        "api_key=r5&api_key%5B0%5D=K",
        "api_key=r5&api_key[a][b]=K",
        "api_key=r5&+api_key=K",
        "api_key=r5&api_key%00x=K",
        "api_key=r5;api_key=K",
        "x=1;api_key=K",
        "api_key=K;x=r5",
        "api_key=K;r5",
        "API_KEY=K",
        "api_key[]=K",
        "API_KEY=",
      })
  void query_ambiguous_isDenied(String query) {
    for (String onRepeatedKey : new String[] {"deny", "first", "last"}) {
      PolicyEngine engine =
          engine("limit_keys: ['query:api_key'], on_repeated_key: " + onRepeatedKey);
      assertThat(denial(engine, query(query))).isEqualTo(Reason.MISSING_KEY);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "api_key=K&apikey=x",
        "api_key=K&api-key=x",
        "api_key=K&api_keys=x",
        "api_key=K&key=api_key",
        "x=a;b&api_key=K",
        "api_key=K%3Bapi_key=x",
        "api_key=K&x[api_key]=1",
        "api_key=K&y=api_key%3D1",
      })
  void query_ordinary_isCounted(String query) {
    PolicyEngine engine = engine("limit_keys: ['query:api_key']");
    assertThat(engine.decide(query(query)).allowed()).isTrue();
    assertThat(denial(engine, query(query))).isEqualTo(Reason.TOKEN_BUCKET_EXCEEDED);
  }

  @Test
  void query_otherEscapesOfTheValue_shareTheBucket() {
    PolicyEngine engine = engine("limit_keys: ['query:api_key']");
    assertThat(engine.decide(query("api_key=K7")).allowed()).isTrue();
    assertThat(denial(engine, query("api_key=%4B7"))).isEqualTo(Reason.TOKEN_BUCKET_EXCEEDED);
    assertThat(denial(engine, query("api_key=%u004B7"))).isEqualTo(Reason.TOKEN_BUCKET_EXCEEDED);
  }

  @Test
  void query_namedWithBrackets_isExact() {
    PolicyEngine engine = engine("limit_keys: ['query:ids[]']");
    assertThat(engine.decide(query("ids[]=1")).allowed()).isTrue();
    assertThat(denial(engine, query("ids%5B%5D=1"))).isEqualTo(Reason.TOKEN_BUCKET_EXCEEDED);
    assertThat(denial(engine, query("ids=2"))).isEqualTo(Reason.MISSING_KEY);
  }

  @Test
  void ambiguous_ruleThatJoins_isCounted() {
    PolicyEngine engine = engine("limit_keys: ['query:api_key'], on_repeated_key: join");
    assertThat(engine.decide(query("API_KEY=K")).allowed()).isTrue();
    assertThat(denial(engine, query("API_KEY=K"))).isEqualTo(Reason.TOKEN_BUCKET_EXCEEDED);
  }

  @ParameterizedTest
  @CsvSource({"Plan=slow, true", "plan=fast;plan=slow, true", "Plan=fast, false", "x=y, false"})
  void match_otherSpelling_deniesIfItMeetsTheCondition(String query, boolean denied) {
    PolicyEngine engine = engine("limit_keys: [], match: {'query:plan': slow}");
    assertThat(engine.decide(query(query)).allowed()).isNotEqualTo(denied);
  }

  @Test
  void match_cookie_comparesDecodedValues() {
    PolicyEngine engine = engine("limit_keys: [], match: {'cookie:city': [a%20b, Zürich]}");
    assertThat(engine.decide(cookies("city=a%20b")).decisive()).isPresent();
    assertThat(engine.decide(cookies("city=%61%20b")).decisive()).isPresent();
    assertThat(engine.decide(cookies("city=Z%C3%BCrich")).decisive()).isPresent();
    assertThat(engine.decide(cookies("city=Zurich")).decisive()).isEmpty();
  }

  @Test
  void exempt_otherSpelling_gainsNoExemption() {
    PolicyEngine engine =
        new PolicyEngine(
            InProcessStore.create(),
            PolicyLoader.parse(
                    """
                    exempt: [{match: {"query:role": staff}}]
                    rules: [{name: r, limit_keys: [], rate: 1/h, burst: 9}]
                    """,
                    "policy.yaml")
                .policy());
    assertThat(engine.decide(query("role=staff")).decisive()).isEmpty();
    assertThat(engine.decide(query("Role=staff")).decisive()).isPresent();
    assertThat(engine.decide(query("role=staff;role=x")).decisive()).isPresent();
  }

  @Test
  void explicitRequest_otherSpelling_isDenied() {
    Request query = ExplicitRequest.builder().query("api_key", "r5").query("Api.Key", "K").build();
    Request name = ExplicitRequest.builder().cookie("sid", "r5").cookie("SID", "K").build();
    Request value = ExplicitRequest.builder().cookie("sid", "\"K").build();
    assertThat(denial(engine("limit_keys: ['query:api_key']"), query))
        .isEqualTo(Reason.MISSING_KEY);
    assertThat(denial(engine("limit_keys: ['cookie:sid']"), name)).isEqualTo(Reason.MISSING_KEY);
    assertThat(denial(engine("limit_keys: ['cookie:sid']"), value)).isEqualTo(Reason.MISSING_KEY);
  }

  @Test
  void explicitRequest_sameCookie_sharesTheBucketOfHttp() {
    PolicyEngine engine = engine("limit_keys: ['cookie:sid']");
    assertThat(engine.decide(cookies("sid=%4B7")).allowed()).isTrue();
    Request request = ExplicitRequest.builder().cookie("sid", "K%37").build();
    assertThat(denial(engine, request)).isEqualTo(Reason.TOKEN_BUCKET_EXCEEDED);
  }

  @Test
  void explain_ambiguous_isReported() {
    PolicyEngine engine = engine("limit_keys: ['query:api_key'], on_repeated_key: first");
    Explanation explanation = engine.explain(query("API_KEY=K")).toCompletableFuture().join();
    assertThat(explanation.findings().get(0).why())
        .isEqualTo("matches, and denies because query:api_key is ambiguous");
  }
}
