package io.penstock.bench.http;

import io.penstock.bench.contest.FailedRunException;
import io.penstock.bench.http.Question.Reply;
import io.penstock.bench.report.Findings;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What it costs to stand in front of an origin, and to answer in its place. */
public final class ProxyPart {
  private static final String NOTES =
      """
      Each proxy has one worker and a pool of connections to the same origin; wrk asks with one thread
      over 32 connections. All three, and the proxy itself, share the cores. nginx looks at limit_req;
      vertx-http-proxy limits nothing. Both add the headers that Penstock sent once. What is denied
      is answered with the same headers and body, and never reaches the origin.
      """;

  private static final String PENSTOCK = "Penstock";
  private static final String VERTX = "vertx-http-proxy";
  private static final String NGINX = "nginx limit_req + proxy_pass";

  private ProxyPart() {}

  public static Findings measure(boolean quick) throws IOException, InterruptedException {
    try (Contest contest = new Contest(quick)) {
      enter(contest);
      contest.expect(1, 0);
      contest.run();
      return new Findings(
          List.of(contest.table()),
          NOTES,
          Stream.of(
                  contest.ratio("http.proxy.nginx", Question.PROXIED, PENSTOCK, NGINX),
                  contest.ratio("http.proxy.vertx-http-proxy", Question.PROXIED, PENSTOCK, VERTX),
                  contest.ratio("http.proxy-denied.nginx", Question.DENIED, PENSTOCK, NGINX))
              .flatMap(Optional::stream)
              .toList(),
          List.of(contest.plot("proxy", "One worker in front of an origin")));
    }
  }

  private static void enter(Contest contest) throws IOException, InterruptedException {
    ServerProcess origin = contest.own(ServerProcess.origin());
    ServerProcess penstock = contest.own(ServerProcess.proxy(origin, Terms.GENEROUS));
    Reply reply = Question.PROXIED.ask(penstock.port());
    Reply additions = reply.without(Question.PROXIED.ask(origin.port()));
    contest.enter(PENSTOCK, Question.PROXIED, penstock);
    contest.enter(
        VERTX, Question.PROXIED, contest.own(ServerProcess.vertxHttpProxy(origin, additions)));
    if (Nginx.isInstalled()) {
      contest.enter(
          NGINX,
          Question.PROXIED,
          contest.own(ServerProcess.nginx(Nginx.proxy(origin.port(), additions))));
    }
    ServerProcess denying = contest.own(ServerProcess.proxy(origin, Terms.USED_UP));
    Reply denial = denial(denying);
    contest.enter(PENSTOCK, Question.DENIED, denying);
    if (Nginx.isInstalled()) {
      ServerProcess nginx = contest.own(ServerProcess.nginx(Nginx.denying(origin.port(), denial)));
      checkSame(denial, denial(nginx));
      contest.enter(NGINX, Question.DENIED, nginx);
    }
  }

  /** The second answer; the first is still allowed. */
  private static Reply denial(ServerProcess proxy) throws IOException, InterruptedException {
    Reply unused = Question.DENIED.ask(proxy.port());
    return Question.DENIED.ask(proxy.port());
  }

  private static void checkSame(Reply ours, Reply theirs) {
    if (ours.status() != theirs.status() || !ours.body().equals(theirs.body())) {
      throw new FailedRunException("denials differ: %s and %s".formatted(ours, theirs));
    }
  }
}
