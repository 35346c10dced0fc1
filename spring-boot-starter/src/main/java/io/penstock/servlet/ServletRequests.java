package io.penstock.servlet;

import io.penstock.policy.Request;
import io.penstock.policy.address.IpAddress;
import io.penstock.policy.http.CallerAttributes;
import io.penstock.web.Gate;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Requests of servlets as rules see them. */
public final class ServletRequests {
  private ServletRequests() {}

  /** A request with all that the application knows of it. */
  public static Request of(
      HttpServletRequest request, List<AttributeResolver> resolvers, Gate gate) {
    return of(request, new ServletAttributes(request, resolvers), gate);
  }

  static Request of(HttpServletRequest request, CallerAttributes known, Gate gate) {
    return gate.request(
        peer(request), new ServletRequestLine(request), new ServletHeaders(request), known);
  }

  private static @Nullable IpAddress peer(HttpServletRequest request) {
    String address = request.getRemoteAddr();
    return address == null ? null : IpAddress.parse(address);
  }
}
