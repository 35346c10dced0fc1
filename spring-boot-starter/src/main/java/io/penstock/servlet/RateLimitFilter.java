package io.penstock.servlet;

import io.penstock.policy.Phase;
import io.penstock.policy.Request;
import io.penstock.policy.Verdict;
import io.penstock.policy.http.CallerAttributes;
import io.penstock.policy.http.Gate;
import io.penstock.policy.http.HttpAnswer;
import io.penstock.policy.http.VerdictResponses;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A servlet filter that passes on the requests that a policy allows, and responds to the others
 * with 429 or 503. Thread-safe. Works without Spring.
 *
 * <pre>{@code
 * var store = InProcessStore.create();
 * var engine = new PolicyEngine(store, PolicyLoader.load(file).policy());
 * var gate = new Gate(engine, new VerdictResponses(HeaderFormat.ALL, Jitter.DEFAULT));
 * context
 *     .addFilter("penstock", new RateLimitFilter(gate, Phase.WHOLE, List.of()))
 *     .addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC), false, "/*");
 * }</pre>
 *
 * <p>If the store doesn't decide immediately, the filter starts an asynchronous request and
 * dispatches it again when the decision arrives, so that no thread waits. Later filters then see
 * the request in a dispatch of type {@code ASYNC}: each of them must be mapped to that type too, or
 * it is skipped. Earlier filters have returned by then and must do their work again in that
 * dispatch, because the new dispatch has neither the state that they bound to the thread, such as a
 * user or a tenant, nor a response that they wrapped. If one of them doesn't support this, let
 * threads wait instead: with Redis, at most for the deadline of the store, and with {@code
 * on_limit: delay}, as long as a rule delays the request.
 */
public final class RateLimitFilter implements Filter {
  /**
   * Never reached: stores enforce their own deadline, and a policy delays for at most ten minutes.
   */
  private static final long MAX_HOLD_MILLIS = TimeUnit.HOURS.toMillis(1);

  private final Gate gate;
  private final Phase phase;
  private final List<AttributeResolver> resolvers;
  private final BooleanSupplier asynchronous;

  /**
   * Creates a filter that never blocks a thread if the container supports asynchronous requests.
   * All filters of the chain must support asynchronous dispatches.
   */
  public RateLimitFilter(Gate gate, Phase phase, List<AttributeResolver> resolvers) {
    this(gate, phase, resolvers, () -> true);
  }

  /**
   * @param phase the rules that the filter evaluates; several filters in a chain have different
   *     phases
   * @param resolvers additional attributes from the application; not used by an early filter
   * @param asynchronous whether requests may be dispatched again; otherwise threads wait
   */
  public RateLimitFilter(
      Gate gate, Phase phase, List<AttributeResolver> resolvers, BooleanSupplier asynchronous) {
    this.gate = gate;
    this.phase = phase;
    this.resolvers = List.copyOf(resolvers);
    this.asynchronous = asynchronous;
  }

  @Override
  public void doFilter(ServletRequest anyRequest, ServletResponse anyResponse, FilterChain chain)
      throws IOException, ServletException {
    if (!(anyRequest instanceof HttpServletRequest request)
        || !(anyResponse instanceof HttpServletResponse response)) {
      chain.doFilter(anyRequest, anyResponse);
      return;
    }
    boolean hasRules = gate.hasRules(phase);
    if (!hasRules && request.getDispatcherType() == DispatcherType.REQUEST) {
      // An initial request can't have been held either, because resuming takes a dispatch.
      chain.doFilter(request, response);
      return;
    }
    RequestProgress progress = RequestProgress.of(request);
    RequestProgress.HeldRequest held = progress.resume(phase);
    if (held != null) {
      resume(request, response, chain, progress, held);
    } else if (hasRules && progress.enter(phase)) {
      begin(request, response, chain, progress);
    } else {
      chain.doFilter(request, response);
    }
  }

  private void begin(
      HttpServletRequest request,
      HttpServletResponse response,
      FilterChain chain,
      RequestProgress progress)
      throws IOException, ServletException {
    CallerAttributes attributes =
        phase == Phase.EARLY ? CallerAttributes.NOTHING : new ServletAttributes(request, resolvers);
    Request evaluated = ServletRequests.of(request, attributes, gate);
    if (gate.decidesImmediately() || !canHold(request) || !PlainPath.isOf(request)) {
      Verdict verdict = gate.decide(evaluated, phase);
      if (Gate.delayMillis(verdict) == 0) {
        pass(request, response, chain, progress, verdict);
        return;
      }
      CompletableFuture<Verdict> delayed = Gate.afterDelay(verdict).toCompletableFuture();
      if (canHold(request)) {
        hold(request, response, progress, delayed);
      } else {
        pass(request, response, chain, progress, join(delayed));
      }
      return;
    }
    CompletableFuture<Verdict> decision =
        gate.decideAsync(evaluated, phase).thenCompose(Gate::afterDelay).toCompletableFuture();
    if (decision.isDone()) {
      pass(request, response, chain, progress, join(decision));
    } else {
      hold(request, response, progress, decision);
    }
  }

  private boolean canHold(HttpServletRequest request) {
    return request.isAsyncSupported() && asynchronous.getAsBoolean();
  }

  private static Verdict join(CompletableFuture<Verdict> decision) throws ServletException {
    try {
      return decision.join();
    } catch (CompletionException e) {
      throw new ServletException("cannot evaluate the policy", e.getCause());
    }
  }

  /** Releases the thread until the decision arrives. */
  private void hold(
      HttpServletRequest request,
      HttpServletResponse response,
      RequestProgress progress,
      CompletableFuture<Verdict> decision) {
    AsyncContext context = request.startAsync(request, response);
    progress.hold(phase, new RequestProgress.HeldRequest(decision, context.getTimeout()));
    context.setTimeout(MAX_HOLD_MILLIS);
    var unused = decision.whenComplete((verdict, failure) -> dispatch(context));
  }

  /** Resumes a held request, or completes it if the dispatch fails: nothing else would. */
  private static void dispatch(AsyncContext context) {
    try {
      context.dispatch();
    } catch (RuntimeException e) {
      // If the request has already ended, getResponse() throws, and nothing is left to do.
      if (context.getResponse() instanceof HttpServletResponse response) {
        // Tomcat maps the path again, and some paths are valid only the first time.
        response.setStatus(
            e instanceof IllegalStateException
                ? HttpServletResponse.SC_INTERNAL_SERVER_ERROR
                : HttpServletResponse.SC_BAD_REQUEST);
      }
      context.complete();
    }
  }

  private void resume(
      HttpServletRequest request,
      HttpServletResponse response,
      FilterChain chain,
      RequestProgress progress,
      RequestProgress.HeldRequest held)
      throws IOException, ServletException {
    FirstPass first = new FirstPass(request, held.timeoutMillis());
    try {
      pass(first, response, chain, progress, join(held.decision()));
    } finally {
      first.end();
    }
  }

  private void pass(
      HttpServletRequest request,
      HttpServletResponse response,
      FilterChain chain,
      RequestProgress progress,
      Verdict verdict)
      throws IOException, ServletException {
    Verdict all = gate.combine(progress.verdict().orElse(null), verdict);
    progress.set(all);
    if (all.allowed()) {
      gate.responses().headers(all, response::setHeader);
      chain.doFilter(request, response);
    } else {
      deny(response, all, gate.responses());
    }
  }

  /** Writes the complete response to a denied request. */
  public static void deny(HttpServletResponse response, Verdict verdict, VerdictResponses responses)
      throws IOException {
    HttpAnswer answer = responses.deny(verdict, response::setHeader);
    response.setStatus(answer.status());
    response.setContentLength(answer.body().length);
    response.getOutputStream().write(answer.body());
  }
}
