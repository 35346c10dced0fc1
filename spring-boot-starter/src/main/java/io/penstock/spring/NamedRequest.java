package io.penstock.spring;

import io.penstock.policy.Attribute;
import io.penstock.policy.Request;
import io.penstock.policy.address.IpAddress;
import io.penstock.policy.http.CallerAttributes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The input of a rule that is evaluated by name: the current request, if there is one, and the
 * attributes and cost of the call, which take precedence.
 */
record NamedRequest(@Nullable Request request, CallerAttributes stated, long costThousandths)
    implements Request {
  @Override
  public @Nullable IpAddress address() {
    return request == null ? null : request.address();
  }

  @Override
  public @Nullable String method() {
    return request == null ? null : request.method();
  }

  @Override
  public @Nullable String path() {
    return request == null ? null : request.path();
  }

  @Override
  public @Nullable String host() {
    return request == null ? null : request.host();
  }

  @Override
  public @Nullable String header(String name) {
    return request == null ? null : request.header(name);
  }

  @Override
  public @Nullable String query(String name) {
    return request == null ? null : request.query(name);
  }

  @Override
  public @Nullable String cookie(String name) {
    return request == null ? null : request.cookie(name);
  }

  @Override
  public @Nullable String claim(String name) {
    return request == null ? null : request.claim(name);
  }

  @Override
  public List<String> values(Attribute attribute) {
    return request == null ? List.of() : request.values(attribute);
  }

  @Override
  public boolean isAmbiguous(Attribute attribute) {
    return request != null && request.isAmbiguous(attribute);
  }

  @Override
  public boolean claimsUnverifiable() {
    return request != null && request.claimsUnverifiable();
  }

  @Override
  public @Nullable String attribute(String name) {
    String value = stated.get(name);
    return value != null || request == null ? value : request.attribute(name);
  }
}
