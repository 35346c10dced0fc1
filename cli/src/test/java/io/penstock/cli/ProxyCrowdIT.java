package io.penstock.cli;

import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks that many idle or slow clients don't keep the proxy from serving others in a small heap.
 */
@Tag("full")
class ProxyCrowdIT {
  private static final int IDLE = 10_000;
  private static final int SLOW = 1_000;
  private static final long OTHER_FILES = 1_000;

  /**
   * Half of the idle timeout. A machine that can't open all connections in this time is tested with
   * those it has; otherwise the first ones would time out before the last ones are open.
   */
  private static final Duration OPENING = Duration.ofSeconds(30);

  private static final String HEAD = " HTTP/1.1\r\nHost: a\r\n\r\n";

  @TempDir Path folder;
  private final List<Socket> crowd = new ArrayList<>();
  private CrowdOrigin origin;

  @BeforeEach
  void startOrigin() throws IOException {
    origin = new CrowdOrigin();
  }

  @AfterEach
  void stopOrigin() throws IOException {
    for (Socket socket : crowd) {
      socket.close();
    }
    origin.close();
  }

  @Test
  void idleConnections_tenThousand_othersAreServed() throws IOException {
    int count = affordable(IDLE);
    try (ProxyService proxy =
        ProxyService.start(folder, "128m", origin.url(), "--max-connections=" + (count + 100))) {
      long startNanos = System.nanoTime();
      while (crowd.size() < count && System.nanoTime() - startNanos < OPENING.toNanos()) {
        int served = crowd.size();
        while (crowd.size() < Math.min(count, served + 50)) {
          Socket socket = proxy.connect();
          crowd.add(socket);
          socket.getOutputStream().write(("GET /" + HEAD).getBytes(US_ASCII));
        }
        for (Socket socket : crowd.subList(served, crowd.size())) {
          expect(socket, "HTTP/1.1 200");
        }
      }
      assertThat(proxy.connections()).isGreaterThanOrEqualTo(crowd.size());
      serveOthers(proxy);
      System.out.println(crowd.size() + " idle connections: " + proxy.figures());
      // The idle connections are still open and usable.
      for (Socket socket : List.of(crowd.get(0), crowd.get(crowd.size() - 1))) {
        skipResponse(socket);
        socket.getOutputStream().write(("GET /" + HEAD).getBytes(US_ASCII));
        expect(socket, "HTTP/1.1 200");
      }
    }
  }

  @Test
  void slowReaders_aThousand_othersAreServed() throws IOException {
    int count = affordable(SLOW);
    try (ProxyService proxy =
        ProxyService.start(
            folder,
            "512m",
            origin.url(),
            "--upstream-connections=" + (count + 100),
            // All clients share one address, and none is reset for being slow.
            "--upstream-connections-per-client=" + (count + 100),
            "--client-stall-ms=3600000",
            "--client-min-rate=1",
            // A busy machine takes long to open that many connections.
            "--upstream-queue-ms=600000",
            "--upstream-connect-ms=600000",
            "--upstream-first-byte-ms=600000")) {
      for (int i = 0; i < count; i++) {
        Socket socket = proxy.connectSlowly();
        crowd.add(socket);
        socket.getOutputStream().write(("GET /endless" + HEAD).getBytes(US_ASCII));
      }
      for (Socket socket : crowd) {
        expect(socket, "HTTP/1.1 200");
      }
      assertThat(proxy.inFlight()).isEqualTo(count);
      serveOthers(proxy);
      System.out.println(count + " slow readers: " + proxy.figures());
      for (Socket socket : crowd) {
        socket.close();
      }
      await("all closed").until(() -> proxy.inFlight() == 0);
      serveOthers(proxy);
    }
  }

  private static void serveOthers(ProxyService proxy) {
    for (int i = 0; i < 100; i++) {
      assertThat(proxy.get("/other")).isEqualTo("ok");
    }
    assertThat(proxy.isAlive()).isTrue();
  }

  /** Returns the number of connections that the open-file limit of this machine allows. */
  private static int affordable(int wanted) {
    long files =
        ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
            ? system.getMaxFileDescriptorCount()
            : wanted + OTHER_FILES;
    int count = (int) Math.min(wanted, Math.max(1, files - OTHER_FILES));
    if (count < wanted) {
      System.out.println(
          "only " + count + " of " + wanted + ": a process may have " + files + " open files");
    }
    return count;
  }

  private static void expect(Socket socket, String prefix) throws IOException {
    byte[] read = socket.getInputStream().readNBytes(prefix.length());
    assertThat(new String(read, US_ASCII)).isEqualTo(prefix);
  }

  private static void skipResponse(Socket socket) throws IOException {
    StringBuilder text = new StringBuilder();
    while (!text.toString().endsWith("\r\n\r\nok")) {
      int next = socket.getInputStream().read();
      assertThat(next).as("still open").isNotNegative();
      text.append((char) next);
    }
  }
}
