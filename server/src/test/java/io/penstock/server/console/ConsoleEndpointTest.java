package io.penstock.server.console;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of the console, and the headers that they are served with. */
final class ConsoleEndpointTest {
  private static final String TOKEN = "0123456789abcdef";
  private static final int MAX_BYTES = 150_000;

  /** What vendored files contain: names of XML formats and a comment. Nothing requests them. */
  private static final Set<String> NAMES =
      Set.of(
          "http://www.w3.org/2000/svg",
          "http://www.w3.org/1999/xhtml",
          "http://www.w3.org/1998/Math/MathML",
          "https://github.com/leeoniya/uPlot");

  private static RunningServer server;

  @BeforeAll
  static void start() {
    server = RunningServer.with(Map.of(Setting.ADMIN_TOKEN, TOKEN));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  static Stream<String> paths() {
    return Stream.concat(Stream.of("/"), ConsoleEndpoint.FILES.stream().map("/console/"::concat));
  }

  private static HttpResponse<byte[]> get(String path, String... headers) {
    return send(RunningServer.headers(server.administration(path), headers));
  }

  private static HttpResponse<byte[]> send(HttpRequest.Builder request) {
    try {
      return HttpClient.newHttpClient()
          .send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static String header(HttpResponse<?> response, String name) {
    return response.headers().firstValue(name).orElse("none");
  }

  @ParameterizedTest
  @MethodSource("paths")
  void get_file_needsNoTokenAndAllowsNoForeignContent(String path) {
    HttpResponse<byte[]> response = get(path);
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).isNotEmpty();
    assertThat(header(response, "Content-Security-Policy"))
        .contains("default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'")
        .contains("connect-src 'self'", "base-uri 'none'", "form-action 'none'")
        .contains("frame-ancestors 'none'")
        .doesNotContain("unsafe", "http", "data:", "*");
    assertThat(header(response, "X-Content-Type-Options")).isEqualTo("nosniff");
    assertThat(header(response, "Referrer-Policy")).isEqualTo("no-referrer");
    assertThat(header(response, "Cache-Control")).isEqualTo("no-cache");
    assertThat(header(response, "Content-Type"))
        .startsWith(
            path.endsWith(".js")
                ? "text/javascript"
                : path.endsWith(".css")
                    ? "text/css"
                    : path.endsWith(".svg") ? "image/svg+xml" : "text/html");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/ui", "/ui/", "/dashboard", "/dashboard/"})
  void get_usualPathOfAConsole_redirectsToIt(String path) {
    HttpResponse<byte[]> response = get(path);
    assertThat(response.statusCode()).isEqualTo(302);
    assertThat(header(response, "Location")).isEqualTo("/");
  }

  @ParameterizedTest
  @ValueSource(strings = {"identity", "gzip, deflate, br", "gzip;q=0"})
  void get_knownTag_is304(String encoding) {
    HttpResponse<byte[]> first = get("/", "Accept-Encoding", encoding);
    String tag = header(first, "ETag");
    HttpResponse<byte[]> again = get("/", "Accept-Encoding", encoding, "If-None-Match", tag);
    assertThat(again.statusCode()).isEqualTo(304);
    assertThat(again.body()).isEmpty();
    assertThat(header(again, "ETag")).isEqualTo(tag);
    assertThat(get("/", "Accept-Encoding", encoding, "If-None-Match", "\"other\"").statusCode())
        .isEqualTo(200);
  }

  @ParameterizedTest
  @MethodSource("paths")
  void get_acceptingGzip_isTheSameContentCompressed(String path) throws IOException {
    HttpResponse<byte[]> plain = get(path);
    HttpResponse<byte[]> compressed = get(path, "Accept-Encoding", "gzip");
    assertThat(header(plain, "Content-Encoding")).isEqualTo("none");
    assertThat(header(compressed, "Content-Encoding")).isEqualTo("gzip");
    assertThat(header(compressed, "ETag")).isNotEqualTo(header(plain, "ETag"));
    assertThat(new GZIPInputStream(new ByteArrayInputStream(compressed.body())).readAllBytes())
        .isEqualTo(plain.body());
  }

  @Test
  void head_file_hasTheHeadersOnly() {
    HttpResponse<byte[]> response =
        send(server.administration("/").method("HEAD", HttpRequest.BodyPublishers.noBody()));
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).isEmpty();
    assertThat(header(response, "ETag")).startsWith("\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/console/",
        "/console/none.js",
        "/console/index.html",
        "/console/package-info.class",
        "/console/../openapi.yaml",
        "/console/%2e%2e/openapi.yaml",
        "/console/vendor/vendored.json",
      })
  void get_unknownFile_is404(String path) {
    HttpResponse<byte[]> response = get(path);
    assertThat(response.statusCode()).isIn(404, 401);
    assertThat(new String(response.body(), UTF_8)).contains("\"title\"");
  }

  @Test
  void post_file_is405() {
    HttpResponse<byte[]> response =
        send(server.administration("/").POST(HttpRequest.BodyPublishers.ofString("{}")));
    assertThat(response.statusCode()).isEqualTo(405);
    assertThat(header(response, "Allow")).isEqualTo("GET, HEAD");
  }

  @Test
  void get_data_needsTheToken() {
    assertThat(get("/v1/policy").statusCode()).isEqualTo(401);
    assertThat(get("/v1/policy", "Authorization", "Bearer " + TOKEN).statusCode()).isEqualTo(200);
  }

  @Test
  void files_ofTheFolder_areAllServed() {
    Set<String> files = new TreeSet<>();
    for (Path file : files()) {
      files.add(folder().relativize(file).toString().replace('\\', '/'));
    }
    files.removeIf(name -> name.endsWith(".LICENSE") || name.equals("vendor/vendored.json"));
    files.remove("index.html");
    assertThat(files).containsExactlyInAnyOrderElementsOf(ConsoleEndpoint.FILES);
  }

  @Test
  void files_fetchedByABrowser_areSmall() {
    int sum = paths().mapToInt(path -> get(path, "Accept-Encoding", "gzip").body().length).sum();
    assertThat(sum).isLessThan(MAX_BYTES);
  }

  @Test
  void vendoredFiles_match_theListedHashes() throws Exception {
    Set<String> listed = new TreeSet<>();
    for (JsonNode entry : vendored()) {
      String file = entry.get("file").asText();
      byte[] content = Files.readAllBytes(folder().resolve("vendor").resolve(file));
      byte[] hash = MessageDigest.getInstance("SHA-384").digest(content);
      assertThat("sha384-" + Base64.getEncoder().encodeToString(hash))
          .as("%s of %s %s", file, entry.get("package").asText(), entry.get("version").asText())
          .isEqualTo(entry.get("integrity").asText());
      assertThat(folder().resolve("vendor").resolve(entry.get("license_file").asText()))
          .isNotEmptyFile();
      listed.add("vendor/" + file);
    }
    assertThat(ConsoleEndpoint.FILES.stream().filter(name -> name.startsWith("vendor/")))
        .containsExactlyInAnyOrderElementsOf(listed);
  }

  /** The pages show all data as text nodes: no text is parsed as markup, script or style. */
  @Test
  void ownFiles_anyText_isNeverParsedAsMarkup() throws IOException {
    Pattern parsing =
        Pattern.compile(
            "innerHTML|outerHTML|insertAdjacentHTML|document\\.write|\\beval\\(|new Function"
                + "|srcdoc|javascript:|DOMParser|setHTML|sessionStorage|document\\.cookie");
    for (Path file : ownFiles()) {
      String content = Files.readString(file);
      assertThat(parsing.matcher(content).results().map(found -> found.group()))
          .as(file.toString())
          .isEmpty();
    }
    assertThat(Files.readString(folder().resolve("index.html")))
        .doesNotContain("style=")
        .doesNotContainPattern("<script(?![^>]* src=)")
        .doesNotContainPattern("\\son[a-z]+=");
  }

  @Test
  void files_addressesOfOtherHosts_areOnlyNames() throws IOException {
    Pattern address = Pattern.compile("(https?:)?//[\\w.-]+\\.[a-z]{2,}[\\w./-]*");
    for (Path file : files()) {
      if (file.toString().endsWith(".LICENSE") || file.toString().endsWith(".json")) {
        continue;
      }
      String content = Files.readString(file);
      assertThat(address.matcher(content).results().map(found -> found.group()))
          .as(file.toString())
          .isSubsetOf(NAMES);
    }
  }

  private static JsonNode vendored() throws IOException {
    return new ObjectMapper().readTree(folder().resolve("vendor/vendored.json").toFile());
  }

  private static List<Path> ownFiles() {
    return files().stream().filter(file -> !file.toString().contains("vendor")).toList();
  }

  private static List<Path> files() {
    try (Stream<Path> walk = Files.walk(folder())) {
      return new ArrayList<>(
          walk.filter(Files::isRegularFile)
              .filter(file -> !file.toString().endsWith(".class"))
              .toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path folder() {
    try {
      URI page = Objects.requireNonNull(ConsoleEndpoint.class.getResource("index.html")).toURI();
      return Path.of(page).getParent();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
