package io.penstock.policy.jwt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JwksFileTest {
  private static final String OLD = SignedTokens.rs256(SignedTokens.RSA, "{\"sub\":\"alice\"}");
  private static final String NEW =
      SignedTokens.rs256(SignedTokens.OTHER_RSA, "{\"sub\":\"alice\"}");

  private final AtomicLong nowMillis = new AtomicLong(SignedTokens.NOW_SECONDS * 1000);
  private final InstantSource clock = () -> Instant.ofEpochMilli(nowMillis.get());

  @TempDir Path folder;
  private KeySource.JwksFile source;
  private IssuerKeys keys;
  private JwtVerifier verifier;

  @BeforeEach
  void write() throws IOException {
    source = new KeySource.JwksFile(folder.resolve("keys.json"));
    write(SignedTokens.jwks(SignedTokens.RSA), 1);
    keys = KeyRing.keys(source, clock, JwtObserver.NONE);
    keys.refreshIfDue();
    verifier = new JwtVerifier(JwtSettings.verifying(source), clock, KeyRing.of(keys));
  }

  @Test
  void new_file_isReadAtOnce() {
    try (JwtVerifier real = new JwtVerifier(JwtSettings.verifying(source), clock)) {
      assertThat(real.claims(OLD)).isNotEmpty();
    }
  }

  @Test
  void new_fileMissingOrBroken_isRejected() throws IOException {
    assertRejected(new KeySource.JwksFile(folder.resolve("none.json")));
    write("{\"keys\":[]}", 2);
    assertRejected(source);
  }

  @Test
  void claims_fileChanged_useTheNewSetASecondLater() throws IOException {
    assertThat(verifier.claims(OLD)).isNotEmpty();
    write(SignedTokens.jwks(SignedTokens.OTHER_RSA), 2);

    nowMillis.addAndGet(999);
    keys.refreshIfDue();
    assertThat(verifier.claims(NEW)).isEmpty();

    nowMillis.addAndGet(1);
    keys.refreshIfDue();
    assertThat(verifier.claims(NEW)).isNotEmpty();
    assertThat(verifier.claims(OLD)).isEmpty();
  }

  @Test
  void claims_fileNotTouched_keepsTheSet() throws IOException {
    KeySet before = keys.current();
    write(SignedTokens.jwks(SignedTokens.OTHER_RSA), 1);
    nowMillis.addAndGet(1000);
    keys.refreshIfDue();

    assertThat(keys.current()).isSameAs(before);
  }

  @Test
  void claims_fileBrokenOrMissing_useTheLastSetUntilItIsFixed() throws IOException {
    write("{", 2);
    nowMillis.addAndGet(1000);
    keys.refreshIfDue();
    assertThat(verifier.claims(OLD)).isNotEmpty();
    assertThat(verifier.status().lastFailure()).contains("not a JWK set");

    Files.delete(source.file());
    nowMillis.addAndGet(1000);
    keys.refreshIfDue();
    assertThat(verifier.claims(OLD)).isNotEmpty();
    assertThat(verifier.status().lastFailure()).contains("keys.json");

    write(SignedTokens.jwks(SignedTokens.OTHER_RSA), 3);
    nowMillis.addAndGet(1000);
    keys.refreshIfDue();
    assertThat(verifier.claims(NEW)).isNotEmpty();
    assertThat(verifier.status()).isEqualTo(new JwtVerifier.Status(1, null));
  }

  private void assertRejected(KeySource.JwksFile file) {
    assertThatThrownBy(() -> new JwtVerifier(JwtSettings.verifying(file), clock))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("jwks_file must be a JWK set: " + file.file());
  }

  private void write(String json, long modifiedSeconds) throws IOException {
    Files.writeString(source.file(), json);
    Files.setLastModifiedTime(source.file(), FileTime.from(Instant.ofEpochSecond(modifiedSeconds)));
  }
}
