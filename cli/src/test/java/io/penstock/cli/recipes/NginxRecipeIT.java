package io.penstock.cli.recipes;

import io.penstock.testing.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;

/** Tests docs/recipes/nginx.md. */
@Tag("full")
class NginxRecipeIT extends ProxyContract {
  /**
   * The main configuration around the file of the page, with paths that the current user can write.
   */
  private static final String MAIN_CONFIG =
      """
      user root;
      daemon off;
      pid nginx.pid;
      worker_processes 2;
      error_log stderr;
      events {}
      http {
          access_log off;
          client_body_temp_path body;
          proxy_temp_path proxy;
          fastcgi_temp_path fastcgi;
          uwsgi_temp_path uwsgi;
          scgi_temp_path scgi;
          include penstock.conf;
      }
      """;

  @Override
  String program() {
    return "nginx";
  }

  @Override
  Running start(String program, Site site) throws IOException {
    Changes changes =
        site.changes()
            .with("127.0.0.1:8081", Ports.free())
            .with("listen 80;", "listen 127.0.0.1:" + site.port() + ";");
    Path folder = site.folder();
    Files.writeString(
        folder.resolve("penstock.conf"), RecipePage.of("nginx.md").block("nginx", changes));
    Files.writeString(folder.resolve("nginx.conf"), MAIN_CONFIG);
    return Running.start(
        folder, List.of(program, "-p", folder.toString(), "-c", "nginx.conf", "-e", "stderr"));
  }
}
