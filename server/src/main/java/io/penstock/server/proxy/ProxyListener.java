package io.penstock.server.proxy;

import io.penstock.policy.Request;
import io.penstock.policy.Rule;
import io.penstock.policy.Verdict;
import io.penstock.policy.address.ClientAddress;
import io.penstock.policy.address.Headers;
import io.penstock.policy.address.IpAddress;
import io.penstock.policy.http.CallerAttributes;
import io.penstock.policy.http.Gate;
import io.penstock.policy.http.HttpAnswer;
import io.penstock.policy.http.HttpRequest;
import io.penstock.policy.http.RequestLine;
import io.penstock.policy.path.PathSettings;
import io.penstock.server.http.DelayedRequests;
import io.penstock.server.http.MalformedBodyException;
import io.penstock.server.http.PeerAddress;
import io.penstock.server.http.ProblemResponses;
import io.penstock.server.http.ResponseHeaders;
import io.penstock.server.http.UnhandledRequests;
import io.penstock.server.log.AccessLog;
import io.penstock.server.vertx.VertxInternals;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The proxy listener, in front of an origin. Thread-safe. */
public final class ProxyListener implements Handler<HttpServerRequest> {
  private static final String REJECTED_PATH =
      "The path is rejected (path_rejected): it has an encoded slash, a backslash, a control"
          + " character, or a segment that servers read in more than one way";

  private final Vertx vertx;
  private final Gate gate;
  private final OriginClient origin;
  private final boolean plainNamesOnly;
  private final DelayedRequests delayed;
  private final ProxyExchanges exchanges;
  private final LongAdder refunded = new LongAdder();
  private final Set<HttpConnection> closing = ConcurrentHashMap.newKeySet();

  /**
   * @param maxDelayed the max number of requests that are held back; further ones are denied
   * @param log receives each request when it is finished; null for no log
   */
  public ProxyListener(
      Vertx vertx, Gate gate, Upstream upstream, int maxDelayed, @Nullable AccessLog log) {
    this.vertx = vertx;
    this.gate = gate;
    this.origin = new OriginClient(vertx, upstream);
    this.plainNamesOnly = !upstream.passesUnderscores();
    this.delayed = new DelayedRequests(vertx, gate, maxDelayed);
    this.exchanges = new ProxyExchanges(log);
  }

  /** Returns what logs the requests that don't reach this handler. */
  public UnhandledRequests unhandled() {
    return exchanges;
  }

  /** Returns the number of requests that are held back. */
  public int held() {
    return delayed.held();
  }

  /** Returns the number of requests in flight, including delayed ones and tunnels. */
  public long inFlight() {
    return exchanges.inFlight();
  }

  /** Returns the number of requests that were refunded because the origin could not be reached. */
  public long refunded() {
    return refunded.sum();
  }

  /**
   * Returns the number of requests that got 503 because no connection to the origin became free.
   */
  public long unavailableCount() {
    return origin.unavailableCount();
  }

  /** Returns the number of exchanges that were ended because the client read or sent too slowly. */
  public long slowClientCount() {
    return origin.slowClientCount();
  }

  /**
   * Returns the number of connections that were closed because the origin sent bytes that belong to
   * no request.
   */
  public long surplusCount() {
    return origin.surplusCount();
  }

  @Override
  public void handle(HttpServerRequest request) {
    if (!closing.isEmpty() && closing.contains(request.connection())) {
      return;
    }
    exchanges.received(request);
    if (request.decoderResult().isFailure()) {
      reject(request, 400, "Bad Request", MalformedBodyException.DETAIL);
      return;
    }
    if (request.method().equals(HttpMethod.CONNECT)) {
      reject(request, 405, "Method Not Allowed", "This proxy does not support CONNECT");
      return;
    }
    PathSettings paths = gate.engine().paths();
    RequestTarget target = RequestTarget.of(request, paths);
    PeerAddress peer = PeerAddress.of(request);
    if (target == null && RequestTarget.hasRejectedPath(request, paths)) {
      gate.responses().headers(Verdict.PATH_REJECTED, new ResponseHeaders(request.response()));
      reject(request, 400, "Bad Request", REJECTED_PATH);
      return;
    }
    if (target == null || peer == null || request.headers().contains("")) {
      reject(request, 400, "Bad Request", "The request target or the host is invalid");
      return;
    }
    if (!hasSupportedCoding(request)) {
      reject(request, 400, "Bad Request", "Transfer-Encoding must be chunked");
      return;
    }
    // The body is not read before the request is decided.
    request.pause();
    Headers headers = new RuleHeaders(request, peer, clients(), plainNamesOnly);
    RequestLine line = RequestLine.of(request.method().name(), target.uri(), target.host());
    HttpRequest policyRequest = gate.request(peer.ip(), line, headers, CallerAttributes.NOTHING);
    Exchange exchange = new Exchange(vertx, request, target, client(peer, policyRequest.address()));
    exchanges.start(exchange);
    gate.decide(
        policyRequest,
        VertxInternals::eventLoop,
        new Gate.VerdictHandler() {
          @Override
          public void decided(Verdict verdict) {
            ProxyListener.this.decided(exchange, policyRequest, verdict);
          }

          @Override
          public void undecided() {
            exchange.respondWithError(
                500, "Internal Server Error", ProblemResponses.UNDECIDED_DETAIL);
          }
        });
  }

  /**
   * Returns whether the transfer coding is supported: the body is forwarded in chunks, as the
   * client encoded it.
   */
  private static boolean hasSupportedCoding(HttpServerRequest request) {
    if (!request.headers().contains(HttpHeaders.TRANSFER_ENCODING)) {
      return true;
    }
    List<String> codings = request.headers().getAll(HttpHeaders.TRANSFER_ENCODING);
    return codings.size() == 1 && codings.get(0).equalsIgnoreCase("chunked");
  }

  private Exchange.ExchangeClient client(PeerAddress peer, @Nullable IpAddress address) {
    ClientAddress clients = clients();
    String text = peer.ip().equals(address) ? peer.text() : String.valueOf(address);
    String subscriber =
        address == null || address.isV4() ? text : address.subscriber(clients.ipv6Prefix());
    return new Exchange.ExchangeClient(peer.text(), text, subscriber, clients.trusts(peer.ip()));
  }

  private ClientAddress clients() {
    return gate.engine().policy().clientAddress();
  }

  private void decided(Exchange exchange, Request policyRequest, Verdict verdict) {
    exchange.setVerdict(verdict);
    if (!verdict.allowed()) {
      deny(exchange, verdict);
    } else if (!verdict.delay().isZero()) {
      hold(exchange, policyRequest, verdict);
    } else if (exchange.request().version() == HttpVersion.HTTP_2) {
      // On HTTP/2, Vert.x knows only after this event whether there is a body.
      vertx.runOnContext(then -> forward(exchange, verdict));
    } else {
      forward(exchange, verdict);
    }
  }

  private void hold(Exchange exchange, Request policyRequest, Verdict verdict) {
    delayed.hold(
        exchange.request().response(),
        policyRequest,
        verdict,
        () -> forward(exchange, verdict),
        denial -> {
          exchange.setVerdict(denial);
          deny(exchange, denial);
        });
  }

  private void forward(Exchange exchange, Verdict verdict) {
    origin.forward(exchange, new AddedHeaders(gate.responses(), verdict), () -> unreached(verdict));
  }

  private void unreached(Verdict verdict) {
    if (verdict.outcomes().stream().anyMatch(outcome -> outcome.rule().refundOnUpstreamError())) {
      gate.refund(verdict, Rule::refundOnUpstreamError);
      refunded.increment();
    }
  }

  private void deny(Exchange exchange, Verdict verdict) {
    HttpServerRequest request = exchange.request();
    HttpAnswer answer = gate.responses().deny(verdict, new ResponseHeaders(request.response()));
    request.response().setStatusCode(answer.status());
    BodyDrain.discard(vertx, request, exchange.end(Buffer.buffer(answer.body())));
  }

  /** Responds with an error, closes the connection, and ignores further requests on it. */
  private void reject(HttpServerRequest request, int status, String title, String detail) {
    if (request.version() == HttpVersion.HTTP_2) {
      // Other streams of the connection are not affected.
      BodyDrain.discard(vertx, request, end(request, status, title, detail));
      return;
    }
    HttpConnection connection = request.connection();
    closing.add(connection);
    // Unlike a close handler, it is also called if the connection has been closed before.
    VertxInternals.ofClient(connection)
        .channel()
        .closeFuture()
        .addListener(closed -> closing.remove(connection));
    request.response().putHeader("Connection", "close");
    end(request, status, title, detail).onComplete(sent -> connection.close());
  }

  private Future<Void> end(HttpServerRequest request, int status, String title, String detail) {
    return exchanges.end(
        request, () -> ProblemResponses.end(request.response(), status, title, detail));
  }
}
