package io.penstock.bench.http;

import io.penstock.bench.contest.FailedRunException;
import io.penstock.bench.http.BenchRequest.BenchResponse;
import io.penstock.bench.report.Findings;
import io.penstock.bench.report.RunLog;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Measures the throughput of proxies, with allowed and with denied requests. */
public final class ProxyPart {
  private static final String NOTES =
      """
      Each proxy has one worker and a pool of connections to the same origin; wrk uses one thread and 32
      connections. wrk, the proxy and the origin share the cores. The origin is nginx and sends 43 bytes
      from memory. nginx evaluates limit_req, HAProxy counts requests in a stick table, and both send the
      origin the same headers as Penstock; vertx-http-proxy does neither. All add the headers that Penstock
      sent once to responses. Denied requests get the same headers and body, and never reach the origin; nginx
      and HAProxy send the body from memory, and nginx also sends Server, Date and Connection, which it cannot
      omit. CPU time is that of all threads of the proxy, with garbage collection and JIT compilation.
      """;

  private static final String PENSTOCK = "Penstock";
  private static final String VERTX = "vertx-http-proxy";
  private static final String HAPROXY = "HAProxy stick table";
  private static final String NGINX = "nginx limit_req + proxy_pass";

  private ProxyPart() {}

  public static Findings measure(boolean quick, RunLog log)
      throws IOException, InterruptedException {
    try (HttpContest contest = new HttpContest(quick, log)) {
      enter(contest);
      contest.expect(1, 0);
      contest.run();
      return new Findings(
          List.of(contest.table()),
          NOTES,
          Stream.of(
                  contest.ratio("http.proxy.nginx", BenchRequest.PROXIED, PENSTOCK, NGINX),
                  contest.ratio(
                      "http.proxy.vertx-http-proxy", BenchRequest.PROXIED, PENSTOCK, VERTX),
                  contest.ratio("http.proxy.haproxy", BenchRequest.PROXIED, PENSTOCK, HAPROXY),
                  contest.ratio("http.proxy-denied.nginx", BenchRequest.DENIED, PENSTOCK, NGINX),
                  contest.ratio(
                      "http.proxy-denied.haproxy", BenchRequest.DENIED, PENSTOCK, HAPROXY))
              .flatMap(Optional::stream)
              .toList(),
          List.of(contest.plot("proxy", "One worker in front of an origin")));
    }
  }

  private static void enter(HttpContest contest) throws IOException, InterruptedException {
    ServerProcess origin = contest.own(ServerProcess.origin());
    ServerProcess penstock = contest.own(ServerProcess.proxy(origin, HttpPolicy.GENEROUS));
    BenchResponse reply = BenchRequest.PROXIED.send(penstock.port());
    BenchResponse additions = reply.without(BenchRequest.PROXIED.send(origin.port()));
    contest.enter(PENSTOCK, BenchRequest.PROXIED, penstock);
    contest.enter(
        VERTX, BenchRequest.PROXIED, contest.own(ServerProcess.vertxHttpProxy(origin, additions)));
    if (Nginx.isInstalled()) {
      ServerProcess nginx = contest.own(ServerProcess.nginx(Nginx.proxy(origin.port(), additions)));
      checkSame(reply, BenchRequest.PROXIED.send(nginx.port()));
      contest.enter(NGINX, BenchRequest.PROXIED, nginx);
    }
    if (HaProxy.isInstalled()) {
      ServerProcess haProxy =
          contest.own(ServerProcess.haProxy(HaProxy.proxy(origin.port(), additions)));
      checkSame(reply, BenchRequest.PROXIED.send(haProxy.port()));
      contest.enter(HAPROXY, BenchRequest.PROXIED, haProxy);
    }
    ServerProcess denying = contest.own(ServerProcess.proxy(origin, HttpPolicy.USED_UP));
    BenchResponse denial = denial(denying);
    contest.enter(PENSTOCK, BenchRequest.DENIED, denying);
    if (Nginx.isInstalled()) {
      ServerProcess nginx = contest.own(ServerProcess.nginx(Nginx.denying(origin.port(), denial)));
      checkSame(denial, denial(nginx));
      contest.enter(NGINX, BenchRequest.DENIED, nginx);
    }
    if (HaProxy.isInstalled()) {
      ServerProcess haProxy =
          contest.own(ServerProcess.haProxy(HaProxy.denying(origin.port(), denial)));
      checkSame(denial, denial(haProxy));
      contest.enter(HAPROXY, BenchRequest.DENIED, haProxy);
    }
  }

  /** Returns the second response; the first request is still allowed. */
  private static BenchResponse denial(ServerProcess proxy)
      throws IOException, InterruptedException {
    BenchResponse unused = BenchRequest.DENIED.send(proxy.port());
    return BenchRequest.DENIED.send(proxy.port());
  }

  /** Checks that another proxy sends no less than Penstock. */
  private static void checkSame(BenchResponse ours, BenchResponse theirs) {
    if (ours.status() != theirs.status()
        || !ours.body().equals(theirs.body())
        || !theirs.names().containsAll(ours.names())) {
      throw new FailedRunException("responses differ: %s and %s".formatted(ours, theirs));
    }
  }
}
