package io.penstock.server.envoy;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.penstock.policy.load.PolicyException;
import io.penstock.server.envoy.EnvoySource.XdsServer;
import io.penstock.server.envoy.EnvoySource.XdsTls;
import io.penstock.server.envoy.proto.core.Node;
import io.penstock.server.envoy.proto.discovery.DiscoveryRequest;
import io.penstock.server.envoy.proto.discovery.DiscoveryResponse;
import io.penstock.server.envoy.proto.rpc.Status;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.grpc.common.GrpcStatus;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives the configuration from an xDS server: the aggregated discovery service, state of the
 * world. A configuration that can't be used is rejected (NACK), and the one before stays active. If
 * the stream ends, the client connects again after a while, with jitter. Thread-safe.
 */
final class XdsClient implements AutoCloseable {
  static final String TYPE_URL =
      "type.googleapis.com/ratelimit.config.ratelimit.v3.RateLimitConfig";

  private static final Logger LOG = LoggerFactory.getLogger(XdsClient.class);
  private static final String METHOD =
      "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources";
  private static final int CONNECT_TIMEOUT_MILLIS = 5_000;

  /** Servers of gRPC accept a ping every five minutes by default. */
  private static final long PING_MILLIS = TimeUnit.MINUTES.toMillis(6);

  private static final long PING_TIMEOUT_SECONDS = 20;
  private static final int PING_BYTES = 8;
  private static final double MIN_JITTER = 0.5;

  private final Vertx vertx;
  private final XdsServer server;
  private final ConfigHandler handler;

  /** The event loop that the following fields are confined to. */
  private final Context context;

  private @Nullable XdsStream stream;
  private int failures;
  private boolean closed;

  /** Receives configurations on a worker thread, one at a time. */
  interface ConfigHandler {
    /**
     * Applies a configuration.
     *
     * @throws PolicyException if it can't be used
     */
    void received(DiscoveryResponse response);
  }

  XdsClient(Vertx vertx, XdsServer server, ConfigHandler handler) {
    this.vertx = vertx;
    this.server = server;
    this.handler = handler;
    this.context = vertx.getOrCreateContext();
  }

  /** Connects, and stays connected until the client is closed. */
  void start() {
    context.runOnContext(start -> connect());
  }

  private void connect() {
    if (closed) {
      return;
    }
    XdsStream next = new XdsStream();
    stream = next;
    try {
      next.open();
    } catch (RuntimeException unusable) {
      next.end(unusable);
    }
  }

  private void reconnect(String reason) {
    failures++;
    long wait = server.backoff().millis(failures);
    long jittered =
        Math.max(1, (long) (wait * ThreadLocalRandom.current().nextDouble(MIN_JITTER, 1)));
    LOG.warn(
        "No configuration for Envoy from {} ({}); connecting again in {} ms",
        server,
        reason,
        jittered);
    long unused = vertx.setTimer(jittered, retry -> connect());
  }

  @Override
  public void close() {
    context.runOnContext(
        close -> {
          closed = true;
          if (stream != null) {
            stream.release();
          }
        });
  }

  /** A stream, on a connection of its own. Confined to the event loop. */
  private final class XdsStream {
    private final GrpcFrames frames = new GrpcFrames(server.maxMessageBytes());
    private @Nullable HttpClient client;
    private @Nullable HttpClientRequest request;
    private @Nullable HttpClientResponse response;
    private String version = "";
    private long pings = -1;
    private boolean applying;
    private boolean ended;

    void open() {
      HttpClient opened = vertx.createHttpClient(options());
      client = opened;
      RequestOptions options =
          new RequestOptions()
              .setMethod(HttpMethod.POST)
              .setServer(SocketAddress.inetSocketAddress(server.port(), server.host()))
              .setHost(server.tls().flatMap(XdsTls::serverName).orElse(server.host()))
              .setPort(server.port())
              .setURI(METHOD)
              .putHeader("content-type", "application/grpc")
              .putHeader("te", "trailers");
      server.headers().forEach(options::putHeader);
      opened.request(options).onComplete(this::opened, this::end);
    }

    private HttpClientOptions options() {
      HttpClientOptions options =
          new HttpClientOptions()
              .setProtocolVersion(HttpVersion.HTTP_2)
              .setHttp2ClearTextUpgrade(false)
              .setConnectTimeout(CONNECT_TIMEOUT_MILLIS)
              .setTcpKeepAlive(true);
      server
          .tls()
          .ifPresent(
              tls -> {
                options.setSsl(true).setUseAlpn(true);
                tls.ca()
                    .ifPresent(
                        ca ->
                            options.setTrustOptions(
                                new PemTrustOptions().addCertPath(ca.toString())));
                if (tls.certificate().isPresent() && tls.key().isPresent()) {
                  options.setKeyCertOptions(
                      new PemKeyCertOptions()
                          .addCertPath(tls.certificate().get().toString())
                          .addKeyPath(tls.key().get().toString()));
                }
              });
      return options;
    }

    private void opened(HttpClientRequest opened) {
      if (ended) {
        return;
      }
      request = opened;
      opened.setChunked(true).exceptionHandler(this::end);
      opened.response().onComplete(this::responded, this::end);
      pings = vertx.setPeriodic(PING_MILLIS, tick -> ping(opened.connection()));
      Struct.Builder metadata = Struct.newBuilder();
      server
          .nodeMetadata()
          .forEach(
              (name, value) ->
                  metadata.putFields(name, Value.newBuilder().setStringValue(value).build()));
      // Without a version, so that the server sends its configuration again after a restart.
      send(
          DiscoveryRequest.newBuilder()
              .setNode(Node.newBuilder().setId(server.nodeId()).setMetadata(metadata)));
    }

    private void ping(HttpConnection connection) {
      connection
          .ping(Buffer.buffer(new byte[PING_BYTES]))
          .timeout(PING_TIMEOUT_SECONDS, TimeUnit.SECONDS)
          .onFailure(this::end);
    }

    private void responded(HttpClientResponse responded) {
      if (ended) {
        return;
      }
      response = responded;
      responded
          .exceptionHandler(this::end)
          .endHandler(end -> end(new XdsException(status(responded))))
          .handler(this::received);
      LOG.info("connected to {} for the configuration for Envoy", server);
    }

    private static String status(HttpClientResponse response) {
      String status = response.getTrailer("grpc-status");
      if (status == null) {
        status = response.getHeader("grpc-status");
      }
      String message = response.getTrailer("grpc-message");
      if (message == null) {
        message = response.getHeader("grpc-message");
      }
      return status == null
          ? "HTTP status " + response.statusCode()
          : "gRPC status " + status + (message == null ? "" : ", " + message);
    }

    private void received(Buffer chunk) {
      frames.add(chunk);
      next();
    }

    /** Applies the next response unless one is being applied. */
    private void next() {
      if (ended || applying || response == null) {
        return;
      }
      DiscoveryResponse received;
      try {
        byte[] message = frames.next();
        if (message == null) {
          response.resume();
          return;
        }
        received = DiscoveryResponse.parseFrom(message);
      } catch (InvalidProtocolBufferException malformed) {
        end(malformed);
        return;
      }
      applying = true;
      response.pause();
      context
          .executeBlocking(
              () -> {
                handler.received(received);
                return received;
              })
          .onComplete(applied -> applied(received, null), failure -> applied(received, failure));
    }

    private void applied(DiscoveryResponse received, @Nullable Throwable failure) {
      applying = false;
      if (ended) {
        return;
      }
      DiscoveryRequest.Builder answer =
          DiscoveryRequest.newBuilder().setResponseNonce(received.getNonce());
      if (failure == null) {
        failures = 0;
        version = received.getVersionInfo();
      } else {
        answer.setErrorDetail(
            Status.newBuilder()
                .setCode(GrpcStatus.INVALID_ARGUMENT.code)
                .setMessage(String.valueOf(failure.getMessage())));
      }
      send(answer);
      next();
    }

    private void send(DiscoveryRequest.Builder message) {
      if (request != null) {
        request
            .write(GrpcFrames.frame(message.setTypeUrl(TYPE_URL).setVersionInfo(version).build()))
            .onFailure(this::end);
      }
    }

    /** Ends the stream, and connects again later. */
    void end(Throwable reason) {
      if (!ended) {
        release();
        if (!closed) {
          reconnect(String.valueOf(reason.getMessage()));
        }
      }
    }

    void release() {
      ended = true;
      vertx.cancelTimer(pings);
      if (client != null) {
        var unused = client.close();
      }
    }
  }

  /** The end of a stream. */
  private static final class XdsException extends RuntimeException {
    private static final long serialVersionUID = 1;

    XdsException(String message) {
      super(message, null, false, false);
    }
  }
}
