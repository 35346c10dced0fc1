package io.penstock.bench.http;

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

  private static final String UNLIMITED_RATE = "1000000r/s";
  private static final String DENYING_RATE = "1r/m";

  static boolean isInstalled() {
    return Programs.find("nginx").isPresent();
  }

  /** A server that limits and responds itself. */
  static Nginx limiting(BenchResponse reply) {
    String locations =
        """
        location / {
          limit_req zone=address burst=1000000 nodelay;
          try_files /nothing =404;
          HEADERS
        }
        """;
    return new Nginx(UNLIMITED_RATE, withHeaders(locations, reply), 1, reply.body());
  }

  /** A server without limits. */
  static Nginx origin(BenchResponse reply) {
    String locations =
        """
        location / {
          try_files /nothing =404;
          HEADERS
        }
        """;
    return new Nginx(UNLIMITED_RATE, withHeaders(locations, reply), 1, reply.body());
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

  /** A proxy that denies all requests except the first. */
  static Nginx denying(int originPort, BenchResponse denial) {
    String locations =
        """
        error_page 429 /denied;
        location / {
          limit_req zone=address;
          PASS
        }
        location = /denied {
          internal;
          default_type application/problem+json;
          try_files /nothing =404;
          HEADERS
        }
        """;
    return new Nginx(DENYING_RATE, withHeaders(locations, denial), originPort, denial.body());
  }

  private static String withHeaders(String locations, BenchResponse reply) {
    String headers =
        reply.headers().stream()
            .map(header -> header.split(": ", 2))
            .filter(header -> !header[0].toLowerCase(Locale.ROOT).equals("content-type"))
            .map(header -> "add_header " + header[0] + " '" + header[1] + "' always;")
            .collect(Collectors.joining("\n    "));
    String pass =
        "proxy_http_version 1.1; proxy_set_header Connection ''; proxy_pass http://origin;";
    return locations.replace("HEADERS", headers).replace("PASS", pass);
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
