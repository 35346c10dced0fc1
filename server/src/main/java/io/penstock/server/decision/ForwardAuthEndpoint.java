package io.penstock.server.decision;

import io.penstock.policy.Verdict;
import io.penstock.policy.address.Headers;
import io.penstock.policy.address.IpAddress;
import io.penstock.policy.http.HttpRequests;
import io.penstock.policy.http.RequestLine;
import io.penstock.policy.http.VerdictResponses;
import io.penstock.server.RequestLimiter;
import io.penstock.server.http.DelayedRequests;
import io.penstock.server.http.HeaderNames;
import io.penstock.server.http.ProblemResponses;
import io.penstock.server.http.QueryStrings;
import io.penstock.server.http.RequestHeaders;
import io.penstock.server.http.ResponseHeaders;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
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
          + " that was requested, and must not contain a fragment. If both headers are sent, or both"
          + " X-Original-Method and X-Forwarded-Method, they must be equal";
  private static final int OK = 200;
  private static final int BAD_REQUEST = 400;
  private static final int MIN_DENY_STATUS = 400;
  private static final int MAX_DENY_STATUS = 599;

  private final RequestLimiter limiter;
  private final HttpRequests requests;
  private final VerdictResponses responses;
  private final DelayedRequests delayed;

  ForwardAuthEndpoint(RequestLimiter limiter, VerdictResponses responses, DelayedRequests delayed) {
    this.limiter = limiter;
    this.requests = new HttpRequests(limiter.engine());
    this.responses = responses;
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
      reject(httpRequest.response(), denyStatus);
      return;
    }
    Headers headers = new RequestHeaders(httpRequest.headers());
    limiter.decide(
        requests.behind(() -> peer(httpRequest), line, headers),
        new RequestLimiter.VerdictHandler() {
          @Override
          public void decided(Verdict verdict) {
            respond(httpRequest.response(), verdict, denyStatus);
          }

          @Override
          public void failed(Throwable failure) {
            UndecidedResponses.respond(httpRequest.response(), failure);
          }
        });
  }

  private static IpAddress peer(HttpServerRequest httpRequest) {
    String text = httpRequest.remoteAddress().hostAddress();
    IpAddress peer = IpAddress.parse(text);
    if (peer == null) {
      throw new IllegalStateException("peer address is not an IP address: " + text);
    }
    return peer;
  }

  /** Returns the request to decide; null if its target has to be rejected. */
  private static @Nullable RequestLine line(HttpServerRequest httpRequest) {
    MultiMap fields = httpRequest.headers();
    if (contradict(fields, ORIGINAL_METHOD, FORWARDED_METHOD)
        || contradict(fields, ORIGINAL_URI, FORWARDED_URI)) {
      return null;
    }
    String method = either(fields, ORIGINAL_METHOD, FORWARDED_METHOD);
    String host = either(fields, ORIGINAL_HOST, FORWARDED_HOST);
    String uri = either(fields, ORIGINAL_URI, FORWARDED_URI);
    OriginalTarget target = OriginalTarget.of(uri == null ? behind(httpRequest.uri()) : uri, host);
    if (target == null) {
      return null;
    }
    return RequestLine.of(
        method == null ? httpRequest.method().name() : method,
        target.target(),
        target.host() == null ? fields.get(HttpHeaders.HOST) : target.host());
  }

  private void reject(HttpServerResponse response, int denyStatus) {
    responses.headers(Verdict.PATH_REJECTED, new ResponseHeaders(response));
    ProblemResponses.end(
        response, denyStatus == 0 ? BAD_REQUEST : denyStatus, "Bad Request", TARGET_REJECTED);
  }

  /**
   * Returns whether two headers with the same meaning have different values. The proxy sets one of
   * them; the other may come from the client, which must not choose what rules see.
   */
  private static boolean contradict(MultiMap fields, CharSequence first, CharSequence second) {
    String value = fields.get(first);
    String other = value == null ? null : fields.get(second);
    return other != null && !other.equals(value);
  }

  private static @Nullable String either(MultiMap fields, CharSequence first, CharSequence second) {
    String value = fields.get(first);
    return value == null ? fields.get(second) : value;
  }

  /** Returns the part of the path that the proxy appended to our own. */
  private static String behind(String uri) {
    int end = uri.startsWith("/") ? PATH.length() : uri.indexOf(PATH) + PATH.length();
    return uri.length() > end && uri.charAt(end) == '/' ? uri.substring(end) : "/";
  }

  /**
   * Returns the status for denials; 0 for the default, negative if the parameter is invalid. If the
   * proxy appends the client's path, the query comes from the client, too. A client must not choose
   * the status, least of all a 5xx, which proxies treat as a failure of Penstock.
   */
  private static int denyStatus(HttpServerRequest httpRequest) {
    boolean fromProxy = httpRequest.query() != null && PATH.equals(httpRequest.path());
    if (!fromProxy) {
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

  private void respond(HttpServerResponse response, Verdict verdict, int denyStatus) {
    if (!verdict.allowed()) {
      responses.headers(verdict, new ResponseHeaders(response));
      response
          .setStatusCode(denyStatus == 0 ? responses.status(verdict) : denyStatus)
          .putHeader("Content-Type", VerdictResponses.PROBLEM_TYPE)
          .end(Buffer.buffer(responses.problem(verdict)));
      return;
    }
    Duration delay = verdict.delay();
    if (delay.isZero()) {
      allow(response, verdict);
    } else {
      hold(response, verdict, delay);
    }
  }

  private void hold(HttpServerResponse response, Verdict verdict, Duration delay) {
    boolean held =
        delayed.hold(
            response,
            delay,
            () -> allow(response, verdict),
            // The client has disconnected.
            () -> limiter.refund(verdict, rule -> true));
    if (!held) {
      limiter.refund(verdict, rule -> true);
      ProblemResponses.end(
          response, 503, "Service Unavailable", "Too many requests are being held back");
    }
  }

  private void allow(HttpServerResponse response, Verdict verdict) {
    if (!response.closed()) {
      responses.headers(verdict, new ResponseHeaders(response));
      response.setStatusCode(OK).end();
    }
  }
}
