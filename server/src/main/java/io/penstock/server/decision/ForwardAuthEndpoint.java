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
 * Answers proxies that ask before they pass a request on: 200, or 429 with all that the client is
 * to be told. Thread-safe.
 *
 * <p>What is asked about stands in {@code X-Original-*} or {@code X-Forwarded-*} headers. Without
 * them it is the request itself, whose path is then what follows {@link #PATH}.
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
          + " that was asked for, and must not have a fragment. If both headers are sent, or both"
          + " X-Original-Method and X-Forwarded-Method, they must be equal";
  private static final int OK = 200;
  private static final int BAD_REQUEST = 400;
  private static final int DENY_FROM = 400;
  private static final int DENY_TO = 599;

  private final RequestLimiter limiting;
  private final HttpRequests requests;
  private final VerdictResponses answers;
  private final DelayedRequests holding;

  ForwardAuthEndpoint(RequestLimiter limiting, VerdictResponses answers, DelayedRequests holding) {
    this.limiting = limiting;
    this.requests = new HttpRequests(limiting.engine());
    this.answers = answers;
    this.holding = holding;
  }

  @Override
  public void handle(HttpServerRequest asked) {
    int denyStatus = denyStatus(asked);
    if (denyStatus < 0) {
      ProblemResponses.end(
          asked.response(), 400, "Bad Request", "deny_status must be from 400 to 599");
      return;
    }
    RequestLine line = line(asked);
    if (line == null) {
      reject(asked.response(), denyStatus);
      return;
    }
    Headers headers = new RequestHeaders(asked.headers());
    limiting.decide(
        requests.behind(() -> peer(asked), line, headers),
        new RequestLimiter.VerdictHandler() {
          @Override
          public void decided(Verdict verdict) {
            answer(asked.response(), verdict, denyStatus);
          }

          @Override
          public void failed(Throwable failure) {
            UndecidedResponses.answer(asked.response(), failure);
          }
        });
  }

  private static IpAddress peer(HttpServerRequest asked) {
    String text = asked.remoteAddress().hostAddress();
    IpAddress peer = IpAddress.parse(text);
    if (peer == null) {
      throw new IllegalStateException("a peer without an address: " + text);
    }
    return peer;
  }

  /** What is asked about; null if its target has to be rejected. */
  private static @Nullable RequestLine line(HttpServerRequest asked) {
    MultiMap fields = asked.headers();
    if (contradict(fields, ORIGINAL_METHOD, FORWARDED_METHOD)
        || contradict(fields, ORIGINAL_URI, FORWARDED_URI)) {
      return null;
    }
    String method = either(fields, ORIGINAL_METHOD, FORWARDED_METHOD);
    String host = either(fields, ORIGINAL_HOST, FORWARDED_HOST);
    String uri = either(fields, ORIGINAL_URI, FORWARDED_URI);
    OriginalTarget target = OriginalTarget.of(uri == null ? behind(asked.uri()) : uri, host);
    if (target == null) {
      return null;
    }
    return RequestLine.of(
        method == null ? asked.method().name() : method,
        target.target(),
        target.host() == null ? fields.get(HttpHeaders.HOST) : target.host());
  }

  private void reject(HttpServerResponse response, int denyStatus) {
    answers.headers(Verdict.PATH_REJECTED, new ResponseHeaders(response));
    ProblemResponses.end(
        response, denyStatus == 0 ? BAD_REQUEST : denyStatus, "Bad Request", TARGET_REJECTED);
  }

  /**
   * Whether two headers that mean the same have different values. The proxy sets one of them, and
   * the other one may come from the client, which must not choose what rules see.
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

  /** What a proxy has put behind our own path. */
  private static String behind(String uri) {
    int end = uri.startsWith("/") ? PATH.length() : uri.indexOf(PATH) + PATH.length();
    return uri.length() > end && uri.charAt(end) == '/' ? uri.substring(end) : "/";
  }

  /**
   * The status for denials; 0 for the usual one, negative if what was asked for can't be. A query
   * behind a path of the client's is the client's too: it must not choose one, least of all a 5xx,
   * which proxies take for a failure of ours.
   */
  private static int denyStatus(HttpServerRequest asked) {
    boolean ours = asked.query() != null && PATH.equals(asked.path());
    if (!ours) {
      return 0;
    }
    MultiMap query = QueryStrings.of(asked);
    String text = query == null ? MALFORMED : query.get("deny_status");
    if (text == null) {
      return 0;
    }
    try {
      int status = Integer.parseInt(text);
      return status >= DENY_FROM && status <= DENY_TO ? status : -1;
    } catch (NumberFormatException notAStatus) {
      return -1;
    }
  }

  private void answer(HttpServerResponse response, Verdict verdict, int denyStatus) {
    if (!verdict.allowed()) {
      answers.headers(verdict, new ResponseHeaders(response));
      response
          .setStatusCode(denyStatus == 0 ? answers.status(verdict) : denyStatus)
          .putHeader("Content-Type", VerdictResponses.PROBLEM_TYPE)
          .end(Buffer.buffer(answers.problem(verdict)));
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
    boolean holds =
        holding.hold(
            response,
            delay,
            () -> allow(response, verdict),
            // Nobody waits for what was reserved.
            () -> limiting.giveBack(verdict, rule -> true));
    if (!holds) {
      limiting.giveBack(verdict, rule -> true);
      ProblemResponses.end(
          response, 503, "Service Unavailable", "Too many requests are held back already");
    }
  }

  private void allow(HttpServerResponse response, Verdict verdict) {
    if (!response.closed()) {
      answers.headers(verdict, new ResponseHeaders(response));
      response.setStatusCode(OK).end();
    }
  }
}
