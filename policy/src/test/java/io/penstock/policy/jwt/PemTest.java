package io.penstock.policy.jwt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JOSEException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PemTest {
  private static final String CERTIFIED =
      """
      -----BEGIN PUBLIC KEY-----
      MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEu6S5hLFyHiSw91NbSn9DxpE1zaYB
      mnGdw+KFUQFTFz9Jo868X21OfP4/TbGYuZIlwu74Ru483anoLzB4kZY6+g==
      -----END PUBLIC KEY-----
      """;

  private static final String CERTIFICATE =
      """
      subject=CN = issuer
      -----BEGIN CERTIFICATE-----
      MIIBeTCCAR+gAwIBAgIUKe5/nzIWqlIjr80Q+oYZ9iyZyPcwCgYIKoZIzj0EAwIw
      ETEPMA0GA1UEAwwGaXNzdWVyMCAXDTI2MTExNTA3MDQwMFoYDzIxMjYxMDIyMDcw
      NDAwWjARMQ8wDQYDVQQDDAZpc3N1ZXIwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
      AAS7pLmEsXIeJLD3U1tKf0PGkTXNpgGacZ3D4oVRAVMXP0mjzrxfbU58/j9NsZi5
      kiXC7vhG7jzdqegvMHiRljr6o1MwUTAdBgNVHQ4EFgQUtX1uJEhV7cw82go/qVUG
      rswKkjIwHwYDVR0jBBgwFoAUtX1uJEhV7cw82go/qVUGrswKkjIwDwYDVR0TAQH/
      BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEAgxaygLhK1BhSJYey0gmqaftMT2YQ
      5i5ivre6Lbl8eokCIFw+VRuBp8jQQNKWmrfqC0vupH13h7A3grrlcE2SpTEv
      -----END CERTIFICATE-----
      """;

  private static final String RSA_1024 =
      """
      -----BEGIN PUBLIC KEY-----
      MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDF00HeMMpsuv5IT9IUBHWCWSO5
      sFBF8//ze1hJFEDZsG+7aJ/402bX/oEoLAscs6BW1mlAJHxWSV8to/fMREbu6jJE
      P1aJLCT4n6fcWuGAaRTeIzZgpz/2JzObFWQy8BAroec2sokH6apNahuZquXHffge
      lhLH2KV/cboVVBfblQIDAQAB
      -----END PUBLIC KEY-----
      """;

  private static final String ED25519 =
      """
      -----BEGIN PUBLIC KEY-----
      MCowBQYDK2VwAyEAQMb5lbm8kKwBWSUaS8MahsAwg0t88BlaRSIBG4qFPUs=
      -----END PUBLIC KEY-----
      """;

  private static final String SECP256K1 =
      """
      -----BEGIN PUBLIC KEY-----
      MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAEIppVU9X0NVuGfZuVKeu7yfZ2FC4ugeQZ
      q9FmuNHq6Yk6aUCtfPp9lGv58GnGO6hwl+qT/smizZ8PCFob8EjiYA==
      -----END PUBLIC KEY-----
      """;

  @Test
  void publicKey_rsaOrEc_isRead() throws JOSEException {
    assertThat(Pem.publicKey(SignedTokens.pem(SignedTokens.RSA)))
        .isEqualTo(SignedTokens.RSA.toPublicKey());
    assertThat(Pem.publicKey(SignedTokens.pem(SignedTokens.EC).replace("\n", "\r\n")))
        .isEqualTo(SignedTokens.EC.toPublicKey());
  }

  @Test
  void publicKey_certificate_isTheKeyItIsFor() {
    assertThat(Pem.publicKey(CERTIFICATE)).isEqualTo(Pem.publicKey(CERTIFIED));
    assertThat(new KeySource.PublicKey(CERTIFICATE).defaultAlgorithms()).containsExactly("ES256");
  }

  @Test
  void publicKey_weakOrOfAnotherKind_isRejected() {
    assertRejected(RSA_1024, "RSA key must have at least 2048 bits: 1024");
    assertRejected(ED25519, "public key must be RSA, or EC on P-256, P-384 or P-521");
    assertRejected(SECP256K1, "P-256, P-384 or P-521");
  }

  @Test
  void publicKey_privateKeyByMistake_isRejectedWithoutShowingIt() {
    String mistake = "-----BEGIN PRIVATE KEY-----\nMIIsecret\n-----END PRIVATE KEY-----\n";

    assertRejected(mistake, "PEM must be a PUBLIC KEY or CERTIFICATE: PRIVATE KEY");
    assertThatThrownBy(() -> new KeySource.PublicKey(mistake))
        .hasMessageNotContaining("MIIsecret")
        .hasNoCause();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "ssh-rsa AAAA",
        "-----BEGIN ",
        "-----BEGIN PUBLIC KEY-----",
        "-----BEGIN PUBLIC KEY-----\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----",
        "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----",
        "-----BEGIN PUBLIC KEY-----\nA\n-----END PUBLIC KEY-----",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
        "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----",
      })
  void publicKey_notPem_isRejected(String pem) {
    assertThatThrownBy(() -> new KeySource.PublicKey(pem))
        .isExactlyInstanceOf(IllegalArgumentException.class);
  }

  private static void assertRejected(String pem, String rule) {
    assertThatThrownBy(() -> new KeySource.PublicKey(pem))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(rule);
  }
}
