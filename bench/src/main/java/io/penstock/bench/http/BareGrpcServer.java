package io.penstock.bench.http;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.server.GrpcServer;
import java.util.Base64;

/**
 * A server of vertx-grpc that reads each message and sends the same response, as the baseline
 * without Penstock. Runs in its own process, with the arguments port and response in Base64.
 */
final class BareGrpcServer extends VerticleBase {
  private final int port;
  private final Buffer response;

  private BareGrpcServer(int port, Buffer response) {
    this.port = port;
    this.response = response;
  }

  public static void main(String[] args) {
    int port = Integer.parseInt(args[0]);
    Buffer response = Buffer.buffer(Base64.getDecoder().decode(args[1]));
    Vertx vertx =
        Vertx.vertx(new VertxOptions().setPreferNativeTransport(true).setEventLoopPoolSize(1));
    vertx
        .deployVerticle(
            () -> new BareGrpcServer(port, response), new DeploymentOptions().setInstances(1))
        .onFailure(
            failure -> {
              System.err.println("Cannot start the bare server: " + failure.getMessage());
              System.exit(1);
            });
  }

  @Override
  public Future<?> start() {
    GrpcServer grpc = GrpcServer.server(vertx);
    grpc.callHandler(call -> call.last().onSuccess(message -> call.response().end(response)));
    return vertx.createHttpServer().requestHandler(grpc).listen(port, "127.0.0.1");
  }
}
