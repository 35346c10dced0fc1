package io.penstock.server.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static io.penstock.server.console.ConsolePage.address;
import static io.penstock.server.console.ConsolePage.button;
import static io.penstock.server.console.ConsolePage.card;
import static io.penstock.server.console.ConsolePage.choice;
import static io.penstock.server.console.ConsolePage.dialog;
import static io.penstock.server.console.ConsolePage.go;
import static io.penstock.server.console.ConsolePage.heading;
import static io.penstock.server.console.ConsolePage.link;
import static io.penstock.server.console.ConsolePage.lookUp;
import static io.penstock.server.console.ConsolePage.signIn;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Request;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import io.penstock.server.database.TestPostgres;
import io.penstock.server.http.AccessTokens;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
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
import org.slf4j.LoggerFactory;

/** What operators do in the console, from the first paint to the last confirmation. */
@Tag("full")
final class ConsoleFlowsIT {
  private static final int MAX_BYTES = 150_000;

  /** Far above the goal of a second, for machines under load. */
  private static final double MAX_PAINT_MILLIS = 20_000;

  private static final String MARKUP = "<svg onload=alert(9)>";
  private static final String POLICY =
      """
      attributes: {user_id: caller}
      rules:
        - {name: login, limit_keys: ["ip:address"], match: {path: /login}, rate: 5/h, burst: 5}
        - {name: tool, limit_keys: ["header:x-api-key"], match: {path: /tool}, rate: 1/h, burst: 1}
        - {name: trial, limit_keys: [user_id], match: {path: /trial}, rate: 1/h, burst: 1, mode: shadow}
      """;
  private static final String TOOL =
      "{\"path\":\"/tool\",\"ip\":\"192.0.2.5\",\"headers\":{\"x-api-key\":\"sesame\"}}";

  @TempDir private static Path folder;
  private static ConsoleBrowser browser;
  private static RunningServer server;

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
  }

  @AfterAll
  static void stop() {
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

  private static Page open(RunningServer at, int width, ColorScheme colors) {
    Page page = browser.page(address(at), width, colors);
    page.navigate(address(at));
    assertThat(heading(page, "Overview")).isVisible();
    return page;
  }

  private static RunningServer withoutDatabase() {
    return RunningServer.with(
        Map.of(Setting.POLICY, RunningServer.write(folder, POLICY).toString()));
  }

  private static String rule(String name, String rate) {
    return """
        {"name": "%s", "limit_keys": ["user_id"], "match": {"path": "/of/%d"}, "rate": "%s", "burst": 3}
        """
        .formatted(name, name.hashCode() & 0xff_ffff, rate);
  }

  @ParameterizedTest
  @CsvSource({"390,LIGHT", "390,DARK", "1440,LIGHT", "1440,DARK"})
  void rule_createdDeletedAndRestored_everyWidthAndTheme(int width, ColorScheme colors) {
    String name = MARKUP + width + colors;
    Page page = open(server, width, colors);
    go(page, "Rules");
    link(page.locator("main"), "New rule").click();
    assertThat(heading(page, "New rule")).isVisible();
    page.getByLabel("The rule, as in a policy file (JSON)").fill(rule(name, "1/h"));
    button(page, "Preview").click();
    assertThat(page.getByText("Saving this will create the rule")).isVisible();
    ConsoleBrowser.check(page, "New rule");
    button(page, "Save").click();
    assertThat(heading(page, name)).isVisible();
    assertThat(card(page, "History").getByText("insert")).isVisible();
    ConsoleBrowser.check(page, "a rule with markup in its name");

    button(page, "Shadow for 30 minutes").click();
    assertThat(dialog(page)).containsText(name);
    ConsoleBrowser.check(page, "the dialog of the shadow mode");
    page.keyboard().press("Escape");
    assertThat(dialog(page)).hasCount(0);

    button(page, "Delete").click();
    assertThat(dialog(page)).containsText(name);
    ConsoleBrowser.check(page, "the dialog of a deletion");
    button(page, "Delete the rule").click();
    assertThat(page.getByText("No rule has this name")).isVisible();
    assertThat(card(page, "History").getByText("delete")).isVisible();
    ConsoleBrowser.check(page, "a deleted rule");
    button(page, "Restore the version before").first().click();
    assertThat(page.getByText("Saving this will create the rule")).isVisible();
    ConsoleBrowser.check(page, "a deleted rule that is restored");
    button(page, "Save").click();
    assertThat(card(page, "Edit")).isVisible();
    assertThat(server.admin("/v1/rules?limit=1000").body())
        .contains("svg onload=alert(9)>" + width);
    button(page, "Delete").click();
    button(page, "Delete the rule").click();
    assertThat(page.getByText("No rule has this name")).isVisible();
    page.context().close();
  }

  @Test
  void rule_changedByAnother_isNotOverwritten() {
    assertThat(server.admin("/v1/rules", "{\"rule\":" + rule("shared", "1/h") + "}").statusCode())
        .isEqualTo(201);
    Page page = open(server, 1440, ColorScheme.LIGHT);
    go(page, "Rules");
    link(page.locator("main"), "shared").click();
    Locator text = page.getByLabel("The rule, as in a policy file (JSON)");
    text.fill(text.inputValue().replace("1/h", "7/h"));
    Matcher version =
        Pattern.compile("\"version\":(\\d+)").matcher(server.admin("/v1/rules/shared").body());
    assertThat(version.find()).isTrue();
    String other = "{\"version\":" + version.group(1) + ",\"rule\":" + rule("shared", "9/h") + "}";
    assertThat(
            RunningServer.send(
                    server
                        .administration("/v1/rules/shared")
                        .PUT(HttpRequest.BodyPublishers.ofString(other)))
                .statusCode())
        .isEqualTo(200);
    button(page, "Save").click();
    assertThat(page.locator("#rule-errors")).containsText("version");
    assertThat(page.getByText("The rule has changed since you opened it")).isVisible();
    page.getByText(Pattern.compile("^Discard my text and load version")).click();
    assertThat(text).hasValue(Pattern.compile("9/h"));
    assertThat(server.admin("/v1/rules/shared").body()).contains("9/h");
    page.context().close();
  }

  @ParameterizedTest
  @CsvSource({"390,LIGHT", "390,DARK", "1440,LIGHT", "1440,DARK"})
  void key_dialogs_everyWidthAndTheme_areAccessible(int width, ColorScheme colors) {
    Page page = open(server, width, colors);
    lookUp(page, "trial", "user_id=" + MARKUP.replace("=", "%3D"));
    assertThat(card(page, "Level")).containsText("user_id=<svg%20onload%3Dalert(9)>");
    ConsoleBrowser.check(page, "a key with markup");
    for (String[] each :
        new String[][] {
          {"Reset", "Reset the key"}, {"Grant", "Grant tokens"}, {"Override", "Override the limit"}
        }) {
      button(page, each[0]).click();
      assertThat(dialog(page)).containsText("<svg onload");
      assertThat(button(page, each[1])).isVisible();
      ConsoleBrowser.check(page, "the dialog " + each[0]);
      button(page, "Cancel").click();
      assertThat(dialog(page)).hasCount(0);
    }
    page.context().close();
  }

  @ParameterizedTest
  @CsvSource({"390,LIGHT", "390,DARK", "1440,LIGHT", "1440,DARK"})
  void signIn_everyWidthAndTheme_isAccessible(int width, ColorScheme colors) {
    try (RunningServer guarded =
        RunningServer.with(Map.of(Setting.ADMIN_TOKEN, "0123456789abcdef"))) {
      Page page = browser.page(address(guarded), width, colors);
      page.navigate(address(guarded));
      assertThat(heading(page, "Sign in")).isVisible();
      ConsoleBrowser.check(page, "Sign in");
      signIn(page, "wrong");
      assertThat(page.getByText("This token is not known")).isVisible();
      ConsoleBrowser.check(page, "Sign in with a wrong token");
      page.context().close();
    }
  }

  @Test
  void token_ofAReader_isKeptInMemoryAndShowsNoControls() {
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    Logger own = (Logger) LoggerFactory.getLogger("io.penstock");
    Level before = own.getLevel();
    root.addAppender(log);
    own.setLevel(Level.TRACE);
    String writer = "writer-0123456789abcdef";
    String reader = "reader-0123456789abcdef";
    try (RunningServer guarded =
        RunningServer.with(
            Map.of(
                Setting.POLICY,
                RunningServer.write(folder, POLICY).toString(),
                Setting.ADMIN_TOKEN,
                writer,
                Setting.ADMIN_TOKENS,
                "read:ops:" + AccessTokens.hashOf(reader)))) {
      String at = address(guarded);
      Page page = browser.page(at, 1440, ColorScheme.LIGHT);
      page.navigate(at);
      assertThat(heading(page, "Sign in")).isVisible();
      signIn(page, "wrong-0123456789abcdef");
      assertThat(page.getByText("This token is not known")).isVisible();
      signIn(page, reader);
      assertThat(page.getByText("ops (read only)")).isVisible();
      assertThat(page.getByText("Live", new Page.GetByTextOptions().setExact(true))).isVisible();
      go(page, "Rules");
      link(page.locator("main"), "login").click();
      assertThat(heading(page, "login")).isVisible();
      assertThat(page.getByText("Read only.")).isVisible();
      assertThat(button(page, "Shadow for 30 minutes")).hasCount(0);
      go(page, "Key");
      choice(page, "Rule").selectOption("login");
      page.getByLabel(Pattern.compile("^Key")).fill("ip:address=192.0.2.1");
      button(page, "Look up").click();
      assertThat(card(page, "Level")).isVisible();
      assertThat(button(page, "Reset")).hasCount(0);
      assertThat(
              (String)
                  page.evaluate(
                      """
                      JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie,
                        location.href, history.state, document.documentElement.innerHTML])
                      """))
          .doesNotContain(reader);
      button(page, "Sign out").click();
      assertThat(heading(page, "Sign in")).isVisible();
      signIn(page, writer);
      go(page, "Rules");
      link(page.locator("main"), "login").click();
      assertThat(button(page, "Shadow for 30 minutes")).isVisible();
      page.context().close();
    }
    own.setLevel(before);
    root.detachAppender(log);
    assertThat(log.list).isNotEmpty();
    assertThat(List.copyOf(log.list))
        .noneMatch(event -> event.getFormattedMessage().contains("0123456789abcdef"));
    assertThat(browser.requests()).noneMatch(address -> address.contains("0123456789abcdef"));
  }

  @Test
  void store_unavailable_isShownWithTheReason() {
    try (RunningServer alone =
        RunningServer.with(
            Map.of(
                Setting.POLICY,
                RunningServer.write(folder, POLICY).toString(),
                Setting.REDIS,
                "redis://127.0.0.1:1"))) {
      for (int width : new int[] {390, 1440}) {
        Page page = open(alone, width, ColorScheme.DARK);
        Locator tiles = page.getByRole(AriaRole.GROUP, byName("Current figures"));
        assertThat(tiles).containsText("Unavailable");
        assertThat(tiles).containsText(Pattern.compile("refused", Pattern.CASE_INSENSITIVE));
        assertThat(page.locator(".banner.bad").first()).containsText("127.0.0.1:1");
        assertThat(page.locator(".banner.bad").first())
            .containsText("The failure policy of each rule decides");
        ConsoleBrowser.check(page, "Overview without a store");
        page.context().close();
      }
    }
  }

  private static Page.GetByRoleOptions byName(String name) {
    return new Page.GetByRoleOptions().setName(name).setExact(true);
  }

  @Test
  void pages_withoutADatabase_haveFiguresAndViolationsFromMemory() {
    try (RunningServer alone = withoutDatabase()) {
      String hostile = "{\"path\":\"/login/../login\",\"ip\":\"192.0.2.6\"}";
      for (int i = 0; i < 8; i++) {
        alone.check(TOOL);
        alone.check(hostile);
        alone.check("{\"path\":\"/trial\",\"attributes\":{\"user_id\":\"" + MARKUP + "\"}}");
      }
      Page page = open(alone, 1440, ColorScheme.LIGHT);
      Locator top = card(page, "Top denied keys, last 15 minutes");
      assertThat(link(top, "tool")).isVisible();
      assertThat(top.locator(".tank").first()).isVisible();
      go(page, "Violations");
      assertThat(page.getByText("from memory: the last 10,000 records")).isVisible();
      assertThat(card(page, "Denied requests over time").locator("canvas")).isVisible();
      choice(page, "Requests").selectOption("shadow");
      button(page, "Apply").click();
      assertThat(card(page, "Records")).containsText(MARKUP);
      assertThat(page.getByText("requests would have been denied")).isVisible();
      ConsoleBrowser.check(page, "Violations of shadow rules");
      choice(page, "Requests").selectOption("");
      page.getByLabel("Rule", new Page.GetByLabelOptions().setExact(true)).fill("tool");
      button(page, "Apply").click();
      Locator key = card(page, "Records").getByRole(AriaRole.BUTTON).first();
      assertThat(key).containsText("header:x-api-key=#");
      String text = key.innerText();
      page.getByLabel("Key", new Page.GetByLabelOptions().setExact(true)).fill(text);
      button(page, "Apply").click();
      assertThat(page.getByText(Pattern.compile("^7 denied requests in "))).isVisible();

      // From a denial to its key, although only the hash of the key is known.
      card(page, "Records").getByRole(AriaRole.BUTTON).first().click();
      assertThat(card(page, "Level")).containsText(text);
      assertThat(card(page, "Level").locator("strong")).hasText("0");
      assertThat(card(page, "Recent denials of this key")).containsText("/tool");
      ConsoleBrowser.check(page, "a key with a hash");
      button(page, "Reset").click();
      button(page, "Reset the key").click();
      assertThat(card(page, "Level").locator("strong")).hasText("1");
      page.context().close();
    }
  }

  @Test
  void pages_keyboardOnly_canBeUsed() {
    Page page = open(server, 1440, ColorScheme.LIGHT);
    page.keyboard().press("Tab");
    Locator skip = link(page.locator("body"), "Skip to content");
    assertThat(skip).isFocused();
    assertThat(skip).isInViewport();
    page.keyboard().press("Enter");
    assertThat(heading(page, "Overview")).isFocused();

    page.reload();
    assertThat(heading(page, "Overview")).isVisible();
    tabTo(page, page.getByRole(AriaRole.NAVIGATION).getByText("Rules"));
    page.keyboard().press("Enter");
    assertThat(heading(page, "Rules")).isFocused();
    tabTo(page, page.getByLabel("Search rules"));
    page.keyboard().type("login");
    tabTo(page, link(page.locator("main"), "login"));
    page.keyboard().press("Enter");
    assertThat(heading(page, "login")).isFocused();
    tabTo(page, button(page, "Shadow for 30 minutes"));
    page.keyboard().press("Enter");
    assertThat(dialog(page)).isVisible();
    assertThat(dialog(page).locator(":focus")).hasCount(1);
    page.keyboard().press("Escape");
    assertThat(dialog(page)).hasCount(0);
    assertThat(button(page, "Shadow for 30 minutes")).isFocused();
    page.keyboard().press("Enter");
    tabTo(page, dialog(page).getByText("Cancel"));
    page.keyboard().press("Enter");
    assertThat(dialog(page)).hasCount(0);
    tabTo(page, page.locator("details.data summary").first());
    page.keyboard().press("Enter");
    assertThat(page.locator("details.data").first()).hasAttribute("open", "");
    page.context().close();
  }

  private static void tabTo(Page page, Locator target) {
    assertThat(target).isVisible();
    for (int i = 0; i < 60; i++) {
      page.keyboard().press("Tab");
      if ((boolean) target.evaluate("element => element === document.activeElement")) {
        return;
      }
    }
    assertThat(target).isFocused(new LocatorAssertions.IsFocusedOptions().setTimeout(1));
  }

  @Test
  void stream_hiddenPage_isClosedUntilThePageIsVisible() {
    List<String> ended = new CopyOnWriteArrayList<>();
    Page page = browser.page(address(server), 1440, ColorScheme.LIGHT);
    page.onRequestFailed(request -> ended.add(request.url()));
    page.onRequestFinished(request -> ended.add(request.url()));
    page.navigate(address(server));
    Locator state = page.locator("header.side [role=status]");
    assertThat(state).containsText("Live");
    setHidden(page, true);
    assertThat(state).containsText("Paused");
    page.waitForCondition(() -> ended.stream().anyMatch(url -> url.endsWith("/v1/stream")));
    setHidden(page, false);
    assertThat(state).containsText("Live");
    page.context().close();
  }

  private static void setHidden(Page page, boolean hidden) {
    page.evaluate(
        """
        hidden => {
          Object.defineProperty(document, 'hidden', {configurable: true, get: () => hidden});
          document.dispatchEvent(new Event('visibilitychange'));
        }
        """,
        hidden);
  }

  @Test
  void page_emptyCache_isPaintedSoonAndTransfersLittle() {
    Page page = browser.page(address(server), 1440, ColorScheme.LIGHT);
    List<Request> finished = new CopyOnWriteArrayList<>();
    page.onRequestFinished(finished::add);
    // The time when figures of the server are on the screen, not the placeholder before them.
    page.addInitScript(
        """
        const look = () => document.querySelector('main .tiles .big') && document.querySelectorAll('.plot canvas').length === 2
          ? requestAnimationFrame(() => { window.contentPainted = performance.now(); }) : requestAnimationFrame(look);
        requestAnimationFrame(look);
        // The stream never finishes, so its bytes are counted here.
        window.streamed = 0;
        const fetched = window.fetch;
        window.fetch = async (...request) => {
          const response = await fetched(...request);
          if (request[0] !== '/v1/stream') {
            return response;
          }
          const [own, counted] = response.body.tee();
          const reader = counted.getReader();
          const next = ({ value, done }) => done || (window.streamed += value.length, reader.read().then(next, () => {}));
          reader.read().then(next, () => {});
          return new Response(own, response);
        };
        """);
    page.navigate(address(server));
    assertThat(page.getByText("Live", new Page.GetByTextOptions().setExact(true))).isVisible();
    page.waitForFunction("window.contentPainted > 0");
    long bytes = ((Number) page.evaluate("window.streamed")).longValue();
    for (Request request : finished) {
      bytes += request.sizes().responseBodySize + request.sizes().responseHeadersSize;
    }
    double painted = ((Number) page.evaluate("window.contentPainted")).doubleValue();
    double first =
        ((Number)
                page.evaluate(
                    "performance.getEntriesByName('first-contentful-paint')[0].startTime"))
            .doubleValue();
    ConsoleBrowser.print(
        String.format(
            "Console: %,d bytes from an empty cache, with the responses of the API; first paint"
                + " after %.0f ms, figures and plots after %.0f ms",
            bytes, first, painted));
    assertThat(bytes).isBetween(50_000L, (long) MAX_BYTES);
    assertThat(painted).isLessThan(MAX_PAINT_MILLIS);
    page.context().close();
  }
}
