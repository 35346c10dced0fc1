package io.penstock.policy.jwt;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;

/** Where the keys of tokens come from. Immutable. */
public sealed interface KeySource {
  /** A secret shared with the issuer, for HS256, HS384 and HS512. */
  record Secret(String secret) implements KeySource {
    @Override
    public String toString() {
      return "Secret";
    }
  }

  /** A public key or certificate in PEM form. */
  record PublicKey(String pem) implements KeySource {}

  /** A key set in a file. */
  record JwksFile(Path file) implements KeySource {}

  /** A key set that is fetched, and fetched again after {@code refresh} or for an unknown key. */
  record JwksUrl(URI url, Duration refresh) implements KeySource {}
}
