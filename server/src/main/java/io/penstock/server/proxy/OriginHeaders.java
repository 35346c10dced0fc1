package io.penstock.server.proxy;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpHeadersFactory;
import io.netty.util.AsciiString;
import org.jspecify.annotations.Nullable;

/**
 * The headers of an origin's response. {@link #retire} makes Vert.x close the connection at the end
 * of the response instead of keeping it for the next request: it asks for the {@code Connection}
 * field then. A list of all fields stays as the origin sent it.
 */
final class OriginHeaders extends DefaultHttpHeaders {
  static final HttpHeadersFactory FACTORY =
      new HttpHeadersFactory() {
        @Override
        public HttpHeaders newHeaders() {
          return new OriginHeaders();
        }

        @Override
        public HttpHeaders newEmptyHeaders() {
          return new OriginHeaders();
        }
      };

  private static final DefaultHttpHeadersFactory VALIDATING =
      DefaultHttpHeadersFactory.headersFactory();

  // A response may be read by another event loop than the connection's.
  private volatile boolean retired;

  private OriginHeaders() {
    super(VALIDATING.getNameValidator(), VALIDATING.getValueValidator());
  }

  /** The connection must not be used again after this response. */
  void retire() {
    retired = true;
  }

  boolean isRetired() {
    return retired;
  }

  @Override
  public @Nullable String get(String name) {
    return closes(name) ? HttpHeaderValues.CLOSE.toString() : super.get(name);
  }

  @Override
  public @Nullable String get(CharSequence name) {
    return closes(name) ? HttpHeaderValues.CLOSE.toString() : super.get(name);
  }

  private boolean closes(CharSequence name) {
    return retired && AsciiString.contentEqualsIgnoreCase(HttpHeaderNames.CONNECTION, name);
  }
}
