package io.penstock.policy.request;

import io.penstock.policy.ExplicitRequest;
import io.penstock.policy.http.CookieText;
import java.util.Locale;

/**
 * States headers, and the cookies in them unless those are stated by themselves.
 *
 * @param withCookies whether a cookie header says which cookies there are
 */
record ExplicitHeaders(ExplicitRequest.Builder request, boolean withCookies) {
  void add(String name, String value) {
    request.header(name, value);
    if (withCookies && name.toLowerCase(Locale.ROOT).equals("cookie")) {
      CookieText.each(value, request::cookie);
    }
  }
}
