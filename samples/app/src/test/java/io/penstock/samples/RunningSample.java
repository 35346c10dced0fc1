package io.penstock.samples;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** A running sample on a random port, behind a trusted proxy. */
final class RunningSample implements AutoCloseable {
  private final HttpClient client = HttpClient.newHttpClient();
  private final ConfigurableApplicationContext context;
  private final int port;

  private RunningSample(List<String> settings) {
    List<String> all = new ArrayList<>();
    all.addAll(List.of("--server.port=0", "--spring.main.banner-mode=off"));
    all.add("--penstock.trusted-proxies=127.0.0.1,::1");
    all.add("--management.endpoint.health.show-details=always");
    all.addAll(settings);
    context = SpringApplication.run(SampleApplication.class, all.toArray(String[]::new));
    port = Integer.parseInt(context.getEnvironment().getProperty("local.server.port"));
  }

  static RunningSample with(String... settings) {
    return new RunningSample(List.of(settings));
  }

  ConfigurableApplicationContext context() {
    return context;
  }

  /** A client with the given address. */
  Client client(String address) {
    return new Client(address, null);
  }

  @Override
  public void close() {
    context.close();
  }

  /** Sends requests to the sample. */
  final class Client {
    private final String address;
    private final String user;

    private Client(String address, String user) {
      this.address = address;
      this.user = user;
    }

    Client as(String name) {
      return new Client(address, name);
    }

    int status(String path) {
      return get(path).statusCode();
    }

    HttpResponse<String> get(String path) {
      return getLater(path).join();
    }

    CompletableFuture<HttpResponse<String>> getLater(String path) {
      return send(request(path).GET());
    }

    HttpResponse<String> post(String path, String json) {
      return send(request(path)
              .header("Content-Type", "application/json")
              .POST(HttpRequest.BodyPublishers.ofString(json)))
          .join();
    }

    private HttpRequest.Builder request(String path) {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
              .header("X-Forwarded-For", address);
      if (user != null) {
        byte[] credentials = (user + ":tea").getBytes(UTF_8);
        request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(credentials));
      }
      return request;
    }

    private CompletableFuture<HttpResponse<String>> send(HttpRequest.Builder request) {
      return client.sendAsync(
          request.timeout(Duration.ofSeconds(20)).build(), HttpResponse.BodyHandlers.ofString());
    }
  }
}
