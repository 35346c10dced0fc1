package io.penstock.bench.http;

import io.penstock.bench.contest.FailedRunException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Scanner;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * A load generator for gRPC, in its own process: 64 callers that ask as fast as they are answered,
 * or calls at a rate that does not depend on the answers, whose latency counts from their scheduled
 * time. Confined to one event loop, except for its start.
 */
final class GrpcLoad {
  private static final int CONNECTIONS = 4;
  private static final int CALLERS = 64;
  private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long PATIENCE_MILLIS = 5_000;

  private final Histogram nanos = new Histogram(MAX_NANOS, 3);
  private final Vertx vertx =
      Vertx.vertx(new VertxOptions().setPreferNativeTransport(true).setEventLoopPoolSize(1));
  private final HttpClient client =
      vertx.createHttpClient(
          new HttpClientOptions()
              .setProtocolVersion(HttpVersion.HTTP_2)
              .setHttp2ClearTextUpgrade(false)
              .setHttp2MultiplexingLimit(-1),
          new PoolOptions().setHttp2MaxSize(CONNECTIONS).setEventLoopSize(1));
  private final RequestOptions target;
  private final Buffer request = GrpcMessages.request();
  private final double perSecond;
  private final long startNanos = System.nanoTime();
  private final long endNanos;
  private long sent;
  private long answered;
  private long lost;
  private long ended;

  /**
   * The results of a run.
   *
   * @param lost calls without an answer, with an error or with a denial
   */
  record GrpcFigures(
      long answers, long lost, double seconds, double p50, double p99, double p999, double max) {
    double perSecond() {
      return (double) answers / seconds;
    }
  }

  private GrpcLoad(int port, double perSecond, long seconds) {
    this.perSecond = perSecond;
    this.endNanos = startNanos + TimeUnit.SECONDS.toNanos(seconds);
    this.target =
        new RequestOptions()
            .setHost("127.0.0.1")
            .setPort(port)
            .setMethod(HttpMethod.POST)
            .setURI(GrpcMessages.METHOD)
            .putHeader("content-type", "application/grpc")
            .putHeader("te", "trailers");
  }

  /** Arguments: port, calls per second (0: as fast as possible), seconds. */
  public static void main(String[] args) {
    GrpcLoad load =
        new GrpcLoad(
            Integer.parseInt(args[0]), Double.parseDouble(args[1]), Long.parseLong(args[2]));
    load.start();
  }

  /** Runs the generator in a process of its own. */
  static GrpcFigures run(int port, double perSecond, long seconds)
      throws IOException, InterruptedException {
    List<String> command =
        ServerProcess.main(GrpcLoad.class, "" + port, "" + perSecond, "" + seconds);
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (Scanner figures =
        new Scanner(process.getInputStream(), StandardCharsets.US_ASCII).useLocale(Locale.ROOT)) {
      if (!figures.hasNextLong()) {
        throw new FailedRunException("the load generator failed: " + process.waitFor());
      }
      return new GrpcFigures(
          figures.nextLong(),
          figures.nextLong(),
          figures.nextDouble(),
          figures.nextDouble(),
          figures.nextDouble(),
          figures.nextDouble(),
          figures.nextDouble());
    } finally {
      process.destroy();
    }
  }

  private void start() {
    Context loop = vertx.getOrCreateContext();
    loop.runOnContext(
        unused -> {
          if (perSecond > 0) {
            sendDue(loop);
          } else {
            for (int i = 0; i < CALLERS; i++) {
              send(System.nanoTime(), true);
            }
          }
        });
  }

  /** Spins instead of waiting for a timer, which would be late by more than the latency. */
  private void sendDue(Context loop) {
    long now = System.nanoTime();
    double due = (double) (Math.min(now, endNanos) - startNanos) * perSecond / 1e9;
    while ((double) sent < due) {
      send(startNanos + Math.round((double) sent * 1e9 / perSecond), false);
    }
    if (now < endNanos) {
      loop.runOnContext(unused -> sendDue(loop));
    } else {
      vertx.setTimer(PATIENCE_MILLIS, unused -> finish());
    }
  }

  private void send(long dueNanos, boolean repeats) {
    sent++;
    client
        .request(target)
        .compose(call -> exchange(call))
        .onComplete(
            isAllowed -> {
              long now = System.nanoTime();
              if (isAllowed) {
                answered++;
                nanos.recordValue(Math.min(MAX_NANOS, now - dueNanos));
              } else {
                lost++;
              }
              ended++;
              next(now, repeats);
            },
            failure -> {
              lost++;
              ended++;
              next(System.nanoTime(), repeats);
            });
  }

  private Future<Boolean> exchange(HttpClientRequest call) {
    return call.send(request)
        .compose(
            response ->
                response.body().map(body -> isOk(response) && GrpcMessages.isAllowed(body)));
  }

  private static boolean isOk(HttpClientResponse response) {
    String status = response.getTrailer("grpc-status");
    return "0".equals(status == null ? response.getHeader("grpc-status") : status);
  }

  private void next(long now, boolean repeats) {
    if (repeats && now < endNanos) {
      send(now, true);
    } else if (ended == sent && now >= endNanos) {
      finish();
    }
  }

  private void finish() {
    double seconds = (double) (System.nanoTime() - startNanos) / 1e9;
    System.out.printf(
        Locale.ROOT,
        "%d %d %.6f %.1f %.1f %.1f %.1f%n",
        answered,
        lost + sent - ended,
        Math.min(seconds, (double) (endNanos - startNanos) / 1e9),
        micros(nanos.getValueAtPercentile(50)),
        micros(nanos.getValueAtPercentile(99)),
        micros(nanos.getValueAtPercentile(99.9)),
        micros(nanos.getMaxValue()));
    System.exit(0);
  }

  private static double micros(long nanoseconds) {
    return (double) nanoseconds / 1e3;
  }
}
