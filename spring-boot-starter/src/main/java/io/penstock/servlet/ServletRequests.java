package io.penstock.servlet;

import io.penstock.policy.Request;
import io.penstock.policy.address.IpAddress;
import io.penstock.policy.http.CallerAttributes;
import io.penstock.policy.http.Gate;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Adapts servlet requests to the requests that rules evaluate. */
public final class ServletRequests {
  private ServletRequests() {}

  /** Adapts a request, with all attributes that the application knows. */
  public static Request of(
      HttpServletRequest request, List<AttributeResolver> resolvers, Gate gate) {
    return of(request, new ServletAttributes(request, resolvers), gate);
  }

  static Request of(HttpServletRequest request, CallerAttributes attributes, Gate gate) {
    return gate.request(
        peer(request), new ServletRequestLine(request), new ServletHeaders(request), attributes);
  }

  private static @Nullable IpAddress peer(HttpServletRequest request) {
    String address = request.getRemoteAddr();
    return address == null ? null : IpAddress.parse(address);
  }
}
