package io.penstock.server.proxy;

import static io.penstock.server.proxy.Http2Frames.HEADERS;
import static io.penstock.server.proxy.Http2Frames.WINDOW_UPDATE;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The origin of {@link PoolPropertyTest} responds whatever frames it receives with a request. */
final class PoolHttp2OriginTest {
  private static final int PATIENCE_MILLIS = 20_000;
  private static final long SEED = 1;

  @Test
  void serve_windowUpdateAfterTheRequest_responds() throws Exception {
    PoolTally tally = new PoolTally(SEED);
    PoolPlan plan =
        LongStream.iterate(1, exchange -> exchange + 1)
            .mapToObj(tally::plan)
            .filter(each -> each.fault == PoolPlan.Fault.NONE && !each.posts && !each.answersEarly)
            .findFirst()
            .orElseThrow();
    try (PoolHttp2Origin origin = new PoolHttp2Origin(tally, SEED);
        Socket socket =
            new Socket(InetAddress.getLoopbackAddress(), URI.create(origin.url()).getPort());
        Http2Frames proxy = new Http2Frames(socket)) {
      socket.setSoTimeout(PATIENCE_MILLIS);
      PoolHttp2Peer peer = new PoolHttp2Peer(proxy);
      // Repeated, because the origin does not always receive the second frame before it responds.
      for (int stream = 1; stream < 200; stream += 2) {
        proxy.head(stream, true, plan.fields());
        proxy.write(WINDOW_UPDATE, 0, 0, new byte[] {0, 0, 0, 1});
        Http2Frames.Frame head = peer.next();
        assertThat(head).isNotNull();
        assertThat(head.type()).isEqualTo(HEADERS);
        for (Http2Frames.Frame frame = head; !PoolHttp2Peer.ends(frame); ) {
          frame = peer.next();
          assertThat(frame).isNotNull();
        }
      }
      assertThat(tally.violations()).isEmpty();
    }
  }
}
