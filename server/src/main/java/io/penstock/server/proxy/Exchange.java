package io.penstock.server.proxy;

import io.penstock.policy.Verdict;
import io.penstock.server.http.MalformedBodyException;
import io.penstock.server.http.ProblemResponses;
import io.penstock.server.http.Streams;
import io.penstock.server.log.AccessEntry.AbortedBy;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A request in flight through the proxy, with its response. Confined to one event loop. */
final class Exchange {
  private static final int NONE = 0;

  private final Vertx vertx;
  private final HttpServerRequest request;
  private final RequestTarget target;
  private final ExchangeClient client;
  private @Nullable Verdict verdict;
  private @Nullable Runnable onEnd;
  private @Nullable LoggedResponse logged;
  private @Nullable String requestId;
  private AbortedBy abortedBy = AbortedBy.CLIENT;
  private int upstreamStatus = NONE;

  /**
   * The client of a request.
   *
   * @param peer the address of the connection
   * @param address the client address that limits use, behind trusted proxies
   * @param subscriber the address, or the network of an IPv6 address, that identifies the client
   * @param trusted whether the peer is a trusted proxy
   */
  record ExchangeClient(String peer, String address, String subscriber, boolean trusted) {}

  Exchange(Vertx vertx, HttpServerRequest request, RequestTarget target, ExchangeClient client) {
    this.vertx = vertx;
    this.request = request;
    this.target = target;
    this.client = client;
  }

  Vertx vertx() {
    return vertx;
  }

  HttpServerRequest request() {
    return request;
  }

  RequestTarget target() {
    return target;
  }

  ExchangeClient client() {
    return client;
  }

  /** Returns the verdict of the policy; null until it is decided. */
  @Nullable Verdict verdict() {
    return verdict;
  }

  void setVerdict(Verdict decided) {
    this.verdict = decided;
  }

  /** Returns the status of the origin's response; 0 if there is none. */
  int upstreamStatus() {
    return upstreamStatus;
  }

  void setUpstreamStatus(int status) {
    this.upstreamStatus = status;
  }

  /** Returns the id that the origin received; null if the request was not forwarded. */
  @Nullable String requestId() {
    return requestId;
  }

  /** Returns the side that aborted the response if it ends before it is complete. */
  AbortedBy abortedBy() {
    return abortedBy;
  }

  void abortedBy(AbortedBy by) {
    this.abortedBy = by;
  }

  /** Reports writes to the access log from now on. */
  void log(LoggedResponse to) {
    this.logged = to;
  }

  /** Writes the head of the response before its first part. */
  Future<Void> writeHead() {
    HttpServerResponse response = request.response();
    // Vert.x has no head without a length for HTTP/1.0, where the end of the connection ends it.
    return request.version() == HttpVersion.HTTP_1_0
        ? response.write(Buffer.buffer())
        : response.writeHead();
  }

  /** Writes a part of the response. */
  Future<Void> write(Buffer part) {
    Future<Void> written = request.response().write(part);
    if (logged != null) {
      logged.wrote(written, part.length());
    }
    return written;
  }

  /** Ends the response with its last part. */
  Future<Void> end(Buffer last) {
    HttpServerResponse response = request.response();
    return logged == null ? response.end(last) : logged.end(() -> response.end(last));
  }

  /** Ends the response. */
  Future<Void> end() {
    HttpServerResponse response = request.response();
    return logged == null ? response.end() : logged.end(response::end);
  }

  void onEnd(Runnable then) {
    this.onEnd = then;
  }

  /** Ends the exchange; only the first call has an effect. */
  void finish() {
    Runnable then = onEnd;
    onEnd = null;
    if (then != null) {
      then.run();
    }
  }

  /**
   * Returns whether the client requests a protocol upgrade of this connection. A request with a
   * body, or with a method that Vert.x does not support upgrades for, is forwarded without one.
   */
  boolean isUpgrade() {
    return isUpgrade(request);
  }

  /** Returns whether the client of {@code request} requests a protocol upgrade. */
  static boolean isUpgrade(HttpServerRequest request) {
    return request.headers().contains(HttpHeaders.UPGRADE)
        && request.version() == HttpVersion.HTTP_1_1
        && request.method().equals(HttpMethod.GET)
        && !announcesBody(request)
        && ListHeader.has(request.headers(), HttpHeaders.CONNECTION, "upgrade");
  }

  /** Returns whether the client waits for a 100 (Continue) before it sends its body. */
  boolean isExpecting() {
    return request.version() != HttpVersion.HTTP_1_0
        && ListHeader.has(request.headers(), HttpHeaders.EXPECT, "100-continue");
  }

  /**
   * Returns whether there is a body. Vert.x only knows after it has read the end, which it doesn't
   * do while the request is paused.
   */
  boolean hasBody() {
    if (request.version() == HttpVersion.HTTP_2) {
      return request.bytesRead() > 0 || Streams.isOpen(request);
    }
    return announcesBody(request);
  }

  /** Returns whether the headers of an HTTP/1 request announce a body. */
  static boolean announcesBody(HttpServerRequest request) {
    String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    return length == null
        ? request.headers().contains(HttpHeaders.TRANSFER_ENCODING)
        : !length.equals("0");
  }

  /** Copies the headers that the origin receives. */
  void writeHeaders(Upstream upstream, MultiMap to) {
    boolean trusted = client.trusted();
    boolean underscores = upstream.passesUnderscores();
    HopByHop.copyOthers(
        request.headers(), to, name -> ClientHeaders.isDropped(name, trusted, underscores));
    requestId = upstream.forwardingHeaders().set(request, target.host(), client, to);
  }

  /**
   * Responds in place of the origin. If the response has already started, it is aborted, so that
   * the client sees that it is incomplete.
   */
  void respondWithError(int status, String title, String detail) {
    respondWithError(status, title, detail, NONE);
  }

  /** Responds with 503 and a {@code Retry-After} header. */
  void unavailable(String detail, long retryAfterSeconds) {
    respondWithError(503, "Service Unavailable", detail, retryAfterSeconds);
  }

  /**
   * Responds to a request with a malformed body, or aborts the response if it has started. Has no
   * effect after another failure of the client's connection.
   */
  void respondIfMalformed(@Nullable Throwable failure) {
    if (!(failure instanceof MalformedBodyException)) {
      return;
    }
    if (request.response().headWritten()) {
      abort(AbortedBy.CLIENT);
    } else {
      respondWithError(400, "Bad Request", MalformedBodyException.DETAIL);
    }
  }

  /** Aborts a response that has started, so that the client sees that it is incomplete. */
  void abort(AbortedBy by) {
    HttpServerResponse response = request.response();
    if (!response.ended() && !response.closed()) {
      abortedBy = by;
      Streams.abort(request);
    }
  }

  private void respondWithError(int status, String title, String detail, long retryAfterSeconds) {
    HttpServerResponse response = request.response();
    if (response.ended() || response.closed()) {
      return;
    }
    if (response.headWritten()) {
      abort(AbortedBy.UPSTREAM);
      return;
    }
    response.headers().clear();
    if (retryAfterSeconds != NONE) {
      response.putHeader(HttpHeaders.RETRY_AFTER, Long.toString(retryAfterSeconds));
    }
    Supplier<Future<Void>> end = () -> ProblemResponses.end(response, status, title, detail);
    BodyDrain.discard(vertx, request, logged == null ? end.get() : logged.end(end));
  }
}
