package io.penstock.policy.accesslog;

import io.penstock.policy.Attribute;
import io.penstock.policy.Attribute.AttributeSource;
import io.penstock.policy.Request;
import io.penstock.policy.address.IpAddress;
import io.penstock.policy.parameter.ParameterValues;
import io.penstock.policy.parameter.QueryText;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request of an access log. Immutable. Attributes that the log doesn't contain are missing. */
public final class LogEntry implements Request {
  /** Objects without the characters of their strings. */
  private static final int BASE_BYTES = 300;

  private final LogFields fields;
  private final long timeNanos;
  private final @Nullable IpAddress address;
  private final @Nullable String method;
  private final @Nullable LogTarget target;
  private final @Nullable String host;
  private final int status;
  private final int count;
  private final @Nullable String[] values;

  /** The part of a URL that identifies a resource. */
  record LogTarget(String path, String query, @Nullable String host) {}

  LogEntry(
      LogFields fields,
      long timeNanos,
      @Nullable IpAddress address,
      @Nullable String method,
      @Nullable LogTarget target,
      @Nullable String host,
      int status,
      int count,
      @Nullable String[] values) {
    this.fields = fields;
    this.timeNanos = timeNanos;
    this.address = address;
    this.method = method;
    this.target = target;
    this.host = host;
    this.status = status;
    this.count = count;
    this.values = values;
  }

  /** Returns nanoseconds since 1970. */
  public long timeNanos() {
    return timeNanos;
  }

  /** Returns the status of the response; 0 if unknown. */
  public int status() {
    return status;
  }

  /** Returns how many equal requests the line stands for, usually 1. */
  public int count() {
    return count;
  }

  @Override
  public @Nullable IpAddress address() {
    return address;
  }

  @Override
  public @Nullable String method() {
    return method;
  }

  @Override
  public @Nullable String path() {
    return target == null ? null : target.path();
  }

  @Override
  public @Nullable String host() {
    return host;
  }

  @Override
  public @Nullable String header(String name) {
    return value(AttributeSource.HEADER, name);
  }

  @Override
  public @Nullable String query(String name) {
    String logged = value(AttributeSource.QUERY, name);
    return logged != null || target == null || target.query().isEmpty()
        ? logged
        : queries(name).joined();
  }

  private ParameterValues queries(String name) {
    return QueryText.find(target == null ? "" : target.query(), 0, name);
  }

  @Override
  public @Nullable String cookie(String name) {
    return value(AttributeSource.COOKIE, name);
  }

  @Override
  public @Nullable String claim(String name) {
    return value(AttributeSource.CLAIM, name);
  }

  @Override
  public @Nullable String attribute(String name) {
    return value(AttributeSource.STATED, name);
  }

  @Override
  public List<String> values(Attribute attribute) {
    if (attribute.source() == AttributeSource.QUERY
        && value(AttributeSource.QUERY, attribute.name()) == null) {
      return queries(attribute.name()).list();
    }
    return Request.super.values(attribute);
  }

  /** Returns about how much memory the entry takes, in bytes. */
  public int bytes() {
    int bytes = BASE_BYTES + length(method) + length(host);
    if (target != null) {
      bytes += target.path().length() + target.query().length() + length(target.host());
    }
    for (String value : values) {
      bytes += length(value);
    }
    return bytes;
  }

  private static int length(@Nullable String text) {
    return text == null ? 0 : text.length();
  }

  private @Nullable String value(AttributeSource source, String name) {
    int index = fields.index(source, name);
    return index < 0 ? null : values[index];
  }
}
