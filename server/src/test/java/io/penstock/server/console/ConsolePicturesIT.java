package io.penstock.server.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import io.penstock.server.database.TestPostgres;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.StringJoiner;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Takes the pictures of docs/console.md. */
@Tag("full")
@EnabledIfSystemProperty(named = "penstock.docs.write", matches = "true")
final class ConsolePicturesIT {
  private static final Path IMAGES = Path.of("../docs/images");
  private static final String POLICY =
      """
      attributes: {user_id: caller, plan: caller}
      rules:
        - {name: login, limit_keys: ["ip:address"], match: {path: /login}, rate: 30/min, burst: 10}
        - {name: pro, limit_keys: [user_id], match: {plan: pro, path: "/api/**"}, rate: 50/s, burst: 100}
        - {name: free, limit_keys: [user_id], match: {path: "/api/**"}, rate: 5/s, burst: 20}
        - {name: export, limit_keys: [user_id], match: {path: /export}, rate: 2/s, burst: 4, mode: shadow}
      """;
  private static final String SEARCH =
      "{\"rule\":{\"name\":\"search\",\"limit_keys\":[\"user_id\"],\"match\":{\"path\":\"/search\"},"
          + "\"rate\":\"8/s\",\"burst\":16}}";

  @TempDir private Path folder;

  @Test
  void pictures() {
    PlaywrightAssertions.setDefaultAssertionTimeout(120_000);
    ScheduledExecutorService load = Executors.newSingleThreadScheduledExecutor();
    try (ConsoleBrowser browser = ConsoleBrowser.launch();
        RunningServer server =
            RunningServer.with(
                Map.of(
                    Setting.POLICY, RunningServer.write(folder, POLICY).toString(),
                    Setting.POSTGRES, TestPostgres.fresh(),
                    Setting.POSTGRES_SNAPSHOT, folder.resolve("rules.json").toString()))) {
      assertThat(server.admin("/v1/rules", SEARCH).statusCode()).isEqualTo(201);
      Traffic traffic = new Traffic(server);
      var unused = load.scheduleWithFixedDelay(traffic, 0, 50, TimeUnit.MILLISECONDS);
      String at = "http://localhost:" + server.server().adminPort();

      Page overview = browser.page(at, 1440, ColorScheme.LIGHT);
      overview.navigate(at);
      await().until(() -> traffic.steps.get() > 500);
      assertThat(overview.locator(".tank i").first()).isVisible();
      save(overview, "overview");

      Page rule = browser.page(at, 1440, ColorScheme.LIGHT);
      rule.navigate(at + "/#/rules/search");
      Locator text = rule.getByLabel("The rule, as in a policy file (JSON)");
      text.fill(text.inputValue().replace("8/s", "20/s").replace("16", "60"));
      rule.getByText("Preview").click();
      assertThat(rule.locator(".now").first()).containsText("20/s");
      rule.evaluate("document.getElementById('editor').scrollIntoView()");
      save(rule, "rule");

      String override =
          "{\"rule\":\"free\",\"key\":\"user_id=1001\",\"rate\":\"20/s\",\"burst\":40,\"for\":\"8h\"}";
      assertThat(server.admin("/v1/keys/override", override).statusCode()).isEqualTo(200);
      Page key = browser.page(at, 1440, ColorScheme.LIGHT);
      key.navigate(at + "/#/key");
      key.getByRole(AriaRole.COMBOBOX, new Page.GetByRoleOptions().setName("Rule").setExact(true))
          .selectOption("free");
      key.getByLabel(Pattern.compile("^Key")).fill("user_id=1001");
      key.getByText("Look up").click();
      int steps = traffic.steps.get();
      await().until(() -> traffic.steps.get() > steps + 300);
      save(key, "key");

      Page sandbox = browser.page(at, 1440, ColorScheme.DARK);
      sandbox.navigate(at + "/#/try?tab=sandbox");
      Locator status = sandbox.locator("main").getByRole(AriaRole.STATUS);
      assertThat(status).hasAttribute("aria-busy", "false");
      assertThat(sandbox.locator("canvas")).isVisible();
      save(sandbox, "sandbox");

      Page log = browser.page(at, 1440, ColorScheme.LIGHT);
      log.navigate(at + "/#/try?tab=log");
      log.getByLabel("Access log").setInputFiles(Path.of("../docs/examples/access-log.txt"));
      log.getByText("Replay", new Page.GetByTextOptions().setExact(true)).click();
      assertThat(log.locator("canvas").first()).isVisible();
      save(log, "log");
    } finally {
      load.shutdownNow();
    }
  }

  private static void save(Page page, String name) {
    page.screenshot(
        new Page.ScreenshotOptions().setPath(IMAGES.resolve("console-" + name + ".png")));
  }

  /** A few busy clients among many quiet ones, in waves. */
  private static final class Traffic implements Runnable {
    private final RunningServer server;
    private final Random random = new Random(7);
    final AtomicInteger steps = new AtomicInteger();

    Traffic(RunningServer server) {
      this.server = server;
    }

    @Override
    public void run() {
      StringJoiner checks = new StringJoiner(",", "{\"checks\":[", "]}");
      int size = (int) (12 + 6 * Math.sin(steps.get() / 60.0) + random.nextInt(4));
      for (int i = 0; i < size; i++) {
        checks.add(check());
      }
      server.post("/v1/check/batch", checks.toString());
      steps.incrementAndGet();
    }

    private String check() {
      int kind = random.nextInt(20);
      String path =
          kind == 0 ? "/login" : kind < 3 ? "/export" : kind < 8 ? "/search" : "/api/orders";
      // The third power makes small numbers frequent.
      double share = random.nextDouble();
      int user = 1000 + (int) (share * share * share * 60);
      String plan = user % 4 == 0 ? "pro" : "free";
      return "{\"path\":\"%s\",\"ip\":\"203.0.113.%d\",\"attributes\":{\"user_id\":\"%d\",\"plan\":\"%s\"}}"
          .formatted(path, user % 50, user, plan);
    }
  }
}
