package io.penstock.policy.jwt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.OctetSequenceKey;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jwt.SignedJWT;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeySetTest {
  @Test
  void verifies_tokenThatNamesItsKey_withThatKeyOnly() throws Exception {
    KeySet keys = set(SignedTokens.RSA, SignedTokens.OTHER_RSA, SignedTokens.EC);
    RSAKey impostor = new RSAKey.Builder(SignedTokens.OTHER_RSA).keyID("rsa-1").build();

    assertThat(keys.verifies(rs256(SignedTokens.RSA))).isTrue();
    assertThat(keys.verifies(rs256(SignedTokens.OTHER_RSA))).isTrue();
    assertThat(keys.verifies(token(SignedTokens.ecdsa(JWSAlgorithm.ES256, SignedTokens.EC, "{}"))))
        .isTrue();
    assertThat(keys.verifies(rs256(impostor))).isFalse();
  }

  @Test
  void verifies_tokenThatNamesNone_withAnyKey() throws Exception {
    RSAKey nameless = new RSAKey.Builder(SignedTokens.OTHER_RSA).keyID(null).build();

    assertThat(
            set(SignedTokens.RSA, SignedTokens.EC, SignedTokens.OTHER_RSA)
                .verifies(rs256(nameless)))
        .isTrue();
    assertThat(set(SignedTokens.RSA, SignedTokens.EC).verifies(rs256(nameless))).isFalse();
  }

  @Test
  void verifies_keyForAnotherAlgorithm_isNotUsed() throws Exception {
    RSAKey only512 = new RSAKey.Builder(SignedTokens.RSA).algorithm(JWSAlgorithm.RS512).build();

    assertThat(set(only512).verifies(rs256(SignedTokens.RSA))).isFalse();
    assertThat(
            set(only512)
                .verifies(token(SignedTokens.rsa(JWSAlgorithm.RS512, SignedTokens.RSA, "{}"))))
        .isTrue();
  }

  @Test
  void lacksKeyOf_onlyIfTheNameIsUnknown() throws Exception {
    KeySet keys = set(SignedTokens.RSA);

    assertThat(keys.lacksKeyOf(rs256(SignedTokens.RSA).getHeader())).isFalse();
    assertThat(keys.lacksKeyOf(rs256(SignedTokens.OTHER_RSA).getHeader())).isTrue();
    assertThat(keys.lacksKeyOf(token(SignedTokens.hs256("{}")).getHeader())).isFalse();
  }

  @Test
  void parse_keysForOthers_areLeftOut() throws Exception {
    byte[] secret = SignedTokens.SECRET.getBytes(StandardCharsets.UTF_8);
    JWK shared = new OctetSequenceKey.Builder(secret).keyID("s").build();
    JWK encrypting = new RSAKey.Builder(SignedTokens.OTHER_RSA).keyUse(KeyUse.ENCRYPTION).build();

    assertThat(set(SignedTokens.RSA, shared, encrypting).size()).isEqualTo(1);
    assertThat(set(SignedTokens.RSA, shared).verifies(token(SignedTokens.hs256("{}")))).isFalse();
    assertThatThrownBy(() -> set(shared, encrypting)).isInstanceOf(IOException.class);
  }

  @Test
  void parse_kindNotKnown_isLeftOut() throws Exception {
    String json =
        SignedTokens.jwks(SignedTokens.RSA).replace("[{", "[{\"kty\":\"XYZ\",\"kid\":\"x\"},{");

    assertThat(KeySet.parse(json).size()).isEqualTo(1);
  }

  private static KeySet set(JWK... keys) throws IOException {
    return KeySet.parse(new JWKSet(List.of(keys)).toString(false));
  }

  private static SignedJWT rs256(RSAKey key) throws ParseException {
    return token(SignedTokens.rs256(key, "{}"));
  }

  private static SignedJWT token(String authorization) throws ParseException {
    return SignedJWT.parse(authorization.substring("Bearer ".length()));
  }
}
