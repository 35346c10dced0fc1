package io.penstock.servlet;

import static jakarta.servlet.DispatcherType.ASYNC;
import static jakarta.servlet.DispatcherType.REQUEST;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.Phase;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.http.Gate;
import io.penstock.policy.http.HeaderFormat;
import io.penstock.policy.http.Jitter;
import io.penstock.policy.http.VerdictResponses;
import io.penstock.policy.load.PolicyLoader;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.lang.reflect.Proxy;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests requests that release their threads until a store has responded. */
class HeldRequestTest {
  @TempDir private Path folder;

  private static RateLimitFilter filter() {
    SlowStore store = new SlowStore();
    String rules = "rules:\n  - {name: all, limit_keys: [], rate: 1/h, burst: 9}\n";
    PolicyEngine engine =
        new PolicyEngine(store, PolicyLoader.parse(rules, "policy.yaml").policy());
    Gate gate = new Gate(engine, new VerdictResponses(HeaderFormat.ALL, Jitter.NONE));
    return new RateLimitFilter(gate, Phase.WHOLE, List.of());
  }

  private Container container(Filter... filters) {
    return started(new Container(folder, 2), filters);
  }

  private static Container started(Container container, Filter... filters) {
    for (Filter filter : filters) {
      container.with(filter, EnumSet.of(REQUEST, ASYNC));
    }
    return container.start();
  }

  private static HttpResponse<String> get(Container container, String path) {
    return container.getLater(path).orTimeout(20, TimeUnit.SECONDS).join();
  }

  @Test
  void get_pathThatIsNotNormalized_isServed() {
    try (Container container = container(filter())) {
      for (String path : List.of("/%2e/tea", "/a/%2E%2e/tea", "/a/.%2e/tea", "/a%20b;c=%2e")) {
        HttpResponse<String> response = get(container, path);
        assertThat(response.statusCode()).as(path).isEqualTo(200);
        assertThat(response.body()).as(path).isEqualTo("tea");
      }
    }
  }

  @Test
  void get_pathThatTomcatMapsOnlyOnce_isServed() {
    try (Container container = started(new Container(folder, 2, "/app"), filter())) {
      for (String path : List.of("/app/tea", "//app/tea", "/app/../app/tea", "/app/%2e/tea")) {
        HttpResponse<String> response = get(container, path);
        assertThat(response.statusCode()).as(path).isEqualTo(200);
        assertThat(response.body()).as(path).isEqualTo("tea");
      }
    }
  }

  @Test
  void get_dispatchFails_isCompleted() {
    Filter hidesThePath =
        (request, response, chain) ->
            chain.doFilter(new Elsewhere((HttpServletRequest) request), response);
    try (Container container = container(hidesThePath, filter())) {
      assertThat(get(container, "/tea").statusCode()).isEqualTo(400);
    }
  }

  @Test
  void get_applicationStartsAsync_hasTheTimeoutOfTheContainer() {
    AtomicLong lastMillis = new AtomicLong(7_000);
    Filter likeJetty =
        (request, response, chain) ->
            chain.doFilter(new OneTimeout((HttpServletRequest) request, lastMillis), response);
    List<Long> seenMillis = new CopyOnWriteArrayList<>();
    Filter application =
        (request, response, chain) -> {
          AsyncContext context = request.startAsync();
          seenMillis.add(context.getTimeout());
          context.complete();
        };
    try (Container container = container(likeJetty, filter(), application)) {
      assertThat(get(container, "/tea").statusCode()).isEqualTo(200);
    }
    assertThat(seenMillis).containsExactly(7_000L);
  }

  /** A request whose async context starts with the last timeout that was set, as in Jetty. */
  private static final class OneTimeout extends HttpServletRequestWrapper {
    private final AtomicLong lastMillis;

    OneTimeout(HttpServletRequest request, AtomicLong lastMillis) {
      super(request);
      this.lastMillis = lastMillis;
    }

    @Override
    public AsyncContext startAsync() {
      return remembering(super.startAsync());
    }

    @Override
    public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
      return remembering(super.startAsync(request, response));
    }

    private AsyncContext remembering(AsyncContext context) {
      context.setTimeout(lastMillis.get());
      return (AsyncContext)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {AsyncContext.class},
              (proxy, method, arguments) -> {
                if (method.getName().equals("setTimeout")) {
                  lastMillis.set((long) arguments[0]);
                }
                return method.invoke(context, arguments);
              });
    }
  }

  /** A request with a URI that no container can dispatch to. */
  private static final class Elsewhere extends HttpServletRequestWrapper {
    Elsewhere(HttpServletRequest request) {
      super(request);
    }

    @Override
    public String getRequestURI() {
      return "/tea/x%00";
    }
  }
}
