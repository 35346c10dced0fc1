package io.penstock.bench.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DelayRelayTest {
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

  private ServerSocket server;
  private DelayRelay relay;

  @BeforeEach
  void start() throws IOException {
    server = new ServerSocket(0, 1, LOOPBACK);
    relay = new DelayRelay(server.getLocalPort());
  }

  @AfterEach
  void stop() throws IOException {
    relay.close();
    server.close();
  }

  @Test
  void relay_manyChunks_keepsTheirOrder() throws Exception {
    relay.roundTrip(Duration.ofNanos(200_000));
    byte[] sent = new byte[1_000_000];
    new Random(1).nextBytes(sent);
    try (Socket client = new Socket(LOOPBACK, relay.port());
        Socket peer = server.accept()) {
      FutureTask<?> echo =
          inBackground(() -> peer.getInputStream().transferTo(peer.getOutputStream()));
      FutureTask<?> writing =
          inBackground(
              () -> {
                for (int at = 0; at < sent.length; at += 1_000) {
                  client.getOutputStream().write(sent, at, 1_000);
                }
                return sent.length;
              });
      assertThat(client.getInputStream().readNBytes(sent.length)).isEqualTo(sent);
      writing.get();
      client.shutdownOutput();
      echo.get();
    }
  }

  @Test
  void relay_exchange_takesAtLeastTheRoundTripTime() throws Exception {
    Duration roundTrip = Duration.ofMillis(20);
    relay.roundTrip(roundTrip);
    try (Socket client = new Socket(LOOPBACK, relay.port());
        Socket peer = server.accept()) {
      long startNanos = System.nanoTime();
      client.getOutputStream().write(7);
      peer.getOutputStream().write(peer.getInputStream().read());
      assertThat(client.getInputStream().read()).isEqualTo(7);
      assertThat(System.nanoTime() - startNanos).isGreaterThanOrEqualTo(roundTrip.toNanos());
    }
  }

  @Test
  void relay_direction_takesAtLeastHalfTheRoundTripTime() throws Exception {
    Duration roundTrip = Duration.ofMillis(20);
    relay.roundTrip(roundTrip);
    try (Socket client = new Socket(LOOPBACK, relay.port());
        Socket peer = server.accept()) {
      long startNanos = System.nanoTime();
      client.getOutputStream().write(7);
      assertThat(peer.getInputStream().read()).isEqualTo(7);
      assertThat(System.nanoTime() - startNanos).isGreaterThanOrEqualTo(roundTrip.toNanos() / 2);
    }
  }

  @Test
  void relay_clientCloses_closesTheConnectionToTheServer() throws Exception {
    Socket client = new Socket(LOOPBACK, relay.port());
    try (Socket peer = server.accept()) {
      client.getOutputStream().write(7);
      client.close();
      assertThat(peer.getInputStream().readAllBytes()).containsExactly(7);
    }
  }

  @Test
  void cpuMicros_afterTraffic_isPositive() throws Exception {
    try (Socket client = new Socket(LOOPBACK, relay.port());
        Socket peer = server.accept()) {
      client.getOutputStream().write(7);
      assertThat(peer.getInputStream().read()).isEqualTo(7);
      assertThat(relay.cpuMicros()).isPositive();
    }
  }

  private static FutureTask<?> inBackground(Callable<?> work) {
    FutureTask<?> task = new FutureTask<>(work);
    new Thread(task).start();
    return task;
  }
}
