package io.penstock.bench.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DelayLineTest {
  private static final InetSocketAddress ANY_PORT =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  @Test
  void line_heldChunk_doesNotDelayReadingTheNext() throws Exception {
    Semaphore chunksRead = new Semaphore(0);
    try (ServerSocketChannel listener = ServerSocketChannel.open().bind(ANY_PORT);
        SocketChannel sender = SocketChannel.open(listener.getLocalAddress());
        SocketChannel from = listener.accept();
        SocketChannel receiver = SocketChannel.open(listener.getLocalAddress());
        SocketChannel to = listener.accept()) {
      DelayLine line =
          new DelayLine(
              "test",
              from,
              to,
              () -> {
                chunksRead.release();
                return TimeUnit.DAYS.toNanos(1);
              });
      line.start();
      for (int i = 0; i < 3; i++) {
        sender.write(ByteBuffer.wrap(new byte[] {7}));
        chunksRead.acquire();
      }
      receiver.configureBlocking(false);
      assertThat(receiver.read(ByteBuffer.allocate(1))).isZero();
    }
  }
}
