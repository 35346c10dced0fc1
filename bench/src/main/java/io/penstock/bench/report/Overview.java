package io.penstock.bench.report;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toList;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** All ratios of a page, and their summary. Immutable. */
public record Overview(List<Ratio> ratios) {
  private static final Map<String, String> AREAS =
      Map.of(
          "local", "in process",
          "redis", "on Redis",
          "http", "over HTTP",
          "grpc", "over gRPC",
          "spring", "in a Spring MVC application");

  public Overview {
    ratios = List.copyOf(ratios);
  }

  /** Reads the rows of a page. */
  static Overview parse(String page) {
    return new Overview(page.lines().map(Ratio::parse).flatMap(Optional::stream).toList());
  }

  /** Returns the ratios with others, which replace those of the same name. */
  Overview with(List<Ratio> others) {
    Map<String, Ratio> merged = new LinkedHashMap<>();
    ratios.forEach(ratio -> merged.put(ratio.name(), ratio));
    others.forEach(ratio -> merged.put(ratio.name(), ratio));
    return new Overview(List.copyOf(merged.values()));
  }

  /** A ratio and its definition. */
  private record Line(RatioDefinition definition, Ratio ratio) {
    String area() {
      String prefix = ratio.name().substring(0, ratio.name().indexOf('.'));
      return AREAS.getOrDefault(prefix, prefix);
    }

    String compared() {
      String interval = ratio.interval().isEmpty() ? "" : " (" + ratio.interval() + ")";
      return definition.meaning() + " " + ratio.value() + "×" + interval;
    }

    boolean isWithinNoise() {
      return ratio.estimate().hasInterval() && ratio.estimate().includes(1);
    }
  }

  private List<Line> lines() {
    List<Line> lines = new ArrayList<>();
    for (RatioDefinition definition : RatioDefinition.ALL) {
      ratios.stream()
          .filter(ratio -> ratio.name().equals(definition.name()))
          .map(ratio -> new Line(definition, ratio))
          .forEach(lines::add);
    }
    return lines;
  }

  /** Names the peers that are slower and faster than Penstock, and the targets that it misses. */
  String summary() {
    List<Line> compared = lines().stream().filter(line -> line.definition.compares()).toList();
    return group("Penstock is faster than", compared, line -> line.ratio.estimate().value() > 1)
        + group("Penstock is slower than", compared, line -> line.ratio.estimate().value() <= 1)
        + noise(compared)
        + verdicts();
  }

  private interface Choice {
    boolean includes(Line line);
  }

  private static String group(String title, List<Line> lines, Choice choice) {
    Map<String, List<Line>> byArea =
        lines.stream()
            .filter(line -> !line.isWithinNoise() && choice.includes(line))
            .collect(groupingBy(Line::area, LinkedHashMap::new, toList()));
    if (byArea.isEmpty()) {
      return "";
    }
    return byArea.entrySet().stream()
        .map(
            area ->
                area.getValue().stream()
                    .map(Line::compared)
                    .collect(joining("; ", "- " + area.getKey() + ": ", "\n")))
        .collect(joining("", "**" + title + "**\n\n", "\n"));
  }

  private static String noise(List<Line> lines) {
    List<Line> even = lines.stream().filter(Line::isWithinNoise).toList();
    return even.isEmpty()
        ? ""
        : even.stream().map(Line::compared).collect(joining("; ", "**Within noise:** ", "\n\n"));
  }

  private String verdicts() {
    List<Line> targets =
        lines().stream().filter(line -> line.definition.target().isPresent()).toList();
    List<Line> missed = targets.stream().filter(line -> !isMet(line)).toList();
    String met =
        "**Targets:** %d of %d are met.".formatted(targets.size() - missed.size(), targets.size());
    return missed.isEmpty()
        ? met + "\n"
        : missed.stream()
            .map(
                line ->
                    "`%s` (%s, target: %s)"
                        .formatted(
                            line.ratio.name(),
                            line.ratio.value(),
                            line.definition.target().orElseThrow()))
            .collect(joining(", ", met + " Missed: ", ".\n"));
  }

  private static boolean isMet(Line line) {
    return line.definition.target().orElseThrow().isMetBy(line.ratio.estimate().value());
  }

  /** Returns the targets and their verdicts as a table, in the order of the definitions. */
  public ReportTable targets() {
    ReportTable table =
        new ReportTable("targets", "ratio", "meaning", "measured", "interval", "target", "verdict");
    for (Line line : lines()) {
      line.definition
          .target()
          .ifPresent(
              target ->
                  table.add(
                      line.ratio.name(),
                      line.definition.meaning(),
                      line.ratio.value(),
                      line.ratio.interval(),
                      target.toString(),
                      target.verdict(line.ratio.estimate()).replace("**", "")));
    }
    return table;
  }

  /** Returns all ratios as Markdown, those with a target first. */
  String table() {
    StringBuilder table =
        new StringBuilder(
            """
            | ratio | meaning | measured | interval | target | verdict |
            |---|---|---:|---:|---|---|
            """);
    Map<String, RatioDefinition> definitions = new LinkedHashMap<>();
    RatioDefinition.ALL.forEach(definition -> definitions.put(definition.name(), definition));
    for (Line line : lines()) {
      table.append(row(line.ratio, line.definition));
    }
    for (Ratio ratio : ratios) {
      if (!definitions.containsKey(ratio.name())) {
        table.append(row(ratio, new RatioDefinition(ratio.name(), "", false, null)));
      }
    }
    return table.toString();
  }

  private static String row(Ratio ratio, RatioDefinition definition) {
    return String.format(
        Locale.ROOT,
        "| `%s` | %s | %s | %s | %s | %s |\n",
        ratio.name(),
        (definition.compares() ? "÷ " : "") + definition.meaning(),
        ratio.value(),
        ratio.interval(),
        definition.target().map(Objects::toString).orElse(""),
        definition.target().map(target -> target.verdict(ratio.estimate())).orElse(""));
  }
}
