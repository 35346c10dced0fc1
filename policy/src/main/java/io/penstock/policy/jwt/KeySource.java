package io.penstock.policy.jwt;

import com.nimbusds.jose.JWSAlgorithm;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Where the keys of tokens come from. Immutable. */
public sealed interface KeySource {
  /** The algorithms to pin when none are named. */
  List<String> defaultAlgorithms();

  /**
   * Checks that tokens signed with {@code algorithm} can be verified.
   *
   * @throws IllegalArgumentException if there is no such algorithm, or not for these keys
   */
  void check(String algorithm);

  /** A secret shared with the issuer, for HS256, HS384 and HS512. */
  record Secret(String secret) implements KeySource {
    @Override
    public List<String> defaultAlgorithms() {
      return List.of("HS256");
    }

    @Override
    public void check(String algorithm) {
      JWSAlgorithm known = Algorithms.known(algorithm);
      if (!JWSAlgorithm.Family.HMAC_SHA.contains(known)) {
        throw new IllegalArgumentException(
            "algorithm must be one of HS256, HS384, HS512 with a secret: " + algorithm);
      }
      int least = Algorithms.leastSecretBytes(known);
      int length = bytes().length;
      if (length < least) {
        throw new IllegalArgumentException(
            "secret must have at least " + least + " bytes for " + algorithm + ": " + length);
      }
    }

    byte[] bytes() {
      return secret.getBytes(StandardCharsets.UTF_8);
    }

    /** Without the secret, which is nobody's to see. */
    @Override
    public String toString() {
      return "Secret";
    }
  }

  /** An RSA or EC public key, or a certificate of one, in PEM form. */
  record PublicKey(String pem) implements KeySource {
    public PublicKey {
      VerificationKey.of(Pem.publicKey(pem));
    }

    @Override
    public List<String> defaultAlgorithms() {
      return List.of(Algorithms.usual(key()).getName());
    }

    @Override
    public void check(String algorithm) {
      if (!key().supports(Algorithms.asymmetric(algorithm))) {
        throw new IllegalArgumentException(
            "algorithm must fit the public key, as "
                + Algorithms.usual(key())
                + " does: "
                + algorithm);
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
     * One that has a key set now.
     *
     * @throws IllegalArgumentException if it hasn't
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
    public List<String> defaultAlgorithms() {
      return Algorithms.USUAL_OF_KEY_SETS;
    }

    @Override
    public void check(String algorithm) {
      Algorithms.asymmetric(algorithm);
    }
  }

  /** A key set that is fetched, and fetched again after {@code refresh} or for an unknown key. */
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

    /** The URL without user, password and query, any of which may be a secret. */
    String shown() {
      String path = url.getRawPath() == null ? "" : url.getRawPath();
      String port = url.getPort() < 0 ? "" : ":" + url.getPort();
      return url.getScheme() + "://" + url.getHost() + port + path;
    }

    @Override
    public String toString() {
      return "JwksUrl[" + shown() + ", refresh=" + refresh + "]";
    }

    @Override
    public List<String> defaultAlgorithms() {
      return Algorithms.USUAL_OF_KEY_SETS;
    }

    @Override
    public void check(String algorithm) {
      Algorithms.asymmetric(algorithm);
    }
  }
}
