package io.penstock.cli;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks the startup of the service: memory and the printed command. */
class ServeIT {
  private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s+(\\d+) kB");
  private static final Pattern HEADER = Pattern.compile("-H '([^:]+): ([^']+)'");
  private static final Pattern URL = Pattern.compile("http://\\S+/v1/forward-auth");

  @TempDir Path folder;

  @Test
  @Tag("full")
  void serve_started_usesLittleMemory() throws IOException {
    try (Service service = Service.start(folder)) {
      System.out.println("ready after " + service.readyMillis() + " ms");

      Path status = Path.of("/proc/" + service.process().pid() + "/status");
      assumeTrue(Files.exists(status), "no /proc");
      Matcher resident = RESIDENT.matcher(Files.readString(status));
      assertThat(resident.find()).isTrue();
      long mebibytes = Long.parseLong(resident.group(1)) >> 10;
      System.out.println(mebibytes + " MiB resident");
      assertThat(mebibytes).isLessThan(250);
    }
  }

  @Test
  void serve_printedCommand_isAllowedUpToTheBurst() {
    try (Service service = Service.start(folder)) {
      await("startup banner").until(() -> service.process().out().contains("penstock sample"));
      String line =
          service.process().out().lines().filter(l -> l.contains("curl")).findFirst().orElseThrow();

      for (int i = 0; i < 5; i++) {
        assertThat(service.send(asCurl(line)).statusCode()).isEqualTo(200);
      }
      HttpResponse<String> denied = service.send(asCurl(line));

      assertThat(denied.statusCode()).isEqualTo(429);
      assertThat(denied.headers().map())
          .containsKeys(
              "retry-after",
              "ratelimit",
              "ratelimit-policy",
              "ratelimit-limit",
              "ratelimit-remaining",
              "ratelimit-reset",
              "x-penstock-reason");
      assertThat(denied.headers().firstValue("content-type"))
          .hasValueSatisfying(type -> assertThat(type).startsWith("application/problem+json"));
      assertThat(denied.body()).contains("violated-policies", "login");
    }
  }

  private static HttpRequest.Builder asCurl(String line) {
    Matcher url = URL.matcher(line);
    assertThat(url.find()).isTrue();
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url.group()));
    HEADER.matcher(line).results().forEach(h -> request.header(h.group(1), h.group(2)));
    return request;
  }
}
