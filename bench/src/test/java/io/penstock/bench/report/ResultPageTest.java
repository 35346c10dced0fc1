package io.penstock.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.bench.report.Curves.Curve;
import io.penstock.bench.report.Curves.Point;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;

class ResultPageTest {
  private static final Curves CURVES =
      new Curves(
          "growth",
          "Costs < benefits & more",
          "keys",
          "ns",
          List.of(
              new Curve("one", List.of(new Point(1_000, 20), new Point(1e7, 200))),
              new Curve("other", List.of(new Point(1_000, 40), new Point(1e7, 4_000)))));

  private static final String LOCAL = "In process";

  @TempDir private Path folder;

  private static Document parsed(String svg) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
  }

  private static Findings findings() {
    ReportTable table = new ReportTable("who|what", "", "ops");
    table.add("a|b", "7");
    return new Findings(
        List.of(table),
        "about it",
        List.of(
            Ratio.of("local.keyed.bucket4j-map", 4.9),
            Ratio.of("redis.hot.calls", 0.2),
            Ratio.of("growth.keys", 3)),
        List.of(CURVES));
  }

  @Test
  void text_ofFindings_hasTablesNotesAndMissedTargets() {
    ResultPage page = new ResultPage("bench/run all --report");
    page.part(LOCAL, "bench/run local", "Keys", findings());
    page.failed(LOCAL, "bench/run local", "Memory", "no memory");

    assertThat(page.text(LocalDate.of(2026, 1, 2)))
        .contains("2026-01-02", "## In process", "    bench/run local", "### Keys")
        .contains("| a\\|b | 7 |", "about it", "![Costs < benefits & more](images/growth.svg)")
        .contains("- in process: Bucket4j in a map, 1M keys, 2 threads, G1 4.90×")
        .contains("1 of 2 are met. Missed: `local.keyed.bucket4j-map` (4.90, target: at least 5).")
        .contains("| 4.90 |  | at least 5 | **missed** |")
        .contains("| 0.20 |  | at most 0.2 | met |")
        .contains("| `growth.keys` |  | 3.00 |  |  |  |")
        .contains("## Not measured")
        .contains("Failed: no memory");
  }

  @Test
  void amended_onePart_leavesTheOthersUnchanged() {
    ResultPage before = new ResultPage("bench/run all --report");
    before.part(LOCAL, "bench/run local", "Keys", findings());
    before.failed(LOCAL, "bench/run local", "Memory", "no memory");
    before.failed("Elsewhere", "bench/run there", "Keys", "no keys");
    ResultPage again = new ResultPage("bench/run local --only memory --report");
    again.part(
        LOCAL,
        "bench/run local",
        "Memory",
        new Findings(
            List.of(),
            "enough",
            List.of(Ratio.of("growth.keys", 4), Ratio.of("local.memory", 43)),
            List.of()));
    String old = before.text(LocalDate.of(2026, 1, 2));

    String section =
        """
        Measured again on 2026-01-03 by `bench/run local --only memory --report`.

        ```text
        enough
        ```
        """;
    String memory = "| `local.memory` | bytes per key, 1M keys | 43.00 |  | at most 64 | met |\n";
    String calls = "| `redis.hot.calls` |";
    assertThat(again.amended(old, LocalDate.of(2026, 1, 3)))
        .isEqualTo(
            old.replace("Failed: no memory\n", section)
                .replace("1 of 2 are met", "2 of 3 are met")
                .replace("| `growth.keys` |  | 3.00 |", "| `growth.keys` |  | 4.00 |")
                .replace(calls, memory + calls));
  }

  @Test
  void amended_partThatThePageLacks_isRejected() {
    ResultPage again = new ResultPage("bench/run local --only memory --report");
    again.failed(LOCAL, "bench/run local", "Memory", "no memory");

    assertThatThrownBy(() -> again.amended("# Benchmarks\n", LocalDate.of(2026, 1, 3)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Memory");
  }

  @Test
  void write_page_writesItsCharts() throws Exception {
    ResultPage page = new ResultPage("bench/run all --report");
    page.part(LOCAL, "bench/run local", "Keys", findings());
    page.write(folder);

    assertThat(Files.readString(folder.resolve("BENCHMARKS.md")))
        .contains("growth.svg")
        .matches("(?s).*\\S\\n");
    Document picture = parsed(Files.readString(folder.resolve("images/growth.svg")));
    assertThat(picture.getElementsByTagName("polyline").getLength()).isEqualTo(2);
    assertThat(picture.getElementsByTagName("circle").getLength()).isEqualTo(4);
  }

  @Test
  void svg_bars_areProportionalToTheirFigures() throws Exception {
    String svg =
        new Bars.Builder()
            .add("ours", 200)
            .add("theirs", 50)
            .add("none", 0)
            .build("b", "Bars", "a second")
            .svg();
    var bars = parsed(svg).getElementsByTagName("rect");

    // The first is the background.
    double ours =
        Double.parseDouble(bars.item(1).getAttributes().getNamedItem("width").getNodeValue());
    double theirs =
        Double.parseDouble(bars.item(2).getAttributes().getNamedItem("width").getNodeValue());
    assertThat(ours).isEqualTo(4 * theirs);
    assertThat(bars.getLength()).isEqualTo(4);
  }

  @Test
  void axis_mapsEqualFactorsToEqualDistances() {
    LogAxis axis = LogAxis.of(List.of(1.0, 1_000.0), 0, 300);

    assertThat(axis.position(10)).isCloseTo(100, org.assertj.core.data.Offset.offset(1e-9));
    assertThat(axis.ticks()).containsExactly(1.0, 10.0, 100.0, 1_000.0);
    assertThat(LogAxis.of(List.of(3.0, 60.0), 0, 1).ticks()).containsExactly(5.0, 10.0, 20.0, 50.0);
    assertThatThrownBy(() -> LogAxis.of(List.of(0.0), 0, 1))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
