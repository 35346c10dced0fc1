package io.penstock.servlet;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;

/**
 * A request that continues after it was held. For the container, this is an asynchronous dispatch.
 * The later filters see the request for the first time, and many of them skip asynchronous
 * dispatches; so this wrapper presents it to them as an initial request.
 */
final class FirstPass extends HttpServletRequestWrapper {
  private final long timeoutMillis;
  private volatile boolean ended;

  /**
   * @param timeoutMillis the async timeout that the application sees when it calls {@code
   *     startAsync}
   */
  FirstPass(HttpServletRequest request, long timeoutMillis) {
    super(request);
    this.timeoutMillis = timeoutMillis;
  }

  /**
   * Ends the first pass: later dispatches of the request keep the type that the container reports.
   */
  void end() {
    ended = true;
  }

  @Override
  public DispatcherType getDispatcherType() {
    DispatcherType type = super.getDispatcherType();
    return ended || type != DispatcherType.ASYNC ? type : DispatcherType.REQUEST;
  }

  @Override
  public AsyncContext startAsync() {
    return withTimeout(super.startAsync());
  }

  @Override
  public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
    return withTimeout(super.startAsync(request, response));
  }

  /**
   * Restores the async timeout. Jetty has one timeout per request, so the timeout that was set to
   * hold the request would remain.
   */
  private AsyncContext withTimeout(AsyncContext context) {
    context.setTimeout(timeoutMillis);
    return context;
  }
}
