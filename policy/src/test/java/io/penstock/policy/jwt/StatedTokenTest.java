package io.penstock.policy.jwt;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.Explanation;
import io.penstock.policy.ExplicitRequest;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.http.ExplainText;
import io.penstock.policy.load.PolicyLoader;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests of {@code /v1/check} and {@code explain} with a token in their headers. */
class StatedTokenTest {
  private static final String POLICY =
      """
      jwt: {secret: %s, audience: api}
      rules:
        - {name: pro, limit_keys: ["jwt:sub"], match: {"jwt:plan": pro}, rate: 1/h, burst: 1}
        - {name: all, limit_keys: ["jwt:sub|ip:address"], rate: 1/h, burst: 1, group: all}
      """
          .formatted(SignedTokens.SECRET);

  private final PolicyEngine engine =
      new PolicyEngine(InProcessStore.create(), PolicyLoader.parse(POLICY, "p.yaml").policy());

  private ExplicitRequest request(String token) {
    return ExplicitRequest.builder()
        .ip("192.0.2.1")
        .header("Authorization", token)
        .build()
        .verifiedBy(engine.jwt());
  }

  private List<String> lines(ExplicitRequest request) {
    Explanation explanation = engine.explain(request).toCompletableFuture().join();
    return ExplainText.lines(explanation);
  }

  @Test
  void token_accepted_suppliesClaims() {
    String token = SignedTokens.hs256("{\"sub\":\"a\",\"plan\":\"pro\",\"aud\":\"api\"}");
    assertThat(lines(request(token)))
        .contains("    enforce, key jwt:sub=a, cost 1", "pro applies: matches");
  }

  @ParameterizedTest
  @CsvSource({
    "expired, '{\"sub\":\"a\",\"aud\":\"api\",\"exp\":1}'",
    "audience, '{\"sub\":\"a\",\"aud\":\"web\"}'",
    "not_yet_valid, '{\"sub\":\"a\",\"aud\":\"api\",\"nbf\":99999999999}'",
  })
  void token_rejected_isExplainedWithTheReason(String reason, String claims) {
    assertThat(lines(request(SignedTokens.hs256(claims))))
        .contains(
            "token rejected: " + reason,
            "pro does not apply: jwt:plan is missing (token rejected: " + reason + "), not pro")
        .anyMatch(line -> line.contains("key ip:address=192.0.2.1"));
  }

  @Test
  void token_signedWithAnotherKey_isExplained() {
    String token = SignedTokens.hs256("{\"sub\":\"a\",\"aud\":\"api\"}");
    assertThat(lines(request(token.substring(0, token.length() - 8) + "AAAAAAAA")))
        .contains("token rejected: signature");
  }

  @Test
  void token_ofAnotherAlgorithm_isExplained() {
    assertThat(
            lines(request(SignedTokens.rs256(SignedTokens.RSA, "{\"sub\":\"a\",\"aud\":\"api\"}"))))
        .contains("token rejected: algorithm")
        .anyMatch(line -> line.contains("key ip:address=192.0.2.1"));
  }

  @Test
  void token_withClaimsOfTheCaller_isIgnored() {
    ExplicitRequest request =
        ExplicitRequest.builder()
            .header("Authorization", "Bearer nonsense")
            .claim("sub", "b")
            .build()
            .verifiedBy(engine.jwt());
    assertThat(request.tokenResult()).isEqualTo(TokenCheck.Result.ABSENT);
    assertThat(request.claim("sub")).isEqualTo("b");
  }

  @Test
  void tokens_several_areARepeatedAttribute() {
    String token = SignedTokens.hs256("{\"sub\":\"a\",\"aud\":\"api\"}");
    ExplicitRequest request =
        ExplicitRequest.builder()
            .header("Authorization", token)
            .header("Authorization", "Bearer x")
            .build()
            .verifiedBy(engine.jwt());
    assertThat(engine.decide(request).allowed()).isFalse();
  }
}
