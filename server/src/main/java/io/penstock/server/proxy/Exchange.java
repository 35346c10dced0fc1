package io.penstock.server.proxy;

import io.penstock.policy.Verdict;
import io.penstock.policy.address.IpAddress;
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

/** A request that is on its way through, and the response to it. Belongs to one event loop. */
final class Exchange {
  private static final int NONE = 0;

  private final Vertx vertx;
  private final HttpServerRequest request;
  private final RequestTarget target;
  private final Client client;
  private @Nullable Verdict verdict;
  private @Nullable Runnable atEnd;
  private @Nullable LoggedResponse logged;
  private @Nullable String requestId;
  private AbortedBy abortedBy = AbortedBy.CLIENT;
  private int upstreamStatus = NONE;

  /**
   * Who asks.
   *
   * @param peer who is connected
   * @param address the address that limits see, behind proxies that are trusted
   * @param trusted whether the peer is such a proxy
   */
  record Client(IpAddress peer, String address, boolean trusted) {}

  Exchange(Vertx vertx, HttpServerRequest request, RequestTarget target, Client client) {
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

  Client client() {
    return client;
  }

  /** What the policy says; null until it does. */
  @Nullable Verdict verdict() {
    return verdict;
  }

  void decided(Verdict decided) {
    this.verdict = decided;
  }

  /** What the origin answered; 0 unless it did. */
  int upstreamStatus() {
    return upstreamStatus;
  }

  void answered(int status) {
    this.upstreamStatus = status;
  }

  /** The id that the origin got; null if the request was not sent on. */
  @Nullable String requestId() {
    return requestId;
  }

  /** Who ends the response, if it ends before it is complete. */
  AbortedBy abortedBy() {
    return abortedBy;
  }

  void abortedBy(AbortedBy by) {
    this.abortedBy = by;
  }

  /** From now on, the access log gets what is written. */
  void log(LoggedResponse to) {
    this.logged = to;
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

  void whenOver(Runnable then) {
    this.atEnd = then;
  }

  /** Says that nothing more will come of it; the first time counts. */
  void over() {
    Runnable then = atEnd;
    atEnd = null;
    if (then != null) {
      then.run();
    }
  }

  /**
   * Whether the client wants to go on in another protocol on this connection. With a body, or a
   * method that Vert.x doesn't do that for, it is a request like others.
   */
  boolean isUpgrade() {
    return request.headers().contains(HttpHeaders.UPGRADE)
        && request.version() == HttpVersion.HTTP_1_1
        && request.method().equals(HttpMethod.GET)
        && !hasBody()
        && ListHeader.has(request.headers(), HttpHeaders.CONNECTION, "upgrade");
  }

  /** Whether the client waits to be told that its body is wanted. */
  boolean isExpecting() {
    return request.version() != HttpVersion.HTTP_1_0
        && ListHeader.has(request.headers(), HttpHeaders.EXPECT, "100-continue");
  }

  /**
   * Whether there is a body. Vert.x doesn't know before it has read the end, which it doesn't while
   * nobody wants to have it.
   */
  boolean hasBody() {
    if (request.version() == HttpVersion.HTTP_2) {
      return request.bytesRead() > 0 || Streams.isOpen(request);
    }
    String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    return length == null
        ? request.headers().contains(HttpHeaders.TRANSFER_ENCODING)
        : !length.equals("0");
  }

  /** The headers as the origin gets them. */
  void writeHeaders(Upstream upstream, MultiMap to) {
    boolean trusted = client.trusted();
    boolean underscores = upstream.passesUnderscores();
    HopByHop.copyOthers(
        request.headers(), to, name -> ClientHeaders.isDropped(name, trusted, underscores));
    requestId = upstream.forwardingHeaders().set(request, client, to);
  }

  /**
   * Answers in the origin's place, unless it has begun to; then the client sees the stream break.
   */
  void refuse(int status, String title, String detail) {
    refuse(status, title, detail, NONE);
  }

  /** Answers 503, and says when to come back. */
  void unavailable(String detail, long retryAfterSeconds) {
    refuse(503, "Service Unavailable", detail, retryAfterSeconds);
  }

  /** Ends a response that has begun, so that the client sees that it is not complete. */
  void breakOff(AbortedBy by) {
    HttpServerResponse response = request.response();
    if (!response.ended() && !response.closed()) {
      abortedBy = by;
      Streams.breakOff(response);
    }
  }

  private void refuse(int status, String title, String detail, long retryAfterSeconds) {
    HttpServerResponse response = request.response();
    if (response.ended() || response.closed()) {
      return;
    }
    if (response.headWritten()) {
      breakOff(AbortedBy.UPSTREAM);
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
