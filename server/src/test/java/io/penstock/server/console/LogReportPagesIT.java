package io.penstock.server.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import io.penstock.policy.Attribute;
import io.penstock.policy.KeyPart;
import io.penstock.policy.Policy;
import io.penstock.policy.accesslog.LogFields;
import io.penstock.policy.accesslog.LogOptions;
import io.penstock.policy.accesslog.LogSource;
import io.penstock.policy.accesslog.LogStream;
import io.penstock.policy.advice.Advice;
import io.penstock.policy.advice.AdviceHtml;
import io.penstock.policy.advice.AdviceOptions;
import io.penstock.policy.advice.AdvicePolicy;
import io.penstock.policy.advice.Advisor;
import io.penstock.policy.advice.PathFolding;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.policy.replay.Replay;
import io.penstock.policy.replay.ReplayHtml;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The pages that penstock replay and advise write, in a real Chromium. Takes the pictures of
 * docs/choosing-limits.md if penstock.docs.write is set.
 */
@Tag("full")
final class LogReportPagesIT {
  private static final Path SAMPLE = Path.of("../docs/examples/access-log.txt");
  private static final Path IMAGES = Path.of("../docs/images");
  private static final String HOSTILE = "<img src=x onerror=alert(1)>'\\\"</title><script>alert(2)";

  @TempDir private static Path folder;
  private static ConsoleBrowser browser;

  @BeforeAll
  static void start() {
    browser = ConsoleBrowser.launch();
  }

  @AfterAll
  static void stop() {
    if (browser != null) {
      browser.close();
    }
  }

  private static LogStream stream(LogSource source, Collection<Attribute> attributes) {
    return new LogStream(
        List.of(source), LogOptions.of(new LogFields(attributes, Map.of("user_id", "user_id"))));
  }

  private static String replay(LogSource source, String rules) {
    Policy policy = PolicyLoader.parse(rules, "policy.yaml").policy();
    return ReplayHtml.of(
        new Replay("policy.yaml", policy).run(stream(source, Replay.attributes(policy))));
  }

  private static String advise(LogSource source, String key, String... per) {
    AdviceOptions options =
        new AdviceOptions(
            List.of(KeyPart.parse(key)),
            List.of(per).stream().map(Attribute::parse).toList(),
            99,
            10,
            new PathFolding(true, List.of()));
    Advice advice = new Advisor(options).run(stream(source, options.attributes()));
    return AdviceHtml.of(advice, new AdvicePolicy(advice, "balanced").text());
  }

  /** Opens a page on wide and narrow screens; returns the wide one. */
  private static Page check(String name, String html) throws IOException {
    Path file = Files.writeString(folder.resolve(name + ".html"), html);
    String address = file.toUri().toString();
    for (ColorScheme colors : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
      Page narrow = browser.page(address, 390, colors);
      narrow.navigate(address);
      ConsoleBrowser.checkLayout(narrow, name);
      narrow.context().close();
    }
    Page page = browser.page(address, 1000, ColorScheme.LIGHT);
    page.navigate(address);
    assertThat(page.locator("svg").first()).isVisible();
    ConsoleBrowser.checkLayout(page, name);
    assertThat(page.locator("script, img, link[href^=http]")).hasCount(0);
    assertThat(browser.takeProblems()).as(name).isEmpty();
    if (Boolean.getBoolean("penstock.docs.write") && Files.isDirectory(IMAGES)) {
      Path image = IMAGES.resolve(name + "-report.png");
      if (name.equals("replay") || name.equals("advise")) {
        page.screenshot(new Page.ScreenshotOptions().setPath(image));
      }
    }
    return page;
  }

  @Test
  void replay_sampleLog_isSelfContained() throws IOException {
    String rules =
        """
        rules:
          - {name: callers, limit_keys: ["ip:address"], rate: 1/s, burst: 10}
          - {name: login, limit_keys: ["ip:address"], match: {path: /login}, rate: 5/min, burst: 5}
        """;
    Page page = check("replay", replay(LogSource.of(SAMPLE), rules));

    assertThat(page.locator("main")).containsText("203.0.113.9");
    page.context().close();
  }

  @Test
  void advise_sampleLog_isSelfContained() throws IOException {
    Page page = check("advise", advise(LogSource.of(SAMPLE), "ip:address"));

    assertThat(page.locator("pre")).containsText("limit_keys");
    page.context().close();
  }

  @Test
  void replay_comparison_showsTheDifferenceOfEachRule() throws IOException {
    String rules = "rules: [{name: callers, limit_keys: ['ip:address'], rate: 1/s, burst: %d}]";
    Policy before = PolicyLoader.parse(rules.formatted(10), "before.yaml").policy();
    Policy after = PolicyLoader.parse(rules.formatted(50), "after.yaml").policy();
    Replay replay = new Replay("before.yaml", before, "after.yaml", after);

    Page page =
        check(
            "comparison",
            ReplayHtml.of(replay.run(stream(LogSource.of(SAMPLE), Replay.attributes(before)))));

    assertThat(page.locator("table").first()).containsText("denied after");
    page.context().close();
  }

  @Test
  void advise_allRates_haveLabelsThatDontOverlap() throws IOException {
    StringBuilder log = new StringBuilder("time,ip\n");
    for (int hour = 20; hour > 0; hour--) {
      log.append(1_760_000_000 - 3_600 * hour).append(",192.0.2.1\n");
    }
    for (int i = 0; i < 20_000; i++) {
      log.append("1760000000.%06d,192.0.2.1\n".formatted(i * 50));
    }
    for (int i = 0; i < 20_000; i++) {
      log.append("%d.5,192.0.2.1\n".formatted(1_760_000_001 + i / 3));
    }
    byte[] bytes = log.toString().getBytes(UTF_8);
    LogSource source = LogSource.of("log", new ByteArrayInputStream(bytes));

    Page page = check("rates", advise(source, "ip:address"));

    Object overlaps =
        page.evaluate(
            "() => { const boxes = [...document.querySelectorAll('svg text[text-anchor=middle]')]"
                + ".map(text => text.getBoundingClientRect()); return boxes.length < 10 ||"
                + " boxes.some((box, i) => i > 0 && box.left < boxes[i - 1].right); }");
    assertThat((Boolean) overlaps).isFalse();
    page.context().close();
  }

  @Test
  void reports_hostileLog_showItsTextOnly() throws IOException {
    StringBuilder log = new StringBuilder();
    for (int i = 0; i < 50; i++) {
      log.append(
          "{\"time\":%d,\"remote_addr\":\"192.0.2.1\",\"path\":\"/%s\",\"user_id\":\"%s\"}\n"
              .formatted(1_760_000_000 + i, HOSTILE, HOSTILE));
    }
    log.append(HOSTILE).append("\u001b]0;x\u0007\u202e\n");
    String rules =
        """
        attributes: {user_id: caller}
        rules:
          - {name: "<img src=x onerror=alert(3)>", limit_keys: [user_id], rate: 1/min, burst: 5}
          - {name: path, limit_keys: [path], rate: 1/min, burst: 5}
        """;
    byte[] bytes = log.toString().getBytes(UTF_8);

    LogSource replayed = LogSource.of("<b>log</b>", new ByteArrayInputStream(bytes));
    check("hostile-replay", replay(replayed, rules)).context().close();
    LogSource advised = LogSource.of("<b>log</b>", new ByteArrayInputStream(bytes));
    check("hostile-advice", advise(advised, "user_id", "path")).context().close();
  }
}
