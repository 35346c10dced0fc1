package io.penstock.server.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static io.penstock.server.console.ConsolePage.address;
import static io.penstock.server.console.ConsolePage.button;
import static io.penstock.server.console.ConsolePage.card;
import static io.penstock.server.console.ConsolePage.checkNoMarkup;
import static io.penstock.server.console.ConsolePage.choice;
import static io.penstock.server.console.ConsolePage.go;
import static io.penstock.server.console.ConsolePage.heading;
import static io.penstock.server.console.ConsolePage.link;
import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Download;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.FilePayload;
import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import io.penstock.server.database.TestPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The console in a real Chromium, in front of a real server under load. */
@Tag("full")
final class ConsoleIT {
  private static final String HOSTILE_RULE = "<img src=x onerror=alert(1)>";
  private static final String POLICY =
      """
      attributes: {user_id: caller, plan: caller}
      rules:
        - {name: login, limit_keys: ["ip:address"], match: {path: /login}, rate: 5/h, burst: 5}
        - {name: "%s", limit_keys: [user_id], match: {path: /evil}, rate: 1/min, burst: 2}
        - {name: pro, limit_keys: [user_id], match: {plan: pro}, rate: 1000/s, burst: 1000}
        - {name: others, limit_keys: [user_id], rate: 500/s, burst: 800}
        - {name: export, limit_keys: ["ip:address"], match: {path: /export}, rate: 3/d, burst: 3}
      """
          .formatted(HOSTILE_RULE);
  private static final String SEARCH =
      "{\"rule\":{\"name\":\"search\",\"limit_keys\":[\"user_id\"],\"match\":{\"path\":\"/search\"},"
          + "\"rate\":\"1/h\",\"burst\":3}}";

  @TempDir private static Path folder;
  private static ConsoleBrowser browser;
  private static RunningServer server;
  private static ConsoleLoad load;

  @BeforeAll
  static void start() {
    browser = ConsoleBrowser.launch();
    PlaywrightAssertions.setDefaultAssertionTimeout(120_000);
    server =
        RunningServer.with(
            Map.of(
                Setting.POLICY, RunningServer.write(folder, POLICY).toString(),
                Setting.POSTGRES, TestPostgres.fresh(),
                Setting.POSTGRES_SNAPSHOT, folder.resolve("rules.json").toString()));
    assertThat(server.admin("/v1/rules", SEARCH).statusCode()).isEqualTo(201);
    load = new ConsoleLoad(server);
  }

  @AfterAll
  static void stop() {
    if (load != null) {
      load.close();
    }
    if (server != null) {
      server.close();
    }
    if (browser != null) {
      browser.close();
    }
  }

  @AfterEach
  void check_nothingWentWrong(TestInfo test) {
    assertThat(browser.takeProblems()).as(test.getDisplayName()).isEmpty();
  }

  private static Page open(int width, ColorScheme colors) {
    Page page = browser.page(address(server), width, colors);
    page.navigate(address(server));
    return page;
  }

  @ParameterizedTest
  @CsvSource({"390,LIGHT", "390,DARK", "1440,LIGHT", "1440,DARK"})
  void pages_everyWidthAndTheme_areAccessibleAndComplete(int width, ColorScheme colors) {
    Page page = open(width, colors);

    assertThat(heading(page, "Overview")).isVisible();
    Locator top = card(page, "Top denied keys, last 15 minutes");
    assertThat(link(top, HOSTILE_RULE)).isVisible();
    assertThat(link(card(page, "Rules that deny most, last minute"), "login")).isVisible();
    assertThat(page.getByText("Live", new Page.GetByTextOptions().setExact(true))).isVisible();
    assertThat(page.locator(".plot canvas")).hasCount(2);
    assertThat(top.locator(".tank").first()).isVisible();
    ConsoleBrowser.check(page, "Overview");
    button(page, "24 hours").first().click();
    assertThat(button(page, "24 hours").first()).hasAttribute("aria-pressed", "true");

    go(page, "Rules");
    assertThat(link(page.locator("main"), "search")).isVisible();
    ConsoleBrowser.check(page, "Rules");
    page.getByLabel("Search rules").fill("img");
    assertThat(link(page.locator("main"), "search")).hasCount(0);
    link(page.locator("main"), HOSTILE_RULE).click();
    assertThat(heading(page, HOSTILE_RULE)).isVisible();
    assertThat(page.getByText("Read only.")).isVisible();
    assertThat(card(page, "Decisions of this rule per second").locator("canvas")).isVisible();
    ConsoleBrowser.check(page, "a rule of a file");
    go(page, "Rules");
    link(page.locator("main"), "search").click();
    assertThat(card(page, "Edit").getByRole(AriaRole.TEXTBOX)).isVisible();
    assertThat(card(page, "History").getByText("insert")).isVisible();
    ConsoleBrowser.check(page, "a rule of the database");

    go(page, "Key");
    choice(page, "Rule").selectOption("login");
    page.getByLabel(Pattern.compile("^Key")).fill("ip:address=203.0.113.9");
    button(page, "Look up").click();
    assertThat(card(page, "Level").locator(".bucket.large")).isVisible();
    assertThat(card(page, "Limits with the values of this key").getByText("login")).isVisible();
    ConsoleBrowser.check(page, "Key");

    go(page, "Try it");
    page.getByLabel("Path").fill("/login");
    page.getByLabel("Client address").fill("203.0.113.9");
    button(page, "Add a header").click();
    page.getByLabel("Name of header 1").fill("x-note");
    page.getByLabel("Value of header 1").fill(ConsoleLoad.SCRIPT);
    button(page, "Explain").click();
    assertThat(link(card(page, "Rule by rule"), HOSTILE_RULE)).isVisible();
    ConsoleBrowser.check(page, "Try it");
    button(page, "Sandbox").click();
    Locator plot = card(page, "Bucket level, allowed and denied");
    assertThat(plot.locator("canvas")).isVisible();
    choice(page, "Traffic").selectOption("drawn");
    assertThat(card(page, "Draw the traffic")).isVisible();
    choice(page, "Start from a rule").selectOption("export");
    assertThat(page.getByText("3/d", new Page.GetByTextOptions().setExact(true))).isVisible();
    choice(page, "Traffic").selectOption("retry_storm");
    choice(page, "Denied clients").selectOption("at_once");
    assertThat(plot.getByText(Pattern.compile("requests allowed"))).isVisible();
    assertThat(plot.getByRole(AriaRole.STATUS)).hasAttribute("aria-busy", "false");
    ConsoleBrowser.check(page, "Sandbox");
    checkLogSample(page);

    go(page, "Violations");
    assertThat(link(card(page, "Records"), HOSTILE_RULE)).isVisible();
    assertThat(card(page, "Denied requests over time").locator("canvas")).isVisible();
    assertThat(card(page, "Top offenders").getByRole(AriaRole.ROW)).not().hasCount(0);
    ConsoleBrowser.check(page, "Violations");

    assertThat(card(page, "Records")).containsText("\\u{202E}gnp.exe");
    assertThat(page.locator("main").innerText()).doesNotContain("\u202E");

    checkNoMarkup(page);
    page.context().close();
  }

  private static void checkLogSample(Page page) {
    button(page, "Access log").click();
    StringBuilder log = new StringBuilder("time,ip,path,user_id\n");
    for (int i = 0; i < 100; i++) {
      log.append("%d,192.0.2.%d,/login,\n".formatted(1_760_000_000 + i, i % 3));
      log.append("%d,192.0.2.9,/evil/%d,%s\n".formatted(1_760_000_000 + i, i, HOSTILE_RULE));
    }
    page.getByLabel("Access log")
        .setInputFiles(new FilePayload("access.csv", "text/csv", log.toString().getBytes(UTF_8)));
    button(page, "Replay").click();
    assertThat(card(page, "Replay")).containsText("200 requests");
    assertThat(card(page, "Denied by login").locator("canvas")).isVisible();
    assertThat(card(page, "Denied by login")).containsText("192.0.2.1");
    assertThat(card(page, "Replay")).containsText("no request of the log has plan");
    assertThat(card(page, "Replay")).containsText("201 lines, format csv");
    assertThat(card(page, "Replay").locator("canvas")).isVisible();
    ConsoleBrowser.check(page, "Access log, replayed");

    button(page, "Suggest limits").click();
    page.getByLabel("A limit for each").fill("path");
    button(page, "Suggest").click();
    assertThat(card(page, "Suggested limits")).containsText("/evil/*");
    assertThat(page.locator("pre").getByText(Pattern.compile("\nrules:\n"))).isVisible();
    assertThat(card(page, "/login").locator("canvas")).isVisible();
    assertThat(page.locator("details pre")).containsText("allows its burst, then its rate");
    page.getByLabel("Fold paths that match").fill("/ev*");
    page.getByLabel("Replace ids in paths by *").uncheck();
    button(page, "Suggest").click();
    assertThat(card(page, "/ev*").locator("canvas")).isVisible();
    ConsoleBrowser.check(page, "Access log, limits");

    page.getByLabel("Access log")
        .setInputFiles(new FilePayload("x", "text/plain", HOSTILE_RULE.getBytes(UTF_8)));
    button(page, "Suggest").click();
    assertThat(page.getByRole(AriaRole.ALERT)).containsText("the format is not recognized");

    button(page, "Replay under the active policy").click();
    page.getByLabel("Access log")
        .setInputFiles(new FilePayload("empty", "text/plain", new byte[0]));
    page.locator("button.primary").click();
    assertThat(card(page, "Replay")).containsText("nothing to replay");
    assertThat(card(page, "Replay")).not().containsText("no request of the log has");
  }

  @Test
  void rule_changedUnderLoad_takesEffectAndCanBeRolledBack() {
    Page page = open(1440, ColorScheme.LIGHT);
    long before = load.denied();
    await().until(() -> load.denied() > before);
    go(page, "Rules");
    link(page.locator("main"), "search").click();
    Locator text = page.getByLabel("The rule, as in a policy file (JSON)");
    String original = text.inputValue();

    text.fill(original.replace("1/h", "5/fortnight"));
    button(page, "Preview").click();
    Locator errors = page.locator("#rule-errors");
    assertThat(errors).containsText("rate");
    int line = original.substring(0, original.indexOf("1/h")).split("\n", -1).length;
    assertThat(errors).containsText("Line " + line);
    assertThat(page.locator(".editor li.wrong")).hasText(String.valueOf(line));

    text.fill(original.replace("1/h", "1000/s").replace("\"burst\": 3", "\"burst\": 5000"));
    button(page, "Preview").click();
    assertThat(page.locator(".now").first()).containsText("1000/s");
    button(page, "Save").click();
    assertThat(page.getByText("Rule search saved")).isVisible();
    long allowed = load.allowed();
    await().until(() -> load.allowed() > allowed + 5);

    assertThat(button(page, "Restore the version before")).hasCount(1);
    button(page, "Restore the version before").click();
    assertThat(page.locator(".now").first()).containsText("1/h");
    button(page, "Save").click();
    await().until(() -> server.admin("/v1/rules/search").body().contains("\"1/h\""));
    long denied = load.denied();
    await().until(() -> load.denied() > denied + 5);

    button(page, "Shadow for 30 minutes").click();
    page.getByRole(AriaRole.DIALOG).getByText("Shadow for 30 minutes").last().click();
    assertThat(page.getByText(Pattern.compile("^Mode shadow until"))).isVisible();
    long shadowed = load.allowed();
    await().until(() -> load.allowed() > shadowed + 5);
    button(page, "End shadow mode").click();
    button(page, "End the override").click();
    assertThat(page.getByText(Pattern.compile("^Mode shadow until"))).hasCount(0);
    page.context().close();
  }

  @Test
  void key_resetAndGranted_hasTheLevelThatIsShown() {
    Page page = open(1440, ColorScheme.DARK);
    for (int i = 0; i < 4; i++) {
      server.check("{\"path\":\"/login\",\"ip\":\"192.0.2.77\"}");
    }
    go(page, "Key");
    choice(page, "Rule").selectOption("login");
    page.getByLabel(Pattern.compile("^Key")).fill("ip:address=192.0.2.77");
    button(page, "Look up").click();
    Locator level = card(page, "Level").locator("strong");
    assertThat(level).hasText(Pattern.compile("^1"));
    page.getByLabel("Tokens").fill("2");
    button(page, "Grant").click();
    button(page, "Grant tokens").click();
    assertThat(level).hasText(Pattern.compile("^3"));
    button(page, "Reset").click();
    button(page, "Reset the key").click();
    assertThat(level).hasText("5");
    assertThat(server.check("{\"path\":\"/login\",\"ip\":\"192.0.2.77\",\"cost\":5}").body())
        .startsWith("{\"allowed\":true");
    page.context().close();
  }

  @Test
  void key_limitOverridden_hasTheOtherLimitUntilItEnds() {
    Page page = open(390, ColorScheme.LIGHT);
    String check = "{\"path\":\"/login\",\"ip\":\"192.0.2.78\",\"cost\":8}";
    go(page, "Key");
    choice(page, "Rule").selectOption("login");
    page.getByLabel(Pattern.compile("^Key")).fill("ip:address=192.0.2.78");
    button(page, "Look up").click();
    Locator level = card(page, "Level");
    assertThat(level.locator("strong")).hasText("5");
    page.getByLabel("Rate", new Page.GetByLabelOptions().setExact(true)).fill("1/fortnight");
    page.getByLabel("Burst", new Page.GetByLabelOptions().setExact(true)).fill("9");
    button(page, "Override").click();
    button(page, "Override the limit").click();
    assertThat(page.getByRole(AriaRole.DIALOG).getByRole(AriaRole.ALERT)).containsText("rate");
    button(page, "Cancel").click();
    assertThat(page.getByRole(AriaRole.DIALOG)).hasCount(0);
    page.getByLabel("Rate", new Page.GetByLabelOptions().setExact(true)).fill("1/h");
    button(page, "Override").click();
    button(page, "Override the limit").click();
    assertThat(level.locator("strong")).hasText("9");
    assertThat(level).containsText("overridden until");
    assertThat(card(page, "Overridden keys of this node").getByText("ip:address=192.0.2.78"))
        .isVisible();
    ConsoleBrowser.check(page, "a key with an override");
    assertThat(server.check(check).body()).startsWith("{\"allowed\":true");
    button(page, "End override").click();
    button(page, "End the override").click();
    assertThat(card(page, "Overridden keys of this node")).hasCount(0);
    assertThat(level).not().containsText("overridden until");
    assertThat(server.check(check).body()).startsWith("{\"allowed\":false");
    page.context().close();
  }

  @Test
  void violations_downloaded_areCsvWithoutFormulas() throws IOException {
    for (int i = 0; i < 4; i++) {
      server.check(
          "{\"path\":\"/evil\",\"ip\":\"192.0.2.5\",\"attributes\":{\"user_id\":\"=1+1\"}}");
    }
    await().until(() -> server.admin("/v1/violations?user=%3D1%2B1").body().contains("=1+1"));
    Page page = open(1440, ColorScheme.LIGHT);
    go(page, "Violations");
    page.getByLabel("User", new Page.GetByLabelOptions().setExact(true)).fill("=1+1");
    button(page, "Apply").click();
    assertThat(card(page, "Records").getByText("192.0.2.5").first()).isVisible();
    Download download = page.waitForDownload(() -> button(page, "Download CSV").click());
    assertThat(download.suggestedFilename()).isEqualTo("violations.csv");
    assertThat(Files.readString(download.path()))
        .startsWith("requested_at,rule,reason,key,user_id,ip_address,endpoint,")
        .contains(",'=1+1,")
        .doesNotContain(",=1+1");
    page.context().close();
  }

  @Test
  void rules_folderOfFiles_showTheFileOfEachRule(@TempDir Path policies) throws IOException {
    Files.writeString(
        policies.resolve("10-api.yaml"), "{name: api, limit_keys: [user_id], rate: 1/s}");
    Files.writeString(
        policies.resolve("20-a-file-with-a-long-name.yaml"),
        "rules:\n  - {name: tenant, limit_keys: [tenant], rate: 1/s}");
    try (RunningServer folders = RunningServer.with(Map.of(Setting.POLICY, policies.toString()))) {
      String at = address(folders);
      Page page = browser.page(at, 390, ColorScheme.LIGHT);
      page.navigate(at);
      go(page, "Rules");
      assertThat(page.locator(".tier").first()).containsText("10-api.yaml");
      assertThat(page.locator(".tier").last()).containsText("20-a-file-with-a-long-name.yaml");
      ConsoleBrowser.check(page, "Rules");
      link(page.locator("main"), "20-a-file-with-a-long-name/tenant").click();
      assertThat(page.locator(".banner.info"))
          .containsText(policies + "/20-a-file-with-a-long-name.yaml:2:5");
      page.context().close();
    }
  }

  @Test
  void rules_databaseUnavailable_areReadOnlyAndOfUnknownOrigin() {
    try (RunningServer alone =
        RunningServer.with(
            Map.of(
                Setting.POLICY,
                RunningServer.write(folder, POLICY).toString(),
                Setting.POSTGRES,
                "postgres://none:none@127.0.0.1:1/none"))) {
      String at = address(alone);
      Page page = browser.page(at, 1440, ColorScheme.LIGHT);
      page.navigate(at);
      assertThat(page.locator(".banner.bad")).containsText("Database: ");
      go(page, "Rules");
      assertThat(page.getByText("The database is unavailable")).isVisible();
      assertThat(page.locator(".tier").first()).containsText("unknown");
      assertThat(page.getByText("New rule")).hasCount(0);
      link(page.locator("main"), "login").click();
      assertThat(page.getByText("so it is unknown where this rule comes from")).isVisible();
      page.context().close();
    }
  }
}
