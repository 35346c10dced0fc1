package io.penstock.cli.recipes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;

/** Tests docs/recipes/haproxy.md. */
@Tag("full")
class HaproxyRecipeIT extends ProxyContract {
  @Override
  String program() {
    return "haproxy";
  }

  @Override
  Running start(String program, Site site) throws IOException {
    RecipePage page = RecipePage.of("haproxy.md");
    Path folder = site.folder();
    Path script = folder.resolve("penstock.lua");
    // Names of abstract sockets are shared by the whole machine.
    String socket = "abns@penstock-" + site.port();
    Files.writeString(script, page.block("lua", new Changes().with("abns@penstock", socket)));
    Changes changes =
        site.changes()
            .with("abns@penstock", socket)
            .with("bind :80\n", "bind 127.0.0.1:" + site.port() + "\n")
            .with("port 9090", "port " + site.penstock().adminPort())
            .with("lua-load /etc/haproxy/penstock.lua", "lua-load " + script);
    Path config = folder.resolve("haproxy.cfg");
    Files.writeString(config, page.block("haproxy", changes));
    return Running.start(folder, List.of(program, "-db", "-f", config.toString()));
  }
}
