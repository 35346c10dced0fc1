package io.penstock.bench.http;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.PoolOptions;
import io.vertx.httpproxy.HttpProxy;
import io.vertx.httpproxy.ProxyContext;
import io.vertx.httpproxy.ProxyInterceptor;
import java.util.Arrays;
import java.util.List;

/**
 * The proxy of the Vert.x project, which adds headers to the responses of the origin. Runs in its
 * own process, with the arguments port, origin port and headers.
 */
final class VertxHttpProxy extends VerticleBase {
  private static final int MAX_CONNECTIONS = 256;

  private final int port;
  private final int originPort;
  private final List<String[]> headers;

  private VertxHttpProxy(int port, int originPort, List<String[]> headers) {
    this.port = port;
    this.originPort = originPort;
    this.headers = headers;
  }

  public static void main(String[] args) {
    int port = Integer.parseInt(args[0]);
    int originPort = Integer.parseInt(args[1]);
    List<String[]> headers =
        Arrays.stream(args).skip(2).map(header -> header.split(": ", 2)).toList();
    Vertx vertx =
        Vertx.vertx(new VertxOptions().setPreferNativeTransport(true).setEventLoopPoolSize(1));
    vertx
        .deployVerticle(
            () -> new VertxHttpProxy(port, originPort, headers),
            new DeploymentOptions().setInstances(1))
        .onFailure(
            failure -> {
              System.err.println("Cannot start vertx-http-proxy: " + failure.getMessage());
              System.exit(1);
            });
  }

  @Override
  public Future<?> start() {
    HttpClient client =
        vertx.createHttpClient(
            new HttpClientOptions(), new PoolOptions().setHttp1MaxSize(MAX_CONNECTIONS));
    HttpProxy proxy =
        HttpProxy.reverseProxy(client)
            .origin(originPort, "127.0.0.1")
            .addInterceptor(
                new ProxyInterceptor() {
                  @Override
                  public Future<Void> handleProxyResponse(ProxyContext context) {
                    for (String[] header : headers) {
                      context.response().headers().add(header[0], header[1]);
                    }
                    return context.sendResponse();
                  }
                });
    return vertx.createHttpServer().requestHandler(proxy).listen(port, "127.0.0.1");
  }
}
