package io.penstock.policy.jwt;

import com.nimbusds.jose.JWSAlgorithm;
import io.penstock.InvalidValueException;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The source of verification keys. Immutable. */
public sealed interface KeySource {
  /** Returns the field of a policy that names such a source. */
  String field();

  /** Returns the algorithms to accept if none are configured. */
  default List<String> defaultAlgorithms() {
    return Algorithms.KEY_SET_DEFAULTS;
  }

  /**
   * Checks that tokens signed with {@code algorithm} can be verified.
   *
   * @throws IllegalArgumentException if the algorithm is unknown or doesn't fit the keys
   */
  default void check(String algorithm) {
    Algorithms.asymmetric(algorithm);
  }

  /** A secret shared with the issuer, for HS256, HS384 and HS512. */
  record Secret(String secret) implements KeySource {
    @Override
    public String field() {
      return "secret";
    }

    @Override
    public List<String> defaultAlgorithms() {
      return List.of("HS256");
    }

    @Override
    public void check(String algorithm) {
      JWSAlgorithm known = Algorithms.known(algorithm);
      if (!JWSAlgorithm.Family.HMAC_SHA.contains(known)) {
        throw new InvalidValueException(
            "algorithm", "must be one of HS256, HS384, HS512 with a secret: " + algorithm);
      }
      int minBytes = Algorithms.minSecretBytes(known);
      int length = bytes().length;
      if (length < minBytes) {
        throw new InvalidValueException(
            "secret", "must have at least " + minBytes + " bytes for " + algorithm + ": " + length);
      }
    }

    byte[] bytes() {
      return secret.getBytes(StandardCharsets.UTF_8);
    }

    /** Omits the secret. */
    @Override
    public String toString() {
      return "Secret";
    }
  }

  /** An RSA or EC public key, or a certificate with one, in PEM format. */
  record PublicKey(String pem) implements KeySource {
    public PublicKey {
      VerificationKey.of(Pem.publicKey(pem));
    }

    @Override
    public String field() {
      return "public_key";
    }

    @Override
    public List<String> defaultAlgorithms() {
      return List.of(Algorithms.defaultFor(key()).getName());
    }

    @Override
    public void check(String algorithm) {
      if (!key().supports(Algorithms.asymmetric(algorithm))) {
        throw new InvalidValueException(
            "algorithm",
            "must fit the public key, such as " + Algorithms.defaultFor(key()) + ": " + algorithm);
      }
    }

    VerificationKey key() {
      return VerificationKey.of(Pem.publicKey(pem));
    }

    @Override
    public String toString() {
      return "PublicKey";
    }
  }

  /** A key set in a file, which is read again when it changes. */
  record JwksFile(Path file) implements KeySource {
    /**
     * Returns a source whose file currently contains a key set.
     *
     * @throws IllegalArgumentException if it doesn't
     */
    public static JwksFile checked(Path file) {
      try {
        KeySet unused = new FileFetch(file).fetch();
        return new JwksFile(file);
      } catch (IOException e) {
        throw new IllegalArgumentException("must be a JWK set: " + file + ": " + e.getMessage(), e);
      }
    }

    @Override
    public String field() {
      return "jwks_file";
    }
  }

  /**
   * A key set at a URL, which is fetched again after {@code refresh} or when a token has an unknown
   * key.
   */
  record JwksUrl(URI url, Duration refresh) implements KeySource {
    private static final Duration MIN_REFRESH = Duration.ofSeconds(1);

    public JwksUrl {
      boolean http = "http".equalsIgnoreCase(url.getScheme());
      boolean https = "https".equalsIgnoreCase(url.getScheme());
      if (!(http || https) || url.getHost() == null) {
        throw new IllegalArgumentException("jwks_url must be an http or https URL");
      }
      if (refresh.compareTo(MIN_REFRESH) < 0) {
        throw new IllegalArgumentException(
            "refresh must be at least " + MIN_REFRESH + ": " + refresh);
      }
    }

    @Override
    public String field() {
      return "jwks_url";
    }

    /** Returns the URL without user, password and query, any of which may be a secret. */
    String redacted() {
      String path = url.getRawPath() == null ? "" : url.getRawPath();
      String port = url.getPort() < 0 ? "" : ":" + url.getPort();
      return url.getScheme() + "://" + url.getHost() + port + path;
    }

    @Override
    public String toString() {
      return "JwksUrl[" + redacted() + ", refresh=" + refresh + "]";
    }
  }
}
