package io.penstock.server.tls;

import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * A handshake in memory. It shows whether any client can connect, given the type of a key, the
 * cipher suites and the algorithms that the JVM disables.
 */
final class TrialHandshake {
  private static final int BUFFER_BYTES = 1 << 17;
  private static final int MAX_STEPS = 200;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private TrialHandshake() {}

  /** Returns whether a client that supports everything can connect. */
  static boolean succeeds(Identity identity, String protocol, List<String> suites) {
    try {
      SSLEngine server = context(new SniKeyManager(List.of(identity))).createSSLEngine();
      SSLEngine client = context(null).createSSLEngine("localhost", 443);
      for (SSLEngine engine : List.of(server, client)) {
        engine.setEnabledProtocols(new String[] {protocol});
        engine.setEnabledCipherSuites(suites.toArray(new String[0]));
      }
      server.setUseClientMode(false);
      client.setUseClientMode(true);
      return connect(client, server);
    } catch (SSLException e) {
      return false;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("cannot create a TLS context", e);
    }
  }

  private static SSLContext context(@Nullable KeyManager keys) throws GeneralSecurityException {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(
        keys == null ? new KeyManager[0] : new KeyManager[] {keys},
        new TrustManager[] {new TrustEverything()},
        null);
    return context;
  }

  private static boolean connect(SSLEngine client, SSLEngine server) throws SSLException {
    ByteBuffer toServer = ByteBuffer.allocate(BUFFER_BYTES);
    ByteBuffer toClient = ByteBuffer.allocate(BUFFER_BYTES);
    client.beginHandshake();
    server.beginHandshake();
    for (int i = 0; i < MAX_STEPS; i++) {
      if (advance(client, toClient, toServer)) {
        return true;
      }
      advance(server, toServer, toClient);
    }
    return false;
  }

  /** Takes the next step of one side, and returns whether it has finished. */
  private static boolean advance(SSLEngine engine, ByteBuffer in, ByteBuffer out)
      throws SSLException {
    switch (engine.getHandshakeStatus()) {
      case NEED_TASK -> {
        for (Runnable task; (task = engine.getDelegatedTask()) != null; ) {
          task.run();
        }
        return false;
      }
      case NEED_WRAP -> {
        return engine.wrap(NOTHING, out).getHandshakeStatus() == HandshakeStatus.FINISHED;
      }
      default -> {
        in.flip();
        HandshakeStatus status =
            engine.unwrap(in, ByteBuffer.allocate(BUFFER_BYTES)).getHandshakeStatus();
        in.compact();
        return status == HandshakeStatus.FINISHED;
      }
    }
  }

  /** Certificates are not at issue here: they may be expired or signed by an unknown CA. */
  private static final class TrustEverything extends X509ExtendedTrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
