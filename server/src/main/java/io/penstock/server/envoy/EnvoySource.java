package io.penstock.server.envoy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Where the limits for Envoy are configured. Immutable. */
public sealed interface EnvoySource {
  /** A file or a folder. */
  record ConfigFiles(Path path) implements EnvoySource {
    @Override
    public String toString() {
      return path.toString();
    }
  }

  /**
   * An xDS management server.
   *
   * @param tls empty for plaintext
   * @param nodeId identifies this process for the server
   * @param nodeMetadata describes this process for the server
   * @param headers are added to the call
   * @param maxMessageBytes the max size of a configuration
   */
  record XdsServer(
      String host,
      int port,
      Optional<XdsTls> tls,
      String nodeId,
      Map<String, String> nodeMetadata,
      Map<String, String> headers,
      int maxMessageBytes,
      XdsBackoff backoff)
      implements EnvoySource {
    public XdsServer {
      nodeMetadata = Map.copyOf(nodeMetadata);
      headers = Map.copyOf(headers);
    }

    @Override
    public String toString() {
      return (tls.isPresent() ? "grpcs://" : "grpc://") + host + ":" + port;
    }
  }

  /**
   * TLS of the connection to an xDS server, with files in PEM format. They are read for each
   * connection.
   *
   * @param ca the CAs that may sign the server's certificate; empty for those of the JVM
   * @param certificate the client certificate; empty for none
   * @param key the private key of the client certificate
   * @param serverName the name in the server's certificate; empty for its host
   */
  record XdsTls(
      Optional<Path> ca,
      Optional<Path> certificate,
      Optional<Path> key,
      Optional<String> serverName) {}

  /** How long to wait before connecting again: twice as long after each failure, up to a limit. */
  record XdsBackoff(Duration initial, Duration max) {
    /** Returns the wait after a number of failures in a row, without jitter. */
    long millis(int failures) {
      int doublings = Math.min(Math.max(0, failures - 1), 20);
      return Math.min(max.toMillis(), initial.toMillis() << doublings);
    }
  }
}
