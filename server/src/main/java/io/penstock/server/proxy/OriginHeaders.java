package io.penstock.server.proxy;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpHeadersFactory;
import io.netty.util.AsciiString;
import io.vertx.core.MultiMap;
import org.jspecify.annotations.Nullable;

/**
 * The headers of an origin's response. {@link #retire} makes Vert.x close the connection at the end
 * of the response instead of returning it to the pool, because Vert.x then reads the {@code
 * Connection} field. Iterating over all fields still returns what the origin sent.
 *
 * <p>Vert.x wraps these headers in its own type, so {@link #arePartOfMore} reads a field that no
 * response can contain.
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

  /** Not a valid name, so no origin can send it. */
  private static final AsciiString MORE = AsciiString.cached("more follows");

  // Another event loop than that of the connection may read the response.
  private volatile boolean retired;
  private volatile boolean partOfMore;

  private OriginHeaders() {
    super(VALIDATING.getNameValidator(), VALIDATING.getValueValidator());
  }

  /** Marks the connection as not reusable after this response. */
  void retire() {
    retired = true;
  }

  boolean isRetired() {
    return retired;
  }

  /** Marks these headers as read together with the end of the response or a part of its body. */
  void setPartOfMore() {
    partOfMore = true;
  }

  /**
   * Returns whether a part of the body or the end of the response is certain to follow these
   * headers immediately, because it was read together with them.
   */
  static boolean arePartOfMore(MultiMap headers) {
    return headers.get(MORE) != null;
  }

  @Override
  public @Nullable String get(String name) {
    return overrides(name) ? HttpHeaderValues.CLOSE.toString() : super.get(name);
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // Only this class asks for it.
  public @Nullable String get(CharSequence name) {
    if (name == MORE) {
      return partOfMore ? "" : null;
    }
    return overrides(name) ? HttpHeaderValues.CLOSE.toString() : super.get(name);
  }

  private boolean overrides(CharSequence name) {
    return retired && AsciiString.contentEqualsIgnoreCase(HttpHeaderNames.CONNECTION, name);
  }
}
