package io.penstock.policy.request;

import io.penstock.policy.ExplicitRequest;
import io.penstock.policy.http.CookieText;
import java.util.Locale;

/**
 * Adds headers to a request, and the cookies in them unless cookies are given separately.
 *
 * @param withCookies whether to read cookies from a cookie header
 */
record ExplicitHeaders(ExplicitRequest.Builder request, boolean withCookies) {
  void add(String name, String value) {
    request.header(name, value);
    if (withCookies && name.toLowerCase(Locale.ROOT).equals("cookie")) {
      CookieText.each(value, request::cookie);
    }
  }
}
