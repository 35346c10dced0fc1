package io.penstock.server.http;

import io.penstock.policy.http.HeaderSink;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerResponse;

/** The headers of a response, for adding those of a verdict. */
public final class ResponseHeaders implements HeaderSink {
  private final MultiMap headers;

  public ResponseHeaders(HttpServerResponse response) {
    this.headers = response.headers();
  }

  @Override
  public void add(String name, String value) {
    headers.add(HeaderNames.of(name), value);
  }
}
