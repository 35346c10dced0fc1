package io.penstock.server.http;

import io.netty.channel.Channel;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import java.net.InetSocketAddress;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Records the responses to requests that never reach the handler of a listener, because they are
 * malformed, exceed a limit or arrive too slowly. Thread-safe.
 */
public interface UnhandledRequests {
  /** Records nothing. */
  UnhandledRequests NONE =
      new UnhandledRequests() {
        @Override
        public Future<Void> end(HttpServerRequest request, Supplier<Future<Void>> end) {
          return end.get();
        }

        @Override
        public void responded(UnreadRequest request) {}
      };

  /** Ends the response to a request whose head is malformed or too large. */
  Future<Void> end(HttpServerRequest request, Supplier<Future<Void>> end);

  /** Called when the response to a request that could not be read has been sent. */
  void responded(UnreadRequest request);

  /**
   * A request that could not be read, with its response.
   *
   * @param peer the address of the client
   * @param protocol null if unknown
   * @param bytes the size of the body of the response
   */
  record UnreadRequest(String peer, @Nullable String protocol, int status, int bytes) {
    static UnreadRequest of(Channel connection, @Nullable String protocol, int status, int bytes) {
      String peer =
          connection.remoteAddress() instanceof InetSocketAddress address
                  && address.getAddress() != null
              ? address.getAddress().getHostAddress()
              : String.valueOf(connection.remoteAddress());
      return new UnreadRequest(peer, protocol, status, bytes);
    }
  }

  /**
   * Returns whether the method and the target of a request are unknown, because it is malformed.
   */
  static boolean isLineUnknown(HttpServerRequest request) {
    String target = request.uri();
    return MalformedHead.TARGET.equals(target)
        || (StrictRequestDecoder.UNKNOWN.equals(target)
            && StrictRequestDecoder.UNKNOWN.equals(request.method().name()));
  }
}
