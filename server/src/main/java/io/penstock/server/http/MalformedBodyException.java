package io.penstock.server.http;

import io.netty.handler.codec.DecoderException;

/**
 * Reports to a request that its body is malformed, for example because of an invalid chunk. The
 * connection is closed after the response, which should be a 400 if it has not started.
 */
public final class MalformedBodyException extends DecoderException {
  private static final long serialVersionUID = 1;

  /** The detail of the response to such a request. */
  public static final String DETAIL = "The body is malformed";

  MalformedBodyException(Throwable cause) {
    super(DETAIL, cause);
  }
}
