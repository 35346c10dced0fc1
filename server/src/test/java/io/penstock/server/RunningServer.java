package io.penstock.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.penstock.NanoClock;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;

/** A server on free ports, with methods to send requests to it. */
public final class RunningServer implements AutoCloseable {
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final int PATIENCE_MILLIS = 20_000;

  private final PenstockServer server;

  private RunningServer(PenstockServer server) {
    this.server = server;
  }

  /** Starts a server with the policy in {@code file}. */
  static RunningServer serving(Path file) {
    return with(Map.of(Setting.POLICY, file.toString()));
  }

  /** Starts a server with the given policy, which is written to a file in {@code folder}. */
  static RunningServer serving(Path folder, String policy) {
    return serving(write(folder, policy));
  }

  public static Path write(Path folder, String policy) {
    try {
      return Files.writeString(folder.resolve("policy.yaml"), policy);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static RunningServer with(Map<Setting, String> flags) {
    return with(flags, NanoClock.system());
  }

  /** Starts a server with the given clock for its buckets. */
  public static RunningServer with(Map<Setting, String> flags, NanoClock clock) {
    Map<Setting, String> all = new EnumMap<>(Setting.class);
    all.put(Setting.HOST, "127.0.0.1");
    all.put(Setting.PORT, "0");
    all.put(Setting.ADMIN_PORT, "0");
    all.put(Setting.SHUTDOWN_MS, "1000");
    all.putAll(flags);
    return new RunningServer(PenstockServer.start(SettingsReader.read(all, Map.of(), null), clock));
  }

  public PenstockServer server() {
    return server;
  }

  public HttpResponse<String> check(String question) {
    return post("/v1/check", question);
  }

  public HttpResponse<String> post(String path, String body) {
    return send(request(server.port(), path).POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  public HttpResponse<String> admin(String path) {
    return send(request(server.adminPort(), path));
  }

  public HttpResponse<String> admin(String path, String body) {
    return send(request(server.adminPort(), path).POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  /** Sends a forward-auth request as a proxy does; the headers are pairs of names and values. */
  public HttpResponse<String> forwardAuth(String... headers) {
    return send(headers(request(server.port(), "/v1/forward-auth"), headers));
  }

  public HttpRequest.Builder decision(String path) {
    return request(server.port(), path);
  }

  public HttpRequest.Builder administration(String path) {
    return request(server.adminPort(), path);
  }

  public static HttpRequest.Builder headers(HttpRequest.Builder request, String... headers) {
    return headers.length == 0 ? request : request.headers(headers);
  }

  public static HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static HttpRequest.Builder request(int port, String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
        .version(HttpClient.Version.HTTP_1_1);
  }

  /** Sends raw bytes, and returns everything that is received until the connection is closed. */
  String raw(String bytes) throws IOException {
    try (Socket socket = connect()) {
      OutputStream out = socket.getOutputStream();
      out.write(bytes.getBytes(ISO_8859_1));
      out.flush();
      return rest(socket);
    }
  }

  Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    socket.setSoTimeout(PATIENCE_MILLIS);
    return socket;
  }

  /** Returns everything that is received until the connection is closed. */
  public static String rest(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    return new String(in.readAllBytes(), ISO_8859_1);
  }

  @Override
  public void close() {
    server.close();
  }
}
