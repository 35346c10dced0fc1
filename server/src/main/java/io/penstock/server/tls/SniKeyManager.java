package io.penstock.server.tls;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.function.Predicate;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Selects a certificate by the host name that the client sends (SNI). If the client sends none, or
 * no certificate matches it, selects the first certificate, or another one for the same hosts whose
 * key type the client supports. Immutable.
 */
final class SniKeyManager extends X509ExtendedKeyManager {
  private final List<Identity> identities;

  SniKeyManager(List<Identity> identities) {
    this.identities = List.copyOf(identities);
  }

  @Override
  public @Nullable String chooseEngineServerAlias(
      String keyType, Principal @Nullable [] issuers, SSLEngine engine) {
    String host = host(engine);
    Predicate<Identity> eligible = identity -> identity.names().equals(identities.get(0).names());
    if (host != null && identities.stream().anyMatch(identity -> identity.matches(host))) {
      eligible = identity -> identity.matches(host);
    }
    for (int i = 0; i < identities.size(); i++) {
      Identity identity = identities.get(i);
      if (eligible.test(identity) && keyType.equals(identity.key().getAlgorithm())) {
        return Integer.toString(i);
      }
    }
    return null;
  }

  private static @Nullable String host(SSLEngine engine) {
    if (engine.getHandshakeSession() instanceof ExtendedSSLSession session) {
      for (SNIServerName name : session.getRequestedServerNames()) {
        if (name instanceof SNIHostName host) {
          return host.getAsciiName();
        }
      }
    }
    return null;
  }

  @Override
  public X509Certificate @Nullable [] getCertificateChain(String alias) {
    return identity(alias).chain().toArray(new X509Certificate[0]);
  }

  @Override
  public PrivateKey getPrivateKey(String alias) {
    return identity(alias).key();
  }

  private Identity identity(String alias) {
    return identities.get(Integer.parseInt(alias));
  }

  @Override
  public @Nullable String chooseServerAlias(
      String keyType, Principal @Nullable [] issuers, Socket socket) {
    throw new UnsupportedOperationException("servers use SSL engines only");
  }

  @Override
  public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
    throw new UnsupportedOperationException("certificates are selected by host");
  }

  @Override
  public @Nullable String chooseClientAlias(
      String[] keyType, Principal @Nullable [] issuers, Socket socket) {
    throw new UnsupportedOperationException("server side only");
  }

  @Override
  public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
    throw new UnsupportedOperationException("server side only");
  }
}
