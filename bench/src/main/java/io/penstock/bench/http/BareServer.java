package io.penstock.bench.http;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.Arrays;
import java.util.List;

/**
 * A Vert.x server that sends the same response to every request, as the baseline without Penstock.
 * Runs in its own process, with the arguments port, body and headers.
 */
final class BareServer extends VerticleBase {
  private final int port;
  private final Buffer body;
  private final List<CharSequence[]> headers;

  private BareServer(int port, String body, List<CharSequence[]> headers) {
    this.port = port;
    this.body = Buffer.buffer(body);
    this.headers = headers;
  }

  public static void main(String[] args) {
    int port = Integer.parseInt(args[0]);
    List<CharSequence[]> headers = Arrays.stream(args).skip(2).map(BareServer::encode).toList();
    Vertx vertx =
        Vertx.vertx(new VertxOptions().setPreferNativeTransport(true).setEventLoopPoolSize(1));
    vertx
        .deployVerticle(
            () -> new BareServer(port, args[1], headers), new DeploymentOptions().setInstances(1))
        .onFailure(
            failure -> {
              System.err.println("Cannot start the bare server: " + failure.getMessage());
              System.exit(1);
            });
  }

  /** Encodes a name and its value once, as Penstock does. */
  private static CharSequence[] encode(String header) {
    return Arrays.stream(header.split(": ", 2))
        .map(HttpHeaders::createOptimized)
        .toArray(CharSequence[]::new);
  }

  @Override
  public Future<?> start() {
    return vertx.createHttpServer().requestHandler(this::respond).listen(port, "127.0.0.1");
  }

  private void respond(HttpServerRequest request) {
    if (body.length() == 0) {
      end(request.response());
    } else {
      request.body().onSuccess(read -> end(request.response()));
    }
  }

  private void end(HttpServerResponse response) {
    for (CharSequence[] header : headers) {
      response.headers().add(header[0], header[1]);
    }
    if (body.length() == 0) {
      response.end();
    } else {
      response.end(body);
    }
  }
}
