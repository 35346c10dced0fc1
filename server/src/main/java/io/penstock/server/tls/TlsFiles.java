package io.penstock.server.tls;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * How a listener speaks TLS.
 *
 * @param identities the certificates, the one for clients that name no known host first
 * @param clientCa the certificates of those who may sign clients'; empty if clients need none
 * @param clientRequired whether clients without a certificate are turned away
 * @param protocols such as {@code TLSv1.3}
 * @param ciphers suites by their names in Java, which are those of the IANA
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
   * Files in PEM.
   *
   * @param certificate the chain, the server's own first
   * @param key the private key to it
   */
  public record Pair(Path certificate, Path key) {}
}
