package io.penstock.bench.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/** All findings as a page of Markdown, with pictures beside it. Not thread-safe. */
public final class Page {
  private static final String PAGE = "BENCHMARKS.md";
  private static final String PICTURES = "images";

  private final StringBuilder sections = new StringBuilder();
  private final List<Ratio> ratios = new ArrayList<>();
  private final List<Plot> plots = new ArrayList<>();
  private final String command;

  /**
   * @param command what makes the page
   */
  public Page(String command) {
    this.command = command;
  }

  /** Begins a run. */
  public void run(String title, String oneRun) {
    sections.append("## ").append(title).append("\n\n    ").append(oneRun).append("\n\n");
  }

  /** Adds what a part of it has found. */
  public void part(String title, Findings findings) {
    sections.append("### ").append(title).append("\n\n");
    for (Plot plot : findings.plots()) {
      sections
          .append("![")
          .append(plot.title())
          .append("](")
          .append(PICTURES)
          .append('/')
          .append(file(plot))
          .append(")\n\n");
    }
    findings.tables().forEach(table -> sections.append(table.markdown()).append('\n'));
    if (!findings.notes().isEmpty()) {
      sections.append("```text\n").append(findings.notes().strip()).append("\n```\n\n");
    }
    ratios.addAll(findings.ratios());
    plots.addAll(findings.plots());
  }

  /** Adds that a part of it came to nothing. */
  public void failed(String title, String why) {
    sections.append("### ").append(title).append("\n\nFailed: ").append(why).append("\n\n");
  }

  private static String file(Plot plot) {
    return plot.name() + ".svg";
  }

  /** Writes the page and its pictures into a folder. */
  public void write(Path folder) {
    try {
      Files.createDirectories(folder.resolve(PICTURES));
      for (Plot plot : plots) {
        Files.writeString(folder.resolve(PICTURES).resolve(file(plot)), plot.svg(), UTF_8);
      }
      Files.writeString(folder.resolve(PAGE), text(LocalDate.now(ZoneOffset.UTC)), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String text(LocalDate day) {
    return """
    # Benchmarks

    Made on %s by

        %s

    ```text
    %s
    ```

    Speed is compared within one run, because machines differ and are shared: contenders take turns, each
    several times, and a figure is the median of its turns. Rows name their outcome, and a run fails if fewer
    than 99.9 %% of the answers are that one. Keys that are asked for are equal to those that were inserted,
    not identical. Servers that are compared have the same number of workers and send the same answers. The
    load comes from the same machine. What loses is shown like what wins.

    ## In short

    %s
    %s"""
        .formatted(day, command, Machine.describe().strip(), summary(), sections);
  }

  private String summary() {
    StringBuilder table = new StringBuilder("| ratio | value | target | |\n|---|---:|---|---|\n");
    for (Ratio ratio : ratios) {
      Target target = Target.of(ratio.name()).orElse(null);
      String verdict = "";
      if (target != null) {
        verdict = target.isMetBy(Double.parseDouble(ratio.value())) ? "met" : "**short**";
      }
      table
          .append("| `%s` | %s | ".formatted(ratio.name(), ratio.value()))
          .append("%s | %s |\n".formatted(target == null ? "" : target, verdict));
    }
    return table.toString();
  }
}
