package io.penstock.policy;

import io.penstock.policy.address.IpAddress;
import io.penstock.policy.jwt.TokenCheck;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request with its path normalized for matching. */
record NormalizedRequest(Request request, String path) implements Request {
  @Override
  public @Nullable IpAddress address() {
    return request.address();
  }

  @Override
  public @Nullable String method() {
    return request.method();
  }

  @Override
  public @Nullable String host() {
    return request.host();
  }

  @Override
  public @Nullable String header(String name) {
    return request.header(name);
  }

  @Override
  public @Nullable String query(String name) {
    return request.query(name);
  }

  @Override
  public @Nullable String cookie(String name) {
    return request.cookie(name);
  }

  @Override
  public @Nullable String claim(String name) {
    return request.claim(name);
  }

  @Override
  public boolean claimsUnverifiable() {
    return request.claimsUnverifiable();
  }

  @Override
  public TokenCheck.Result tokenResult() {
    return request.tokenResult();
  }

  @Override
  public @Nullable String attribute(String name) {
    return request.attribute(name);
  }

  @Override
  public List<String> values(Attribute attribute) {
    return request.values(attribute);
  }

  @Override
  public boolean isAmbiguous(Attribute attribute) {
    return request.isAmbiguous(attribute);
  }

  @Override
  public long costThousandths() {
    return request.costThousandths();
  }
}
