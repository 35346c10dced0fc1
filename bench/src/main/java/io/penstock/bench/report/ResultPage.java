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

/** All results as a Markdown page with charts. Not thread-safe. */
public final class ResultPage {
  private static final String PAGE = "BENCHMARKS.md";
  private static final String IMAGES = "images";

  static final String SUMMARY = "## Summary\n";
  static final String RATIOS = "## Ratios\n";

  private static final String METHOD =
      """
      ## Method

      A ratio is the throughput of Penstock divided by that of a peer in the same run, unless its meaning is a
      figure. The contenders take turns and swap places every round; a ratio is the median over the rounds, and its
      interval contains 95 % of the medians of resampled rounds. A verdict is uncertain if the interval includes the
      target. Every run appends all of its rounds to [runs.csv](benchmarks/runs.csv) and
      [figures.csv](benchmarks/figures.csv) before its results are known, so that none can be picked.

      Each table names the expected outcome, and a run fails if less than 99.9 % of the decisions have it. Requested
      keys are equal to the inserted keys, but not identical. Servers that are compared have the same number of
      workers and send the same responses. The load generator and Redis run on the same machine.
      """;

  private static final String NOT_MEASURED =
      """
      ## Not measured

      These rate limiters are alternatives, but were not available for this comparison. The figures are published by
      their projects, on other machines and with other loads, and don't compare with those above.

      | | published figures | source |
      |---|---|---|
      | throttlecrab-server 0.4.34 | 175,000 requests/s over HTTP (p50 176 µs, p99 327 µs), 163,000 over gRPC, 184,000 over RESP | [docs.rs](https://docs.rs/crate/throttlecrab-server/0.4.34) |
      | Gubernator 2.4.0 | in production, more than 2,000 requests/s per node, most batched responses within 1 ms | [README](https://github.com/mailgun/gubernator#performance) |
      | Envoy ratelimit, Limitador | not looked up | |
      | Caddy | Debian's build contains no rate limiter | |
      """;

  private final List<Section> sections = new ArrayList<>();
  private final List<Ratio> ratios = new ArrayList<>();
  private final List<Plot> plots = new ArrayList<>();
  private final String command;

  /**
   * @param command the command that generates the page
   */
  public ResultPage(String command) {
    this.command = command;
  }

  /**
   * Adds the results of a part of a run.
   *
   * @param run the title of the run
   * @param runCommand the command of that run
   */
  public void part(String run, String runCommand, String title, Findings findings) {
    StringBuilder text = new StringBuilder();
    for (Plot plot : findings.plots()) {
      text.append("![%s](%s/%s)\n\n".formatted(plot.title(), IMAGES, file(plot)));
    }
    findings.tables().forEach(table -> text.append(table.markdown()).append('\n'));
    if (!findings.notes().isEmpty()) {
      text.append("```text\n").append(findings.notes().strip()).append("\n```\n\n");
    }
    sections.add(new Section(run, runCommand, title, text.toString()));
    ratios.addAll(findings.ratios());
    plots.addAll(findings.plots());
  }

  /** Adds a part that failed. */
  public void failed(String run, String runCommand, String title, String reason) {
    sections.add(new Section(run, runCommand, title, "Failed: " + reason + "\n\n"));
  }

  private static String file(Plot plot) {
    return plot.name() + ".svg";
  }

  /** Writes the page and its charts to a folder. */
  public void write(Path folder) {
    write(folder, text(LocalDate.now(ZoneOffset.UTC)));
  }

  /** Replaces the same sections of the page in a folder, and their charts. */
  public void amend(Path folder) {
    write(folder, amended(read(folder), LocalDate.now(ZoneOffset.UTC)));
  }

  /** Returns whether the page in a folder is of this machine and these versions. */
  public static boolean isOfThisMachine(Path folder) {
    return Files.exists(folder.resolve(PAGE)) && read(folder).contains(Machine.describe().strip());
  }

  private static String read(Path folder) {
    try {
      return Files.readString(folder.resolve(PAGE), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void write(Path folder, String text) {
    try {
      Files.createDirectories(folder.resolve(IMAGES));
      for (Plot plot : plots) {
        Files.writeString(folder.resolve(IMAGES).resolve(file(plot)), plot.svg(), UTF_8);
      }
      Files.writeString(folder.resolve(PAGE), text.strip() + "\n", UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String amended(String page, LocalDate day) {
    String note = "Measured again on %s by `%s`.\n\n".formatted(day, command);
    List<Section> dated =
        sections.stream()
            .map(s -> new Section(s.run(), s.runCommand(), s.title(), note + s.text()))
            .toList();
    return Amendment.of(page, dated, ratios);
  }

  String text(LocalDate day) {
    Overview overview = new Overview(ratios);
    return """
    # Benchmarks

    %s
    %s
    %s
    Generated on %s by

        %s

    ```text
    %s
    ```

    %s
    %s
    %s%s"""
        .formatted(
            SUMMARY,
            overview.summary(),
            METHOD,
            day,
            command,
            Machine.describe().strip(),
            RATIOS,
            overview.table(),
            body(),
            NOT_MEASURED);
  }

  private String body() {
    StringBuilder body = new StringBuilder();
    String run = "";
    for (Section section : sections) {
      if (!section.run().equals(run)) {
        run = section.run();
        body.append(section.runHeading())
            .append("\n    ")
            .append(section.runCommand())
            .append("\n\n");
      }
      body.append(section.markdown());
    }
    return body.toString();
  }
}
