package io.penstock.bench.http;

import io.penstock.bench.contest.FailedRunException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;

/** Reads the live figures of a server as the console does, on a thread of its own. */
final class StreamReader implements AutoCloseable {
  private final BufferedReader lines;
  private final AtomicLong events = new AtomicLong();
  private volatile boolean closed;

  StreamReader(int adminPort) throws IOException, InterruptedException {
    this.lines =
        new BufferedReader(
            new InputStreamReader(
                HttpClient.newHttpClient()
                    .send(
                        HttpRequest.newBuilder(
                                URI.create("http://127.0.0.1:" + adminPort + "/v1/stream"))
                            .build(),
                        HttpResponse.BodyHandlers.ofInputStream())
                    .body(),
                StandardCharsets.UTF_8));
    Thread thread = new Thread(this::read, "stream-reader");
    thread.setDaemon(true);
    thread.start();
  }

  private void read() {
    try {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("data:")) {
          events.incrementAndGet();
        }
      }
    } catch (IOException e) {
      if (!closed) {
        throw new FailedRunException("the stream of figures was interrupted: " + e);
      }
    }
  }

  /** Fails unless the server has sent figures more than once. */
  void requireEvents() {
    if (events.get() < 2) {
      throw new FailedRunException("the server sent no live figures: " + events.get() + " events");
    }
  }

  @Override
  public void close() throws IOException {
    closed = true;
    lines.close();
  }
}
