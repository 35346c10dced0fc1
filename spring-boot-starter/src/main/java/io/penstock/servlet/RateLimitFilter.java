package io.penstock.servlet;

import io.penstock.policy.Phase;
import io.penstock.policy.Request;
import io.penstock.policy.Verdict;
import io.penstock.policy.http.CallerAttributes;
import io.penstock.policy.http.VerdictResponses;
import io.penstock.web.Gate;
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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Lets pass what a policy allows, and answers the rest with 429 or 503. Thread-safe. Needs no
 * Spring.
 *
 * <pre>{@code
 * var store = InProcessStore.create();
 * var engine = new PolicyEngine(store, PolicyLoader.load(file).policy());
 * var gate = new Gate(engine, store, new VerdictResponses(HeaderForm.ALL, Jitter.DEFAULT));
 * context
 *     .addFilter("penstock", new RateLimitFilter(gate, Phase.WHOLE, List.of()))
 *     .addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC), false, "/*");
 * }</pre>
 *
 * <p>Where the store takes time, the request is made asynchronous and dispatched again when there
 * is an answer, so that no thread waits. Filters behind this one then see it in a dispatch of type
 * {@code ASYNC}: each has to be mapped to those too, or it would be passed by. Filters in front of
 * this one have ended by then, and have to do their work again in that dispatch: what they bound to
 * the thread is gone, such as a user or a tenant, and so is a response that they wrapped. Where one
 * of them doesn't, say that threads are to wait: with Redis, that takes the store's deadline at
 * most, and with {@code on_limit: delay} as long as a rule delays.
 */
public final class RateLimitFilter implements Filter {
  /** Stores answer in time by themselves, and a policy delays for ten minutes at most. */
  private static final long MAX_MILLIS = TimeUnit.HOURS.toMillis(1);

  private final Gate gate;
  private final Phase phase;
  private final List<AttributeResolver> resolvers;
  private final BooleanSupplier asynchronous;

  /**
   * A filter that never keeps a thread waiting where the container can do without; for chains whose
   * filters all take asynchronous dispatches.
   */
  public RateLimitFilter(Gate gate, Phase phase, List<AttributeResolver> resolvers) {
    this(gate, phase, resolvers, () -> true);
  }

  /**
   * @param phase which rules it asks; of several filters in a chain, each has a phase of its own
   * @param resolvers what the application knows besides; not asked by an early filter
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
  public void doFilter(ServletRequest any, ServletResponse anyResponse, FilterChain chain)
      throws IOException, ServletException {
    if (!(any instanceof HttpServletRequest request)
        || !(anyResponse instanceof HttpServletResponse response)) {
      chain.doFilter(any, anyResponse);
      return;
    }
    boolean asks = gate.asks(phase);
    if (!asks && request.getDispatcherType() == DispatcherType.REQUEST) {
      // Nor can it have been held back, which takes a dispatch.
      chain.doFilter(request, response);
      return;
    }
    RequestProgress passage = RequestProgress.of(request);
    RequestProgress.HeldRequest held = passage.resume(phase);
    if (held != null) {
      goOn(request, response, chain, passage, held);
    } else if (asks && passage.enter(phase)) {
      begin(request, response, chain, passage);
    } else {
      chain.doFilter(request, response);
    }
  }

  private void begin(
      HttpServletRequest request,
      HttpServletResponse response,
      FilterChain chain,
      RequestProgress passage)
      throws IOException, ServletException {
    CallerAttributes known =
        phase == Phase.EARLY ? CallerAttributes.NOTHING : new ServletAttributes(request, resolvers);
    Request asked = ServletRequests.of(request, known, gate);
    if (gate.isLocal() || !canHold(request) || !PlainPath.isOf(request)) {
      Verdict verdict = gate.decide(asked, phase);
      if (Gate.delayMillis(verdict) == 0) {
        pass(request, response, chain, passage, verdict);
        return;
      }
      CompletableFuture<Verdict> delayed = Gate.afterDelay(verdict).toCompletableFuture();
      if (canHold(request)) {
        hold(request, response, passage, delayed);
      } else {
        pass(request, response, chain, passage, waited(delayed));
      }
      return;
    }
    CompletableFuture<Verdict> answer =
        gate.decideAsync(asked, phase).thenCompose(Gate::afterDelay).toCompletableFuture();
    if (answer.isDone()) {
      pass(request, response, chain, passage, waited(answer));
    } else {
      hold(request, response, passage, answer);
    }
  }

  private boolean canHold(HttpServletRequest request) {
    return request.isAsyncSupported() && asynchronous.getAsBoolean();
  }

  private static Verdict waited(CompletableFuture<Verdict> answer) throws ServletException {
    try {
      return answer.join();
    } catch (CompletionException e) {
      throw new ServletException("no verdict", e.getCause());
    }
  }

  /** Lets go of the thread until there is an answer. */
  private void hold(
      HttpServletRequest request,
      HttpServletResponse response,
      RequestProgress passage,
      CompletableFuture<Verdict> answer) {
    AsyncContext context = request.startAsync(request, response);
    passage.hold(phase, new RequestProgress.HeldRequest(answer, context.getTimeout()));
    context.setTimeout(MAX_MILLIS);
    var unused = answer.whenComplete((verdict, failure) -> dispatch(context));
  }

  /** Goes on with a request, or ends it: nobody else would. */
  private static void dispatch(AsyncContext context) {
    try {
      context.dispatch();
    } catch (RuntimeException e) {
      // Of a request that is over there is no response either: that fails, and nothing is left.
      if (context.getResponse() instanceof HttpServletResponse response) {
        // Tomcat looks at the path again, and some pass the first time only.
        response.setStatus(
            e instanceof IllegalStateException
                ? HttpServletResponse.SC_INTERNAL_SERVER_ERROR
                : HttpServletResponse.SC_BAD_REQUEST);
      }
      context.complete();
    }
  }

  private void goOn(
      HttpServletRequest request,
      HttpServletResponse response,
      FilterChain chain,
      RequestProgress passage,
      RequestProgress.HeldRequest held)
      throws IOException, ServletException {
    FirstPass first = new FirstPass(request, held.timeoutMillis());
    try {
      pass(first, response, chain, passage, waited(held.answer()));
    } finally {
      first.end();
    }
  }

  private void pass(
      HttpServletRequest request,
      HttpServletResponse response,
      FilterChain chain,
      RequestProgress passage,
      Verdict verdict)
      throws IOException, ServletException {
    Optional<Verdict> earlier = passage.verdict();
    Verdict all = passage.add(verdict);
    if (all.allowed()) {
      gate.answers().headers(all, response::setHeader);
      chain.doFilter(request, response);
    } else {
      earlier.ifPresent(gate::giveBack);
      answer(response, all, gate.answers());
    }
  }

  /** Answers a denied request, as a whole. */
  public static void answer(HttpServletResponse response, Verdict verdict, VerdictResponses answers)
      throws IOException {
    byte[] body = answers.problem(verdict);
    answers.headers(verdict, response::setHeader);
    response.setStatus(answers.status(verdict));
    response.setContentType(VerdictResponses.PROBLEM_TYPE);
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }
}
