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
 * Chooses among certificates by the host that a client names. A client that names none, or one that
 * no certificate is for, gets the first, or another for the same hosts whose key it can use.
 * Immutable.
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
    Predicate<Identity> eligible = own -> own.names().equals(identities.get(0).names());
    if (host != null && identities.stream().anyMatch(own -> own.isFor(host))) {
      eligible = own -> own.isFor(host);
    }
    for (int i = 0; i < identities.size(); i++) {
      Identity own = identities.get(i);
      if (eligible.test(own) && keyType.equals(own.key().getAlgorithm())) {
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
    throw new UnsupportedOperationException("listeners have no sockets");
  }

  @Override
  public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
    throw new UnsupportedOperationException("certificates are chosen by host");
  }

  @Override
  public @Nullable String chooseClientAlias(
      String[] keyType, Principal @Nullable [] issuers, Socket socket) {
    throw new UnsupportedOperationException("listeners are no clients");
  }

  @Override
  public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
    throw new UnsupportedOperationException("listeners are no clients");
  }
}
