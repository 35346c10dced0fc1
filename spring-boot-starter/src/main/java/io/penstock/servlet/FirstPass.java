package io.penstock.servlet;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;

/**
 * A request that was held back and now goes on. To the container this is an asynchronous dispatch;
 * to the filters behind it is the first that they see of the request, and many of them leave
 * asynchronous dispatches alone. So it is shown as what it is to them.
 */
final class FirstPass extends HttpServletRequestWrapper {
  private final long timeoutMillis;
  private volatile boolean over;

  /**
   * @param timeoutMillis what the application finds when it makes the request asynchronous
   */
  FirstPass(HttpServletRequest request, long timeoutMillis) {
    super(request);
    this.timeoutMillis = timeoutMillis;
  }

  /** Later dispatches of the same request are what the container says. */
  void end() {
    over = true;
  }

  @Override
  public DispatcherType getDispatcherType() {
    DispatcherType type = super.getDispatcherType();
    return over || type != DispatcherType.ASYNC ? type : DispatcherType.REQUEST;
  }

  @Override
  public AsyncContext startAsync() {
    return timed(super.startAsync());
  }

  @Override
  public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
    return timed(super.startAsync(request, response));
  }

  /** Jetty has one timeout a request: that by which this one was held would last. */
  private AsyncContext timed(AsyncContext context) {
    context.setTimeout(timeoutMillis);
    return context;
  }
}
