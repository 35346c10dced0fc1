package io.penstock.policy.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.ExplicitRequest;
import io.penstock.policy.Request;
import io.penstock.policy.address.IpAddress;
import io.penstock.policy.load.Document;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problem;
import io.penstock.policy.load.Problems;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CheckRequestReaderTest {
  private final Problems problems = new Problems();

  private CheckRequest ask(String json) {
    Node document = Document.parse(json, "q.json", problems);
    return document == null ? null : CheckRequestReader.read(document, problems);
  }

  private ExplicitRequest request(String json) {
    CheckRequest question = ask(json);
    assertThat(problems.errors()).isEmpty();
    return question.request();
  }

  private List<String> errors(String json) {
    assertThat(ask(json)).isNull();
    return problems.errors().stream().map(Problem::toString).toList();
  }

  @Test
  void read_everyField_statesEachInItsSource() {
    CheckRequest question =
        ask(
            """
            {"ip": "2001:db8::1", "method": "POST", "path": "/login?next=/", "host": "API.test:80",
             "headers": {"X-Api-Key": "h"}, "query": {"q": "w"}, "cookies": {"c": "k"},
             "jwt": {"plan": "pro"}, "attributes": {"user_id": "u"}, "cost": 2.5, "dry_run": true}
            """);

    ExplicitRequest request = question.request();
    assertThat(question.dryRun()).isTrue();
    assertThat(request.address()).isEqualTo(IpAddress.parse("2001:db8::1"));
    assertThat(request.method()).isEqualTo("POST");
    assertThat(request.path()).isEqualTo("/login");
    assertThat(request.host()).isEqualTo("api.test");
    assertThat(request.header("x-api-key")).isEqualTo("h");
    assertThat(request.query("q")).isEqualTo("w");
    assertThat(request.cookie("c")).isEqualTo("k");
    assertThat(request.claim("plan")).isEqualTo("pro");
    assertThat(request.attribute("user_id")).isEqualTo("u");
    assertThat(request.costThousandths()).isEqualTo(2_500);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"ip\":null,\"method\":null,\"path\":null,\"host\":null,\"headers\":null,\"query\":null,"
            + "\"cookies\":null,\"jwt\":null,\"attributes\":null,\"cost\":null,\"dry_run\":null}",
        "{\"headers\":{\"x\":null},\"query\":{\"x\":[]},\"cookies\":{\"x\":null},"
            + "\"jwt\":{\"x\":null},\"attributes\":{\"x\":null}}"
      })
  void read_emptyOrNull_hasNoAttributes(String json) {
    CheckRequest question = ask(json);

    ExplicitRequest request = question.request();
    assertThat(problems.errors()).isEmpty();
    assertThat(question.dryRun()).isFalse();
    assertThat(request.address()).isNull();
    assertThat(request.method()).isNull();
    assertThat(request.path()).isNull();
    assertThat(request.host()).isNull();
    assertThat(request.header("x")).isNull();
    assertThat(request.query("x")).isNull();
    assertThat(request.cookie("x")).isNull();
    assertThat(request.claim("x")).isNull();
    assertThat(request.attribute("x")).isNull();
    assertThat(request.costThousandths()).isEqualTo(Request.UNSTATED);
  }

  @Test
  void read_numbersAndBooleans_areTextAsWritten() {
    ExplicitRequest request =
        request(
            "{\"headers\":{\"a\":5.0,\"b\":true},\"query\":{\"a\":1e3},"
                + "\"attributes\":{\"a\":1.50,\"b\":false}}");

    assertThat(request.header("a")).isEqualTo("5.0");
    assertThat(request.header("b")).isEqualTo("true");
    assertThat(request.query("a")).isEqualTo("1e3");
    assertThat(request.attribute("a")).isEqualTo("1.50");
    assertThat(request.attribute("b")).isEqualTo("false");
  }

  @ParameterizedTest
  @CsvSource({"42, 42", "1e3, 1000", "1.50, 1.5", "-0.0, 0", "true, true"})
  void read_numberAsClaim_isAsInAToken(String written, String claim) {
    assertThat(request("{\"jwt\":{\"level\":" + written + "}}").claim("level")).isEqualTo(claim);
  }

  @Test
  void read_lists_areRepeatedValues() {
    ExplicitRequest request =
        request(
            "{\"headers\":{\"w\":[1,\"2\",true]},\"query\":{\"w\":[\"a\"]},"
                + "\"cookies\":{\"w\":[\"a\",\"b\"]}}");

    assertThat(request.header("w")).isEqualTo("1, 2, true");
    assertThat(request.query("w")).isEqualTo("a");
    assertThat(request.cookie("w")).isEqualTo("a, b");
  }

  @Test
  void read_headersThatDifferInCase_areOne() {
    assertThat(request("{\"headers\":{\"W\":1,\"w\":2}}").header("w")).isEqualTo("1, 2");
  }

  @Test
  void read_cookieHeader_statesItsCookies() {
    ExplicitRequest request =
        request("{\"headers\":{\"Cookie\":[\"a=1; b=\\\"2\\\"; none; c = 3 \",\"a=4\"]}}");

    assertThat(request.cookie("a")).isEqualTo("1, 4");
    assertThat(request.cookie("b")).isEqualTo("2");
    assertThat(request.cookie("c")).isEqualTo("3");
    assertThat(request.cookie("none")).isNull();
  }

  @Test
  void read_cookieHeaderBesideCookies_isOnlyAHeader() {
    ExplicitRequest request =
        request("{\"headers\":{\"cookie\":\"a=1; b=2\"},\"cookies\":{\"a\":\"9\"}}");

    assertThat(request.cookie("a")).isEqualTo("9");
    assertThat(request.cookie("b")).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "1, 1000",
    "0.0001, 1",
    "2.5001, 2501",
    "1e3, 1000000",
    "1000000000000, 1000000000000000",
  })
  void read_cost_isRoundedUpToAThousandth(String written, long thousandths) {
    assertThat(request("{\"cost\":" + written + "}").costThousandths()).isEqualTo(thousandths);
  }

  @ParameterizedTest
  @CsvSource({
    "-0.1, must be from 0 to 1000000000000: -0.1",
    "1000000000000.1, must be from 0 to 1000000000000: 1000000000000.1",
    "1e999, must be a number of at most 40 digits: 1e999",
    "\"5\", 'must be a number, not text: 5'",
    "true, 'must be a number, not true or false'",
  })
  void read_noCost_isAnError(String written, String message) {
    assertThat(errors("{\"cost\":" + written + "}"))
        .containsExactly("q.json:1:9: cost: " + message);
  }

  @Test
  void read_manyMistakes_reportsAllWithLocations() {
    String json =
        """
        {"ip": "10.0.0.300", "method": 1, "pth": "/", "host": ["a"],
         "headers": {"a": {"b": 1}, "c": ["d", null, ["e"]]},
         "query": [],
         "jwt": {"groups": ["a"], "n": 1e999},
         "attributes": {"user": {}},
         "dry_run": "yes"}
        """;

    assertThat(errors(json))
        .containsExactly(
            "q.json:1:8: ip: must be an IPv4 or IPv6 address: 10.0.0.300",
            "q.json:1:32: method: must be text, not a number",
            "q.json:1:35: pth: unknown field; did you mean path?",
            "q.json:1:55: host: must be text, not a list",
            "q.json:2:19: headers.a: must be text, a number, true or false, not a mapping",
            "q.json:2:40: headers.c[1]: must be text, a number, true or false, not null",
            "q.json:2:46: headers.c[2]: must be text, a number, true or false, not a list",
            "q.json:3:11: query: must be a mapping, not a list",
            "q.json:4:20: jwt.groups: must be text, a number, true or false, not a list",
            "q.json:4:32: jwt.n: must be a number of at most 64 digits",
            "q.json:5:25: attributes.user: must be text, a number, true or false, not a mapping",
            "q.json:6:13: dry_run: must be true or false, not text: yes");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[]", "1", "\"x\"", "true"})
  void read_noMapping_isAnError(String json) {
    assertThat(errors(json)).singleElement().asString().contains("must be a mapping, not ");
  }

  @Test
  void read_tooLong_isAnErrorThatDoesNotQuoteIt() {
    String json =
        "{\"method\":\"%s\",\"host\":\"%s\",\"path\":\"/%s\",\"headers\":{\"a\":\"%s\",\"%s\":1}}"
            .formatted(
                "M".repeat(65),
                "h".repeat(513),
                "p".repeat(65_536),
                "s".repeat(65_537),
                "n".repeat(257));

    assertThat(errors(json))
        .extracting(
            line -> line.replaceFirst("q.json:\\d+:\\d+: ", "").replace("n".repeat(257), "n"))
        .containsExactly(
            "method: must have at most 64 characters",
            "host: must have at most 512 characters",
            "path: must have at most 65536 characters",
            "headers.a: must have at most 65536 characters",
            "headers.n: must have a name of 1 to 256 characters");
  }

  @Test
  void read_tooMany_isAnError() {
    StringBuilder names = new StringBuilder("\"n\":1");
    for (int i = 0; i < 1_000; i++) {
      names.append(",\"n").append(i).append("\":1");
    }
    String list = "[" + "1,".repeat(100) + "1]";

    assertThat(errors("{\"query\":{\"q\":" + list + "},\"attributes\":{" + names + "}}"))
        .extracting(line -> line.replaceFirst("q.json:\\d+:\\d+: ", ""))
        .containsExactly(
            "query.q: must have at most 100 values", "attributes: must have at most 1000 names");
  }

  @Test
  void read_mistakeInAHeader_doesNotQuoteItsValue() {
    assertThat(errors("{\"headers\":{\"authorization\":{\"secret\":\"s3cr3t\"}}}"))
        .singleElement()
        .asString()
        .doesNotContain("s3cr3t");
  }
}
