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

  private final List<Section> sections = new ArrayList<>();
  private final List<Ratio> ratios = new ArrayList<>();
  private final List<Plot> plots = new ArrayList<>();
  private final String command;

  /**
   * @param command what makes the page
   */
  public Page(String command) {
    this.command = command;
  }

  /**
   * Adds what a part of a run has found.
   *
   * @param run the title of the run
   * @param oneRun the command of that run
   */
  public void part(String run, String oneRun, String title, Findings findings) {
    StringBuilder text = new StringBuilder();
    for (Plot plot : findings.plots()) {
      text.append("![%s](%s/%s)\n\n".formatted(plot.title(), PICTURES, file(plot)));
    }
    findings.tables().forEach(table -> text.append(table.markdown()).append('\n'));
    if (!findings.notes().isEmpty()) {
      text.append("```text\n").append(findings.notes().strip()).append("\n```\n\n");
    }
    sections.add(new Section(run, oneRun, title, text.toString()));
    ratios.addAll(findings.ratios());
    plots.addAll(findings.plots());
  }

  /** Adds that a part of a run came to nothing. */
  public void failed(String run, String oneRun, String title, String why) {
    sections.add(new Section(run, oneRun, title, "Failed: " + why + "\n\n"));
  }

  private static String file(Plot plot) {
    return plot.name() + ".svg";
  }

  /** Writes the page and its pictures into a folder. */
  public void write(Path folder) {
    write(folder, text(LocalDate.now(ZoneOffset.UTC)));
  }

  /**
   * Writes what this has, with its pictures, in place of the same sections of the page in a folder.
   */
  public void amend(Path folder) {
    write(folder, amended(read(folder), LocalDate.now(ZoneOffset.UTC)));
  }

  /** Whether the page in a folder is of this machine with these versions. */
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
      Files.createDirectories(folder.resolve(PICTURES));
      for (Plot plot : plots) {
        Files.writeString(folder.resolve(PICTURES).resolve(file(plot)), plot.svg(), UTF_8);
      }
      Files.writeString(folder.resolve(PAGE), text.strip() + "\n", UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String amended(String page, LocalDate day) {
    String again = "Measured again on %s by `%s`.\n\n".formatted(day, command);
    List<Section> dated =
        sections.stream()
            .map(of -> new Section(of.run(), of.oneRun(), of.title(), again + of.text()))
            .toList();
    return Amendment.of(page, dated, ratios);
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
        .formatted(day, command, Machine.describe().strip(), summary(), body());
  }

  private String body() {
    StringBuilder body = new StringBuilder();
    String run = "";
    for (Section section : sections) {
      if (!section.run().equals(run)) {
        run = section.run();
        body.append(section.runHeading()).append("\n    ").append(section.oneRun()).append("\n\n");
      }
      body.append(section.markdown());
    }
    return body.toString();
  }

  private String summary() {
    StringBuilder table = new StringBuilder("| ratio | value | target | |\n|---|---:|---|---|\n");
    ratios.forEach(ratio -> table.append(row(ratio)));
    return table.toString();
  }

  static String row(Ratio ratio) {
    Target target = Target.of(ratio.name()).orElse(null);
    String verdict = "";
    if (target != null) {
      verdict = target.isMetBy(Double.parseDouble(ratio.value())) ? "met" : "**short**";
    }
    return "| `%s` | %s | %s | %s |\n"
        .formatted(ratio.name(), ratio.value(), target == null ? "" : target, verdict);
  }
}
