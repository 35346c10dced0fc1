package io.penstock.bench.http;

import io.penstock.bench.http.Question.Reply;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Collectors;

/** nginx as a limiter, where it is installed. */
final class Nginx {
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
        limit_req_zone $binary_remote_addr zone=address:10m rate=1000000r/s;
        server {
          listen 127.0.0.1:PORT;
          root FOLDER/files;
          location / {
            limit_req zone=address burst=1000000 nodelay;
            try_files /nothing =404;
      HEADERS
          }
        }
      }
      """;

  private Nginx() {}

  static boolean isInstalled() {
    return Programs.find("nginx").isPresent();
  }

  static List<String> command(int port, Reply reply) throws IOException {
    Path folder = Files.createTempDirectory("penstock-nginx");
    // Its workers give up the rights of root.
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.createDirectories(folder.resolve("files"));
    Files.writeString(folder.resolve("files").resolve("nothing"), reply.body());
    String headers =
        reply.headers().stream()
            .map(header -> header.split(": ", 2))
            .map(header -> "      add_header " + header[0] + " '" + header[1] + "';")
            .collect(Collectors.joining("\n"));
    Path config = folder.resolve("nginx.conf");
    Files.writeString(
        config,
        CONFIG
            .replace("FOLDER", folder.toString())
            .replace("PORT", "" + port)
            .replace("HEADERS", headers));
    return List.of(
        Programs.find("nginx").orElseThrow().toString(),
        "-c",
        config.toString(),
        "-p",
        folder.toString());
  }
}
