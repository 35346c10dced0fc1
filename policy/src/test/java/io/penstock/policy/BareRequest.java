package io.penstock.policy;

import io.penstock.policy.address.IpAddress;
import org.jspecify.annotations.Nullable;

/** A request without any attributes, as a base for test requests. */
abstract class BareRequest implements Request {
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

  @Override
  public @Nullable String attribute(String name) {
    return null;
  }
}
