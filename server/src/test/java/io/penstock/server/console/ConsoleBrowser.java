package io.penstock.server.console;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.ConsoleMessage;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ServiceWorkerPolicy;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** A real Chromium, which records everything that must not happen on a page. */
final class ConsoleBrowser implements AutoCloseable {
  /** A machine under load may need this long; a page that works needs a fraction of a second. */
  private static final double TIMEOUT_MILLIS = 120_000;

  private static final List<String> FLAGS =
      List.of(
          "--no-sandbox",
          "--disable-gpu",
          "--disable-dev-shm-usage",
          "--disable-quic",
          "--no-first-run",
          "--disable-background-networking",
          "--disable-component-update",
          "--disable-sync");

  private final Playwright playwright;
  private final Browser browser;
  private final List<String> problems = new ArrayList<>();
  private final List<String> requests = new ArrayList<>();

  private ConsoleBrowser(Path program) {
    this.playwright =
        Playwright.create(
            new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    this.browser =
        playwright
            .chromium()
            .launch(
                new BrowserType.LaunchOptions()
                    .setExecutablePath(program)
                    .setArgs(FLAGS)
                    .setTimeout(TIMEOUT_MILLIS));
  }

  /** Starts Chromium; skips the test if it is not installed or its driver is not on the path. */
  static ConsoleBrowser launch() {
    Optional<Path> program = program();
    if (program.isEmpty()) {
      skip("no chromium on the PATH");
    }
    if (ConsoleBrowser.class.getResource("/driver/linux") == null
        && ConsoleBrowser.class.getResource("/driver/mac-arm64") == null) {
      skip("the driver of Playwright is only a dependency of the full build (-Pfull)");
    }
    return new ConsoleBrowser(program.orElseThrow());
  }

  private static void skip(String reason) {
    print("The tests of the console are skipped: " + reason);
    abort(reason);
  }

  /** Prints a line that the build shows, although it redirects the output of tests to files. */
  static void print(String line) {
    PrintStream err = new PrintStream(new FileOutputStream(FileDescriptor.err), true, UTF_8);
    err.println(line);
  }

  private static Optional<Path> program() {
    String path = Objects.requireNonNullElse(System.getenv("PATH"), "");
    return Stream.of("chromium", "chromium-browser", "google-chrome")
        .flatMap(name -> Stream.of(path.split(File.pathSeparator, -1)).map(at -> Path.of(at, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /**
   * Opens an empty page.
   *
   * @param allowed the address of the server; requests to others are problems
   */
  Page page(String allowed, int width, ColorScheme colors) {
    BrowserContext context =
        browser.newContext(
            new Browser.NewContextOptions()
                .setViewportSize(width, width < 600 ? 844 : 900)
                .setColorScheme(colors)
                .setServiceWorkers(ServiceWorkerPolicy.BLOCK));
    context.setDefaultTimeout(TIMEOUT_MILLIS);
    context.setDefaultNavigationTimeout(TIMEOUT_MILLIS);
    Page page = context.newPage();
    page.onConsoleMessage(message -> record(message));
    page.onPageError(error -> problems.add("exception: " + error));
    page.onDialog(
        dialog -> {
          problems.add("a script opened a dialog: " + dialog.message());
          dialog.dismiss();
        });
    page.onRequest(
        request -> {
          requests.add(request.url());
          if (!request.url().startsWith(allowed) && !request.url().startsWith("blob:" + allowed)) {
            problems.add("request to another host: " + request.url());
          }
        });
    return page;
  }

  private void record(ConsoleMessage message) {
    String type = message.type();
    if ((type.equals("error") || type.equals("warning")) && !isExpected(message)) {
      problems.add(type + ": " + message.text() + " at " + message.location());
    }
  }

  /**
   * Returns whether a message is about an error that the console displays. Chromium reports all of
   * them: 401 while there is no token, 400 for the preview of an invalid rule or limit and for an
   * unreadable log, 409 for a rule that another has changed, 503 for the rows of an unavailable
   * database, and an interrupted stream of figures.
   */
  private static boolean isExpected(ConsoleMessage message) {
    return message.text().startsWith("Failed to load resource")
        && ((message.location().contains("/v1/session") && message.text().contains("401"))
            || (message.location().contains("dry_run=true") && message.text().contains("400"))
            || (message.location().contains("/v1/rules/shared") && message.text().contains("409"))
            || (message.location().contains("/v1/keys/override") && message.text().contains("400"))
            || (message.location().contains("/v1/rules") && message.text().contains("503"))
            || (message.location().contains("/v1/advise") && message.text().contains("400"))
            || message.location().contains("/v1/stream"));
  }

  /** Checks the layout of a page of the console, and that no text became markup. */
  static void check(Page page, String name) {
    ConsolePage.checkNoMarkup(page);
    checkLayout(page, name);
  }

  /** Checks the accessibility of a page as it is now, and that it needs no sideways scrolling. */
  static void checkLayout(Page page, String name) {
    page.evaluate(axe());
    Object violations =
        page.evaluate(
            """
            () => axe.run(document, {resultTypes: ['violations']}).then(result =>
              result.violations.map(found => found.id + ': '
                + found.nodes.map(node => node.target.join(' ') + ' '
                  + node.failureSummary).join(' | ')))
            """);
    assertThat((List<?>) violations).as("accessibility of %s", name).isEmpty();
    assertThat(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))
        .as("%s fits the width of the screen", name)
        .isEqualTo(true);
  }

  private static String axe() {
    try (InputStream in = ConsoleBrowser.class.getResourceAsStream("/axe.min.js")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns what must not have happened on the pages since the last call. */
  List<String> takeProblems() {
    List<String> taken = List.copyOf(problems);
    problems.clear();
    return taken;
  }

  /** Returns the addresses of all requests so far. */
  List<String> requests() {
    return requests;
  }

  @Override
  public void close() {
    browser.close();
    playwright.close();
  }
}
