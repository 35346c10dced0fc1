package io.penstock.spring;

import io.penstock.policy.Request;
import io.penstock.policy.Verdict;
import io.penstock.policy.http.Gate;
import io.penstock.servlet.AttributeResolver;
import io.penstock.servlet.RateLimitFilter;
import io.penstock.servlet.RequestProgress;
import io.penstock.servlet.ServletRequests;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/** The request of an MVC thread. Also writes the response to a denied method call. Thread-safe. */
final class ServletHandledRequest implements HandledRequest, HandlerExceptionResolver, Ordered {
  private final Gate gate;
  private final List<AttributeResolver> resolvers;

  ServletHandledRequest(Gate gate, List<AttributeResolver> resolvers) {
    this.gate = gate;
    this.resolvers = List.copyOf(resolvers);
  }

  @Override
  public int getOrder() {
    return HIGHEST_PRECEDENCE;
  }

  @Override
  public @Nullable Request current() {
    return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes bound
        ? ServletRequests.of(bound.getRequest(), resolvers, gate)
        : null;
  }

  @Override
  public void record(Verdict verdict) {
    if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes bound) {
      Verdict all = RequestProgress.of(bound.getRequest()).add(verdict);
      HttpServletResponse response = bound.getResponse();
      if (response != null && !response.isCommitted()) {
        gate.responses().headers(all, response::setHeader);
      }
    }
  }

  @Override
  public @Nullable ModelAndView resolveException(
      HttpServletRequest request,
      HttpServletResponse response,
      @Nullable Object handler,
      Exception failure) {
    if (!(failure instanceof RateLimitedException denied) || response.isCommitted()) {
      return null;
    }
    try {
      RateLimitFilter.deny(
          response, RequestProgress.of(request).add(denied.verdict()), gate.responses());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new ModelAndView();
  }
}
