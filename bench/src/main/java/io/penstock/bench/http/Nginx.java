package io.penstock.bench.http;

import io.penstock.bench.contest.Programs;
import io.penstock.bench.http.BenchRequest.BenchResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The configuration of nginx with one worker.
 *
 * @param rate the rate of limit_req
 * @param locations the content of its server block
 * @param originPort the port of the origin
 * @param file the body of its own responses
 */
record Nginx(String rate, String locations, int originPort, String file) {
  private static final String CONFIG =
      """
      daemon off;
      worker_processes 1;
      pid FOLDER/nginx.pid;
      error_log FOLDER/error.log crit;
      events { worker_connections 1024; }
      http {
        access_log off;
        keepalive_requests 1000000000;
        server_tokens off;
        sendfile on;
        open_file_cache max=16 inactive=1h;
        open_file_cache_valid 1h;
        etag off;
        max_ranges 0;
        limit_req_zone $binary_remote_addr zone=address:10m rate=RATE;
        limit_req_status 429;
        upstream origin {
          server 127.0.0.1:ORIGIN;
          keepalive 256;
          keepalive_requests 1000000000;
        }
        server {
          listen 127.0.0.1:PORT;
          root FOLDER/files;
      LOCATIONS
        }
      }
      """;

  /** Sends the origin the headers that Penstock sends. */
  private static final String PASS =
      """
      proxy_http_version 1.1;
          proxy_set_header Connection '';
          proxy_set_header Host $http_host;
          proxy_set_header X-Forwarded-For $remote_addr;
          proxy_set_header X-Real-IP $remote_addr;
          proxy_set_header X-Forwarded-Proto $scheme;
          proxy_set_header X-Forwarded-Host $http_host;
          proxy_set_header X-Forwarded-Port $server_port;
          proxy_set_header X-Request-ID $request_id;
          proxy_set_header Via '1.1 nginx';
          proxy_pass http://origin;
      """;

  private static final String UNLIMITED_RATE = "1000000r/s";
  private static final String DENYING_RATE = "1r/m";

  static boolean isInstalled() {
    return Programs.find("nginx").isPresent();
  }

  /**
   * A server that limits and responds itself, with a file: {@code return} would respond before
   * {@code limit_req} is evaluated.
   */
  static Nginx limiting(BenchResponse reply) {
    String locations =
        """
        location / {
          limit_req zone=address burst=1000000 nodelay;
          try_files /nothing =404;
          add_header Last-Modified '';
          HEADERS
        }
        """;
    return new Nginx(UNLIMITED_RATE, withHeaders(locations, reply), 1, reply.body());
  }

  /** A server without limits, which sends 43 bytes from memory. */
  static Nginx origin() {
    return new Nginx(UNLIMITED_RATE, "location / { empty_gif; }", 1, "");
  }

  /** A proxy that limits, and adds headers to the responses of the origin. */
  static Nginx proxy(int originPort, BenchResponse additions) {
    String locations =
        """
        location / {
          limit_req zone=address burst=1000000 nodelay;
          HEADERS
          PASS
        }
        """;
    return new Nginx(UNLIMITED_RATE, withHeaders(locations, additions), originPort, "");
  }

  /** A proxy that denies all requests except the first, with a response from memory. */
  static Nginx denying(int originPort, BenchResponse denial) {
    String locations =
        """
        error_page 429 @denied;
        location / {
          limit_req zone=address;
          PASS
        }
        location @denied {
          default_type application/problem+json;
          HEADERS
          return 429 'BODY';
        }
        """
            .replace("BODY", denial.body().replace("\\", "\\\\").replace("'", "\\'"));
    return new Nginx(DENYING_RATE, withHeaders(locations, denial), originPort, "");
  }

  private static String withHeaders(String locations, BenchResponse reply) {
    String headers =
        reply.headers().stream()
            .map(header -> header.split(": ", 2))
            .filter(header -> !header[0].toLowerCase(Locale.ROOT).equals("content-type"))
            .map(header -> "add_header " + header[0] + " '" + header[1] + "' always;")
            .collect(Collectors.joining("\n    "));
    return locations.replace("HEADERS", headers).replace("PASS", PASS);
  }

  List<String> command(int port) throws IOException {
    Path folder = Files.createTempDirectory("penstock-nginx");
    // Its workers drop root privileges.
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.createDirectories(folder.resolve("files"));
    Files.writeString(folder.resolve("files").resolve("nothing"), file);
    Path config = folder.resolve("nginx.conf");
    Files.writeString(
        config,
        CONFIG
            .replace("FOLDER", folder.toString())
            .replace("PORT", "" + port)
            .replace("ORIGIN", "" + originPort)
            .replace("RATE", rate)
            .replace("LOCATIONS", locations));
    return List.of(
        Programs.find("nginx").orElseThrow().toString(),
        "-c",
        config.toString(),
        "-p",
        folder.toString());
  }
}
