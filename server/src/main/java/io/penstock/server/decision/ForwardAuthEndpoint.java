package io.penstock.server.decision;

import io.penstock.policy.HostName;
import io.penstock.policy.Request;
import io.penstock.policy.Verdict;
import io.penstock.policy.address.Headers;
import io.penstock.policy.address.IpAddress;
import io.penstock.policy.http.Gate;
import io.penstock.policy.http.HttpAnswer;
import io.penstock.policy.http.RequestLine;
import io.penstock.server.http.DelayedRequests;
import io.penstock.server.http.HeaderNames;
import io.penstock.server.http.PeerAddress;
import io.penstock.server.http.ProblemResponses;
import io.penstock.server.http.QueryStrings;
import io.penstock.server.http.RequestHeaders;
import io.penstock.server.http.ResponseHeaders;
import io.penstock.server.vertx.VertxInternals;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import org.jspecify.annotations.Nullable;

/**
 * Decides requests on behalf of a proxy: responds with 200, or with 429 and the headers and body
 * for the client. Thread-safe.
 *
 * <p>The {@code X-Original-*} or {@code X-Forwarded-*} headers describe the request. Without them,
 * the request itself is decided, and its path is the part after {@link #PATH}.
 */
final class ForwardAuthEndpoint implements Handler<HttpServerRequest> {
  static final String PATH = "/v1/forward-auth";

  private static final CharSequence ORIGINAL_METHOD = HeaderNames.of("x-original-method");
  private static final CharSequence ORIGINAL_HOST = HeaderNames.of("x-original-host");
  private static final CharSequence ORIGINAL_URI = HeaderNames.of("x-original-uri");
  private static final CharSequence FORWARDED_METHOD = HeaderNames.of("x-forwarded-method");
  private static final CharSequence FORWARDED_HOST = HeaderNames.of("x-forwarded-host");
  private static final CharSequence FORWARDED_URI = HeaderNames.of("x-forwarded-uri");

  private static final String MALFORMED = "";
  private static final String TARGET_REJECTED =
      "X-Original-URI or X-Forwarded-Uri must begin with a slash, or be an http URL of the host"
          + " that was requested, and must not contain a fragment";
  private static final String URIS_CONTRADICT =
      "The URI in X-Original-URI or X-Forwarded-Uri must equal the part of the path after " + PATH;
  private static final int OK = 200;
  private static final int BAD_REQUEST = 400;
  private static final int MIN_DENY_STATUS = 400;
  private static final int MAX_DENY_STATUS = 599;

  private final Gate gate;
  private final DelayedRequests delayed;

  ForwardAuthEndpoint(Gate gate, DelayedRequests delayed) {
    this.gate = gate;
    this.delayed = delayed;
  }

  @Override
  public void handle(HttpServerRequest httpRequest) {
    int denyStatus = denyStatus(httpRequest);
    if (denyStatus < 0) {
      ProblemResponses.end(
          httpRequest.response(), 400, "Bad Request", "deny_status must be from 400 to 599");
      return;
    }
    RequestLine line = line(httpRequest);
    if (line == null) {
      reject(httpRequest, denyStatus);
      return;
    }
    Headers headers = new RequestHeaders(httpRequest.headers());
    Request request = gate.requestBehind(() -> peer(httpRequest), line, headers);
    gate.decide(
        request,
        VertxInternals::eventLoop,
        new Gate.VerdictHandler() {
          @Override
          public void decided(Verdict verdict) {
            respond(httpRequest, request, verdict, denyStatus);
          }

          @Override
          public void undecided() {
            ProblemResponses.undecided(httpRequest.response());
          }
        });
  }

  private static IpAddress peer(HttpServerRequest httpRequest) {
    PeerAddress peer = PeerAddress.of(httpRequest);
    if (peer == null) {
      throw new IllegalStateException(
          "peer address is not an IP address: " + httpRequest.remoteAddress());
    }
    return peer.ip();
  }

  /** Returns the request to decide; null if its target has to be rejected. */
  private static @Nullable RequestLine line(HttpServerRequest httpRequest) {
    MultiMap fields = httpRequest.headers();
    String method = fields.get(ORIGINAL_METHOD);
    String forwardedMethod = fields.get(FORWARDED_METHOD);
    String uri = fields.get(ORIGINAL_URI);
    String forwardedUri = fields.get(FORWARDED_URI);
    String host = fields.get(ORIGINAL_HOST);
    String forwardedHost = fields.get(FORWARDED_HOST);
    if (contradict(method, forwardedMethod)
        || contradict(uri, forwardedUri)
        || hostsContradict(host, forwardedHost)) {
      return null;
    }
    method = either(method, forwardedMethod);
    uri = either(uri, forwardedUri);
    host = either(host, forwardedHost);
    String appended = behind(httpRequest.uri());
    if (contradict(uri, appended)) {
      return null;
    }
    String requested = uri == null ? appended : uri;
    method = method == null ? httpRequest.method().name() : method;
    OriginalTarget target = OriginalTarget.of(method, requested == null ? "/" : requested, host);
    if (target == null) {
      return null;
    }
    return RequestLine.of(
        method,
        target.target(),
        target.host() == null ? fields.get(HttpHeaders.HOST) : target.host());
  }

  private void reject(HttpServerRequest httpRequest, int denyStatus) {
    HttpServerResponse response = httpRequest.response();
    gate.responses().headers(Verdict.PATH_REJECTED, new ResponseHeaders(response));
    ProblemResponses.end(
        response,
        denyStatus == 0 ? BAD_REQUEST : denyStatus,
        "Bad Request",
        rejection(httpRequest.headers(), behind(httpRequest.uri())));
  }

  /** Returns why {@link #line} rejects a request. */
  private static String rejection(MultiMap fields, @Nullable String appended) {
    if (contradict(fields.get(ORIGINAL_METHOD), fields.get(FORWARDED_METHOD))) {
      return contradiction("X-Original-Method", "X-Forwarded-Method");
    }
    if (contradict(fields.get(ORIGINAL_URI), fields.get(FORWARDED_URI))) {
      return contradiction("X-Original-URI", "X-Forwarded-Uri");
    }
    if (hostsContradict(fields.get(ORIGINAL_HOST), fields.get(FORWARDED_HOST))) {
      return contradiction("X-Original-Host", "X-Forwarded-Host");
    }
    return contradict(either(fields.get(ORIGINAL_URI), fields.get(FORWARDED_URI)), appended)
        ? URIS_CONTRADICT
        : TARGET_REJECTED;
  }

  private static String contradiction(String first, String second) {
    return first + " and " + second + " must be equal if both are sent";
  }

  /**
   * Returns whether two headers with the same meaning have different values. The proxy sets one of
   * them; the other may come from the client, which must not choose what rules see.
   */
  private static boolean contradict(@Nullable String first, @Nullable String second) {
    return first != null && second != null && !second.equals(first);
  }

  /** Proxies may send the host with or without a port. */
  private static boolean hostsContradict(@Nullable String first, @Nullable String second) {
    return first != null
        && second != null
        && contradict(first, second)
        && !HostName.of(first).equals(HostName.of(second));
  }

  private static @Nullable String either(@Nullable String first, @Nullable String second) {
    return first == null ? second : first;
  }

  /** Returns the part of the path that the proxy appended to our own; null if there is none. */
  private static @Nullable String behind(String uri) {
    int end = uri.startsWith("/") ? PATH.length() : uri.indexOf(PATH) + PATH.length();
    return uri.length() > end && uri.charAt(end) == '/' ? uri.substring(end) : null;
  }

  /**
   * Returns the status for denials; 0 for the default, negative if the parameter is invalid. If the
   * proxy appends the client's path, the query comes from the client, too. A client must not choose
   * the status, least of all a 5xx, which proxies treat as a failure of Penstock.
   */
  private static int denyStatus(HttpServerRequest httpRequest) {
    boolean hasQuery = httpRequest.uri().indexOf('?') >= 0;
    if (!hasQuery || !PATH.equals(httpRequest.path())) {
      return 0;
    }
    MultiMap query = QueryStrings.of(httpRequest);
    String text = query == null ? MALFORMED : query.get("deny_status");
    if (text == null) {
      return 0;
    }
    try {
      int status = Integer.parseInt(text);
      return status >= MIN_DENY_STATUS && status <= MAX_DENY_STATUS ? status : -1;
    } catch (NumberFormatException notAStatus) {
      return -1;
    }
  }

  private void respond(
      HttpServerRequest httpRequest, Request request, Verdict verdict, int denyStatus) {
    HttpServerResponse response = httpRequest.response();
    if (!verdict.allowed()) {
      deny(httpRequest, verdict, denyStatus);
    } else if (verdict.delay().isZero()) {
      allow(response, verdict);
    } else {
      delayed.hold(
          response,
          request,
          verdict,
          () -> allow(response, verdict),
          denial -> deny(httpRequest, denial, denyStatus));
    }
  }

  /**
   * Responds to a denied request. If the proxy appends the client's path, it can't choose the
   * status for denials, and may treat every 5xx as a failure of Penstock, as Envoy does. Such a
   * response must not let a denied request pass, so the status is 429 instead of 503.
   */
  private void deny(HttpServerRequest httpRequest, Verdict verdict, int denyStatus) {
    HttpServerResponse response = httpRequest.response();
    boolean replaced =
        gate.responses().status(verdict) == HttpAnswer.UNAVAILABLE
            && !PATH.equals(httpRequest.path());
    HttpAnswer answer =
        gate.responses()
            .deny(
                verdict,
                replaced ? HttpAnswer.TOO_MANY_REQUESTS : denyStatus,
                new ResponseHeaders(response));
    response.setStatusCode(answer.status()).end(Buffer.buffer(answer.body()));
  }

  private void allow(HttpServerResponse response, Verdict verdict) {
    if (!response.closed()) {
      gate.responses().headers(verdict, new ResponseHeaders(response));
      response.setStatusCode(OK).end();
    }
  }
}
