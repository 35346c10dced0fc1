package io.penstock.policy.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.policy.accesslog.SafeText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A page in HTML that needs no other files: styles and plots are inline, and there are no scripts.
 * Its content security policy forbids all external requests. Not thread-safe.
 */
public final class HtmlPage {
  private static final String HEAD =
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="generator" content="Penstock">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <link rel="icon" href="data:,">
      <title>%s</title>
      <style>
      :root { color-scheme: light dark; --line: #8884; --bar: #4a90d9; --bad: #d9534a; }
      p, h1, h2, h3 { overflow-wrap: anywhere; }
      body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
      table { border-collapse: collapse; margin: 1rem 0; }
      th, td { padding: .25rem .75rem; text-align: right; border-bottom: 1px solid var(--line); }
      th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere; min-width: 8rem; }
      .scroll { overflow-x: auto; }
      pre { padding: 1rem; border: 1px solid var(--line); overflow-x: auto; }
      svg { width: 100%%; height: auto; } svg text { font: 11px system-ui, sans-serif; fill: currentColor; }
      .note { border-left: 3px solid var(--bad); padding-left: .75rem; }
      </style>
      </head>
      <body>
      <main>
      <h1>%s</h1>
      """;

  private static final String GENERATOR = HEAD.lines().limit(5).collect(Collectors.joining("\n"));

  private final StringBuilder html = new StringBuilder();

  public HtmlPage(String title) {
    html.append(HEAD.formatted(escape(title), escape(title)));
  }

  /** Returns whether a file begins like a page of this class. */
  public static boolean isPage(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return new String(in.readNBytes(GENERATOR.length()), UTF_8).equals(GENERATOR);
    }
  }

  public HtmlPage heading(String text) {
    return element("h2", text);
  }

  public HtmlPage subheading(String text) {
    return element("h3", text);
  }

  public HtmlPage paragraph(String text) {
    return element("p", text);
  }

  /** Adds a paragraph that should not be overlooked. */
  public HtmlPage note(String text) {
    html.append("<p class=\"note\">").append(escape(text)).append("</p>\n");
    return this;
  }

  /** Adds text with its line breaks. */
  public HtmlPage code(String text) {
    html.append("<pre tabindex=\"0\">");
    text.lines().forEach(line -> html.append(escape(line)).append('\n'));
    html.append("</pre>\n");
    return this;
  }

  /**
   * Adds a plot.
   *
   * @param label what it shows, for readers that can't see it
   */
  public HtmlPage plot(String label, SvgPlot plot) {
    html.append(plot.svg(escape(label)));
    return this;
  }

  /** Adds a table, which scrolls sideways on narrow screens. */
  public HtmlPage table(List<String> header, List<List<String>> rows) {
    html.append("<div class=\"scroll\" tabindex=\"0\"><table>\n<tr>");
    header.forEach(cell -> html.append("<th scope=\"col\">").append(escape(cell)).append("</th>"));
    html.append("</tr>\n");
    for (List<String> row : rows) {
      html.append("<tr>");
      row.forEach(cell -> html.append("<td>").append(escape(cell)).append("</td>"));
      html.append("</tr>\n");
    }
    html.append("</table></div>\n");
    return this;
  }

  private HtmlPage element(String name, String text) {
    html.append('<').append(name).append('>').append(escape(text));
    html.append("</").append(name).append(">\n");
    return this;
  }

  /** Returns the whole page. */
  public String text() {
    return html + "</main>\n</body>\n</html>\n";
  }

  static String escape(String text) {
    return SafeText.of(text)
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;")
        .replace("'", "&#39;");
  }
}
