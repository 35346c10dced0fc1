package io.penstock.samples;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** The sample as it runs, on a port of its own. */
final class RunningSample implements AutoCloseable {
  /** Tests bring Spring's own way to Redis along; it is not asked unless a test wants it. */
  private static final String IN_PROCESS = "--penstock.store=in-process";

  private final HttpClient client = HttpClient.newHttpClient();
  private final ConfigurableApplicationContext context;
  private final int port;

  private RunningSample(List<String> settings, Class<?>... sources) {
    List<String> all = new ArrayList<>(List.of("--server.port=0", "--spring.main.banner-mode=off"));
    all.addAll(settings);
    List<Class<?>> classes = new ArrayList<>(List.of(sources));
    classes.add(SampleApplication.class);
    context =
        new SpringApplication(classes.toArray(Class<?>[]::new)).run(all.toArray(String[]::new));
    port = Integer.parseInt(context.getEnvironment().getProperty("local.server.port"));
  }

  static RunningSample inProcess(Class<?>... sources) {
    return new RunningSample(List.of(IN_PROCESS), sources);
  }

  static RunningSample with(String... settings) {
    return new RunningSample(List.of(settings));
  }

  ConfigurableApplicationContext context() {
    return context;
  }

  HttpResponse<String> get(String path) {
    return getLater(path, null).join();
  }

  HttpResponse<String> get(String path, String user) {
    return getLater(path, user).join();
  }

  int status(String path) {
    return get(path).statusCode();
  }

  int status(String path, String user) {
    return get(path, user).statusCode();
  }

  CompletableFuture<HttpResponse<String>> getLater(String path, String user) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    if (user != null) {
      String credentials = user + ":tea";
      request.header(
          "Authorization",
          "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(UTF_8)));
    }
    return client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  HttpResponse<String> post(String path, String json) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(json))
            .build();
    try {
      return client.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    context.close();
  }
}
