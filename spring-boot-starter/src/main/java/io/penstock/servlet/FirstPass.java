package io.penstock.servlet;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;

/**
 * A request that was held back and now goes on. To the container this is an asynchronous dispatch;
 * to the filters behind it is the first that they see of the request, and many of them leave
 * asynchronous dispatches alone. So it is shown as what it is to them.
 */
final class FirstPass extends HttpServletRequestWrapper {
  private volatile boolean over;

  FirstPass(HttpServletRequest request) {
    super(request);
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
}
