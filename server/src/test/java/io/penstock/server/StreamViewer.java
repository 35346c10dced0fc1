package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;

/** A client of {@code GET /v1/stream}. */
final class StreamViewer implements AutoCloseable {
  final HttpResponse<InputStream> response;
  private final BufferedReader lines;

  StreamViewer(RunningServer server) throws Exception {
    this.response =
        HttpClient.newHttpClient()
            .send(
                server.administration("/v1/stream").build(),
                HttpResponse.BodyHandlers.ofInputStream());
    this.lines = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
  }

  /** Returns the data of the next event; null at the end of the stream. */
  JsonNode next() throws IOException {
    String event = lines.readLine();
    if (event == null) {
      return null;
    }
    assertThat(event).isEqualTo("event: figures");
    String data = lines.readLine();
    assertThat(data).startsWith("data: {");
    assertThat(lines.readLine()).isEmpty();
    return new ObjectMapper().readTree(data.substring("data: ".length()));
  }

  void readToEnd() {
    try {
      JsonNode event = next();
      while (event != null) {
        event = next();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    response.body().close();
  }
}
