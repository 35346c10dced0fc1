package io.penstock.server.tls;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The TLS configuration of a listener.
 *
 * @param identities the certificates; the first is used for clients that send no known host name
 * @param clientCa the CAs that may sign client certificates; empty if clients need none
 * @param clientRequired whether clients without a certificate are rejected
 * @param protocols the TLS versions, such as {@code TLSv1.3}
 * @param ciphers the cipher suites, by their IANA names
 */
public record TlsFiles(
    List<Pair> identities,
    Optional<Path> clientCa,
    boolean clientRequired,
    List<String> protocols,
    List<String> ciphers) {
  public TlsFiles {
    identities = List.copyOf(identities);
    protocols = List.copyOf(protocols);
    ciphers = List.copyOf(ciphers);
  }

  /**
   * A certificate and its key, in PEM format.
   *
   * @param certificate the chain, starting with the server's own certificate
   * @param key the private key of the certificate
   */
  public record Pair(Path certificate, Path key) {}
}
