package io.penstock.policy.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.load.Document;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import java.util.Map;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class CheckRequestReaderPropertiesTest {
  /** Every input results in a request or in errors, each with a location in the text. */
  @Property(tries = 500)
  void read_anyFields_resultsInARequestOrErrors(@ForAll("fields") Map<String, String> fields) {
    String json =
        fields.entrySet().stream()
            .map(field -> "\"" + field.getKey() + "\":" + field.getValue())
            .collect(Collectors.joining(",\n", "{", "}"));
    Problems problems = new Problems();
    Node document = Document.parse(json, "q.json", problems);
    assertThat(document).as(json).isNotNull();

    CheckRequest question = CheckRequestReader.read(document, problems);

    assertThat(question == null).as(json).isEqualTo(problems.errorCount() > 0);
    assertThat(problems.errors()).allMatch(problem -> problem.location().line() > 0);
    assertThat(problems.warnings()).isEmpty();
  }

  @Provide
  Arbitrary<Map<String, String>> fields() {
    Arbitrary<String> names =
        Arbitraries.of(
            "ip",
            "method",
            "path",
            "host",
            "headers",
            "query",
            "cookies",
            "jwt",
            "attributes",
            "cost",
            "dry_run",
            "costs",
            "");
    Arbitrary<String> scalars =
        Arbitraries.of(
            "null",
            "true",
            "0",
            "-1",
            "1e12",
            "1e-400",
            "1e400",
            "1E999999999",
            "0.0001",
            "\"\"",
            "\"/\"",
            "\"::1\"",
            "\"a:b:c\"",
            "\"[:\"",
            "\"?\"",
            "\";=;a=;=\\\"\"",
            "\"\\ud800\"");
    Arbitrary<String> lists =
        scalars.list().ofMaxSize(3).map(items -> "[" + String.join(",", items) + "]");
    Arbitrary<String> mappings =
        Arbitraries.maps(
                Arbitraries.of("", "cookie", "Cookie", "a", "A", "*"),
                Arbitraries.oneOf(scalars, lists))
            .ofMaxSize(3)
            .map(
                entries ->
                    entries.entrySet().stream()
                        .map(entry -> "\"" + entry.getKey() + "\":" + entry.getValue())
                        .collect(Collectors.joining(",", "{", "}")));
    return Arbitraries.maps(names, Arbitraries.oneOf(scalars, lists, mappings)).ofMaxSize(6);
  }
}
