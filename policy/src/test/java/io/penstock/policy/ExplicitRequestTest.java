package io.penstock.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExplicitRequestTest {
  @Test
  void build_nothingStated_hasNoAttributes() {
    ExplicitRequest request = ExplicitRequest.builder().build();

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
  void build_allStated_findsEachInItsSource() {
    ExplicitRequest request =
        ExplicitRequest.builder()
            .method("POST")
            .path("/login")
            .host("example.com")
            .header("name", "header")
            .query("name", "query")
            .cookie("name", "cookie")
            .claim("name", "claim")
            .attribute("name", "attribute")
            .costThousandths(2_500)
            .build();

    assertThat(request.method()).isEqualTo("POST");
    assertThat(request.path()).isEqualTo("/login");
    assertThat(request.host()).isEqualTo("example.com");
    assertThat(request.header("name")).isEqualTo("header");
    assertThat(request.query("name")).isEqualTo("query");
    assertThat(request.cookie("name")).isEqualTo("cookie");
    assertThat(request.claim("name")).isEqualTo("claim");
    assertThat(request.attribute("name")).isEqualTo("attribute");
    assertThat(request.costThousandths()).isEqualTo(2_500);
  }

  @Test
  void header_statedInAnyCase_isFoundInLowerCase() {
    ExplicitRequest request = ExplicitRequest.builder().header("X-Api-KEY", "k").build();

    assertThat(request.header("x-api-key")).isEqualTo("k");
    assertThat(Attribute.parse("header:X-Api-Key").of(request)).isEqualTo("k");
  }

  @Test
  void repeated_headerQueryCookie_areJoined() {
    ExplicitRequest request =
        ExplicitRequest.builder()
            .header("Cost", "1")
            .header("cost", "2")
            .query("q", "a")
            .query("q", "b")
            .cookie("c", "a")
            .cookie("c", "b")
            .attribute("plan", "free")
            .attribute("plan", "pro")
            .build();

    assertThat(request.header("cost")).isEqualTo("1, 2");
    assertThat(request.query("q")).isEqualTo("a, b");
    assertThat(request.cookie("c")).isEqualTo("a, b");
    assertThat(request.attribute("plan")).isEqualTo("pro");
  }

  @ParameterizedTest
  @CsvSource({
    "Example.COM, example.com",
    "example.com:8080, example.com",
    "[2001:DB8::1], [2001:db8::1]",
    "[2001:db8::1]:443, [2001:db8::1]",
    "example.com., example.com",
    "example.com.:443, example.com",
    "2001:db8::1, 2001:db8::1",
  })
  void host_asSent_isLowerCaseWithoutPort(String sent, String host) {
    assertThat(ExplicitRequest.builder().host(sent).build().host()).isEqualTo(host);
  }

  @Test
  void path_withQuery_isThePathAlone() {
    assertThat(ExplicitRequest.builder().path("/login?next=/a").build().path()).isEqualTo("/login");
  }

  @Test
  void builder_changedAfterBuild_leavesTheRequest() {
    ExplicitRequest.Builder builder = ExplicitRequest.builder().header("a", "1");
    ExplicitRequest request = builder.build();
    builder.header("a", "2");

    assertThat(request.header("a")).isEqualTo("1");
  }

  @Test
  void ip_notAnAddress_isRejected() {
    assertThatThrownBy(() -> ExplicitRequest.builder().ip("not-an-address"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("ip must be an IPv4 or IPv6 address: not-an-address");
  }

  @Test
  void cost_negative_isRejected() {
    assertThatThrownBy(() -> ExplicitRequest.builder().costThousandths(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("costThousandths must not be negative: -1");
  }
}
