package io.penstock.cli.recipes;

import io.penstock.testing.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;

/** Tests docs/recipes/caddy.md. */
@Tag("full")
class CaddyRecipeIT extends ProxyContract {
  @Override
  String program() {
    return "caddy";
  }

  @Override
  Running start(String program, Site site) throws IOException {
    int yes = Ports.free();
    Changes changes =
        site.changes()
            .with("127.0.0.1:8081", yes)
            .with("http://:8081", yes)
            .with("http://:80 ", "http://:" + site.port() + " ")
            // Two instances of Caddy on a machine can't share the port of the admin API.
            .with("{\n\tservers", "{\n\tadmin off\n\tservers");
    Path config = site.folder().resolve("Caddyfile");
    Files.writeString(config, RecipePage.of("caddy.md").block("caddyfile", changes));
    return Running.start(site.folder(), List.of(program, "run", "--config", config.toString()));
  }
}
