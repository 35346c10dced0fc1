package io.penstock.server;

import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How many simulations are accepted at a time. */
class SimulationAdmissionTest {
  private static final int MAX_PENDING = 4;
  private static final String BODY = "{\"rate\":\"1/s\",\"burst\":1,\"arrivals\":[{\"at_ms\":0}]}";

  @Test
  void simulate_moreThanAreAccepted_get503UntilOthersHaveEnded() throws IOException {
    try (RunningServer server = RunningServer.with(Map.of())) {
      List<Socket> pending = new ArrayList<>();
      try {
        for (int i = 0; i < MAX_PENDING; i++) {
          pending.add(startRequest(server));
        }
        await().until(() -> simulate(server) == 503);
        OutputStream out = pending.get(0).getOutputStream();
        out.write(BODY.getBytes(ISO_8859_1));
        assertThat(RunningServer.rest(pending.get(0))).startsWith("HTTP/1.1 200");
      } finally {
        for (Socket socket : pending) {
          socket.close();
        }
      }
      for (int i = 0; i <= MAX_PENDING; i++) {
        await().until(() -> simulate(server) == 200);
      }
    }
  }

  @Test
  void simulate_invalidBodies_freeTheirPlaces() {
    try (RunningServer server = RunningServer.with(Map.of())) {
      for (int i = 0; i <= MAX_PENDING; i++) {
        assertThat(server.admin("/v1/simulate", "{").statusCode()).isEqualTo(400);
      }
      assertThat(simulate(server)).isEqualTo(200);
    }
  }

  private static int simulate(RunningServer server) {
    return server.admin("/v1/simulate", BODY).statusCode();
  }

  /** Sends a request up to its body. */
  private static Socket startRequest(RunningServer server) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.server().adminPort());
    socket
        .getOutputStream()
        .write(
            ("POST /v1/simulate HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                    + "Content-Length: "
                    + BODY.length()
                    + "\r\n\r\n")
                .getBytes(ISO_8859_1));
    return socket;
  }
}
