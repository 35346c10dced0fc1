package io.penstock.server.proxy;

import io.penstock.policy.Rule;
import io.penstock.policy.Verdict;
import io.penstock.policy.address.ClientAddress;
import io.penstock.policy.address.Headers;
import io.penstock.policy.address.IpAddress;
import io.penstock.policy.http.HttpRequest;
import io.penstock.policy.http.HttpRequests;
import io.penstock.policy.http.RequestLine;
import io.penstock.policy.http.VerdictResponses;
import io.penstock.policy.path.PathSettings;
import io.penstock.server.RequestLimiter;
import io.penstock.server.http.DelayedRequests;
import io.penstock.server.http.ProblemResponses;
import io.penstock.server.http.RequestHeaders;
import io.penstock.server.http.ResponseHeaders;
import io.penstock.server.log.AccessLog;
import io.penstock.server.log.RepeatedWarning;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** The door in front of an origin. Thread-safe. */
public final class ProxyListener implements Handler<HttpServerRequest> {
  private static final RepeatedWarning UNDECIDED =
      new RepeatedWarning(LoggerFactory.getLogger(ProxyListener.class));

  private static final String REJECTED_PATH =
      "The path is rejected (path_rejected): it has an encoded slash, a backslash, a NUL, or a"
          + " segment that servers read in more than one way";

  private final Vertx vertx;
  private final RequestLimiter limiting;
  private final HttpRequests requests;
  private final VerdictResponses answers;
  private final OriginClient origin;
  private final DelayedRequests holding;
  private final ProxyExchanges exchanges;
  private final LongAdder givenBack = new LongAdder();
  private final Set<HttpConnection> closing = ConcurrentHashMap.newKeySet();

  /**
   * @param mostHeld how many requests may be held back at a time; those beyond are denied
   * @param log told of each request when it is over; null for no log
   */
  public ProxyListener(
      Vertx vertx,
      RequestLimiter limiting,
      VerdictResponses answers,
      Upstream upstream,
      int mostHeld,
      @Nullable AccessLog log) {
    this.vertx = vertx;
    this.limiting = limiting;
    this.requests = new HttpRequests(limiting.engine());
    this.answers = answers;
    this.origin = new OriginClient(vertx, upstream);
    this.holding = new DelayedRequests(vertx, mostHeld);
    this.exchanges = new ProxyExchanges(log);
  }

  /** How many requests are held back now. */
  public int held() {
    return holding.held();
  }

  /** How many requests are on their way through now, held ones and tunnels included. */
  public long underWay() {
    return exchanges.underWay();
  }

  /** How many requests got their tokens back because the origin could not be reached. */
  public long givenBack() {
    return givenBack.sum();
  }

  /** How many requests got 503 because no connection to the origin became free for them. */
  public long unavailableCount() {
    return origin.unavailableCount();
  }

  /** How many responses were reset because the client read too slowly. */
  public long slowClientCount() {
    return origin.slowClientCount();
  }

  /** How many connections were closed because the origin sent bytes that belong to no request. */
  public long surplusCount() {
    return origin.surplusCount();
  }

  @Override
  public void handle(HttpServerRequest request) {
    if (!closing.isEmpty() && closing.contains(request.connection())) {
      return;
    }
    if (request.method().equals(HttpMethod.CONNECT)) {
      refuse(request, 405, "Method Not Allowed", "This proxy makes no tunnels");
      return;
    }
    PathSettings paths = limiting.engine().paths();
    RequestTarget target = RequestTarget.of(request, paths);
    IpAddress peer = IpAddress.parse(String.valueOf(request.remoteAddress().hostAddress()));
    if (target == null && RequestTarget.hasRejectedPath(request, paths)) {
      answers.headers(Verdict.PATH_REJECTED, new ResponseHeaders(request.response()));
      refuse(request, 400, "Bad Request", REJECTED_PATH);
      return;
    }
    if (target == null || peer == null || request.headers().contains("")) {
      refuse(request, 400, "Bad Request", "The target is none of this proxy");
      return;
    }
    if (!isKnownCoding(request)) {
      refuse(request, 400, "Bad Request", "Transfer-Encoding must be chunked");
      return;
    }
    // Nothing of the body is read before somebody wants it.
    request.pause();
    Headers headers = new RequestHeaders(request.headers());
    RequestLine line = RequestLine.of(request.method().name(), target.uri(), target.host());
    HttpRequest asked = requests.from(peer, line, headers);
    Exchange exchange =
        new Exchange(
            vertx,
            request,
            target,
            new Exchange.Client(peer, String.valueOf(asked.address()), clients().trusts(peer)));
    exchanges.begin(exchange);
    limiting.decide(
        asked,
        new RequestLimiter.VerdictHandler() {
          @Override
          public void decided(Verdict verdict) {
            ProxyListener.this.decided(exchange, verdict);
          }

          @Override
          public void failed(Throwable failure) {
            UNDECIDED.warn("Cannot decide a request; it is answered 500", failure);
            exchange.refuse(500, "Internal Server Error", "The request could not be decided");
          }
        });
  }

  /** The origin gets the body in chunks, and must get it as the client coded it. */
  private static boolean isKnownCoding(HttpServerRequest request) {
    if (!request.headers().contains(HttpHeaders.TRANSFER_ENCODING)) {
      return true;
    }
    List<String> codings = request.headers().getAll(HttpHeaders.TRANSFER_ENCODING);
    return codings.size() == 1 && codings.get(0).equalsIgnoreCase("chunked");
  }

  private ClientAddress clients() {
    return limiting.engine().policy().clientAddress();
  }

  private void decided(Exchange exchange, Verdict verdict) {
    exchange.decided(verdict);
    if (!verdict.allowed()) {
      deny(exchange, verdict);
      return;
    }
    Duration delay = verdict.delay();
    if (delay.isZero() && exchange.request().version() == HttpVersion.HTTP_2) {
      // Whether there is a body is known after this.
      vertx.runOnContext(then -> forward(exchange, verdict));
    } else if (delay.isZero()) {
      forward(exchange, verdict);
    } else {
      hold(exchange, verdict, delay);
    }
  }

  private void hold(Exchange exchange, Verdict verdict, Duration delay) {
    boolean holds =
        holding.hold(
            exchange.request().response(),
            delay,
            () -> forward(exchange, verdict),
            // Nobody waits for what was reserved.
            () -> limiting.giveBack(verdict, rule -> true));
    if (!holds) {
      limiting.giveBack(verdict, rule -> true);
      exchange.refuse(503, "Service Unavailable", "Too many requests are held back already");
    }
  }

  private void forward(Exchange exchange, Verdict verdict) {
    origin.forward(
        exchange,
        response -> {
          if (answers.hasLevels(verdict)) {
            RateLimitHeaders.remove(response.headers());
          }
          answers.headers(verdict, new ResponseHeaders(response));
        },
        () -> unreached(verdict));
  }

  private void unreached(Verdict verdict) {
    if (verdict.outcomes().stream().anyMatch(outcome -> outcome.rule().refundOnUpstreamError())) {
      limiting.giveBack(verdict, Rule::refundOnUpstreamError);
      givenBack.increment();
    }
  }

  private void deny(Exchange exchange, Verdict verdict) {
    HttpServerRequest request = exchange.request();
    answers.headers(verdict, new ResponseHeaders(request.response()));
    request
        .response()
        .setStatusCode(answers.status(verdict))
        .putHeader("Content-Type", VerdictResponses.PROBLEM_TYPE);
    BodyDrain.discard(vertx, request, exchange.end(Buffer.buffer(answers.problem(verdict))));
  }

  /** Answers, closes, and listens to nothing that was sent behind it. */
  private void refuse(HttpServerRequest request, int status, String title, String detail) {
    if (request.version() == HttpVersion.HTTP_2) {
      // Other streams have nothing to do with it.
      BodyDrain.discard(vertx, request, end(request, status, title, detail));
      return;
    }
    HttpConnection connection = request.connection();
    closing.add(connection);
    connection.closeHandler(closed -> closing.remove(connection));
    request.response().putHeader("Connection", "close");
    end(request, status, title, detail).onComplete(sent -> connection.close());
  }

  private Future<Void> end(HttpServerRequest request, int status, String title, String detail) {
    return exchanges.endRefused(
        request, () -> ProblemResponses.end(request.response(), status, title, detail));
  }
}
