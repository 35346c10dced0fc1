package io.penstock.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import java.nio.file.Path;
import java.util.Optional;

/**
 * TLS of connections to Redis by a URL with {@code rediss}, with files in PEM format. Immutable.
 *
 * @param ca the CAs that may sign the certificate of Redis; empty for those of the JVM
 * @param certificate the client certificate; empty for none
 * @param key the private key of the client certificate, in PKCS#8
 * @param verifiesHost whether the name in the certificate of Redis has to be that of its host
 */
public record RedisTls(
    Optional<Path> ca, Optional<Path> certificate, Optional<Path> key, boolean verifiesHost) {
  /** The CAs of the JVM, and no client certificate. */
  public static final RedisTls DEFAULT =
      new RedisTls(Optional.empty(), Optional.empty(), Optional.empty(), true);

  public RedisTls {
    if (certificate.isPresent() != key.isPresent()) {
      throw new IllegalArgumentException(
          "certificate and key must be set together: " + certificate + ", " + key);
    }
  }

  /** Returns the options with these files, which are read for each connection. */
  ClientOptions applyTo(ClientOptions options) {
    if (ca.isEmpty() && certificate.isEmpty()) {
      return options;
    }
    SslOptions.Builder tls = SslOptions.builder().jdkSslProvider();
    ca.ifPresent(file -> tls.trustManager(file.toFile()));
    if (certificate.isPresent() && key.isPresent()) {
      tls.keyManager(certificate.get().toFile(), key.get().toFile(), new char[0]);
    }
    return options.mutate().sslOptions(tls.build()).build();
  }

  /** Sets what is verified for a URI. */
  RedisURI applyTo(RedisURI uri) {
    if (!verifiesHost && uri.isSsl()) {
      uri.setVerifyPeer(SslVerifyMode.CA);
      uri.getSentinels().forEach(sentinel -> sentinel.setVerifyPeer(SslVerifyMode.CA));
    }
    return uri;
  }
}
