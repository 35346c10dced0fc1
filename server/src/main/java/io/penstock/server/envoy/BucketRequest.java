package io.penstock.server.envoy;

import io.penstock.policy.Request;
import io.penstock.policy.address.IpAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the rule of a limit reads: the values that select a bucket, and the cost. Immutable. */
record BucketRequest(List<String> keys, List<String> variables, long costThousandths)
    implements Request {
  BucketRequest withCost(long thousandths) {
    return new BucketRequest(keys, variables, thousandths);
  }

  @Override
  public @Nullable String attribute(String name) {
    int at = keys.indexOf(name);
    return at < 0 ? null : variables.get(at);
  }

  @Override
  public @Nullable IpAddress address() {
    return null;
  }

  @Override
  public @Nullable String method() {
    return null;
  }

  @Override
  public @Nullable String path() {
    return null;
  }

  @Override
  public @Nullable String host() {
    return null;
  }

  @Override
  public @Nullable String header(String name) {
    return null;
  }

  @Override
  public @Nullable String query(String name) {
    return null;
  }

  @Override
  public @Nullable String cookie(String name) {
    return null;
  }

  @Override
  public @Nullable String claim(String name) {
    return null;
  }
}
