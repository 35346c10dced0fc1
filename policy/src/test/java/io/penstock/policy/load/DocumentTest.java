package io.penstock.policy.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DocumentTest {
  private static Node read(String text, String name) {
    Problems problems = new Problems();
    Node node = Document.parse(text, name, problems);
    assertThat(problems.errors()).isEmpty();
    return node;
  }

  private static Node.Scalar first(Node list) {
    return (Node.Scalar) ((Node.Sequence) list).items().get(0);
  }

  private static List<String> errors(String text, String name) {
    Problems problems = new Problems();
    assertThat(Document.parse(text, name, problems)).isNull();
    return problems.errors().stream().map(Problem::toString).toList();
  }

  @Test
  void parse_everyNode_hasItsLocation() {
    Node.Mapping root = (Node.Mapping) read("a:\n  - {b: 1.50}\n  - x\n", "p.yaml");
    Node.NodeField a = root.entries().get("a");
    Node.Sequence list = (Node.Sequence) a.value();
    Node.Mapping first = (Node.Mapping) list.items().get(0);

    assertThat(root.at()).hasToString("p.yaml:1:1");
    assertThat(a.at()).hasToString("p.yaml:1:1");
    assertThat(list.at()).hasToString("p.yaml:2:3");
    assertThat(first.entries().get("b").at()).hasToString("p.yaml:2:6");
    assertThat(first.entries().get("b").value())
        .isEqualTo(new Node.Scalar(new Location("p.yaml", 2, 9), "1.50", Node.NodeKind.NUMBER));
    assertThat(list.items().get(1).at()).hasToString("p.yaml:3:5");
  }

  @Test
  void parse_json_hasLocationsToo() {
    Node.Mapping root = (Node.Mapping) read("{\n  \"a\": [true,\n null]}", "p.JSON");
    Node.Sequence list = (Node.Sequence) root.entries().get("a").value();

    assertThat(root.entries().get("a").at()).hasToString("p.JSON:2:3");
    assertThat(list.items())
        .containsExactly(
            new Node.Scalar(new Location("p.JSON", 2, 9), "true", Node.NodeKind.BOOLEAN),
            new Node.Scalar(new Location("p.JSON", 3, 2), "null", Node.NodeKind.NULL));
  }

  @ParameterizedTest
  @CsvSource({
    "1,NUMBER",
    "-1.5e3,NUMBER",
    ".5,NUMBER",
    "007,NUMBER",
    "1_000,TEXT",
    "0x1F,TEXT",
    "1:30,TEXT",
    ".inf,TEXT",
    "true,BOOLEAN",
    "False,BOOLEAN",
    "yes,TEXT",
    "off,TEXT",
    "no,TEXT",
    "null,NULL",
    "~,NULL",
    "\"'1'\",TEXT",
    "5/min,TEXT",
    "2024-01-01,TEXT"
  })
  void parse_yamlScalar_isOfItsKind(String text, Node.NodeKind kind) {
    assertThat(first(read("[" + text + "]", "p.yaml")).kind()).isEqualTo(kind);
  }

  @Test
  void parse_longNumber_keepsItsDigits() {
    String digits = "0." + "1234567890".repeat(10);

    assertThat(first(read("[" + digits + "]", "p.json")).text()).isEqualTo(digits);
    assertThat(first(read("[" + digits + "]", "p.yaml")).text()).isEqualTo(digits);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "a: 1\\nb: 2\\na: 3; p.yaml:3:1: duplicate key: a, first at p.yaml:1:1",
        "a: &x 1; p.yaml:1:4: anchors are not supported: quote text that begins with &",
        "a: &x {b: 1}; p.yaml:1:4: anchors are not supported: quote text that begins with &",
        "a: *x; p.yaml:1:4: aliases are not supported: quote text that begins with *",
        "<<: {a: 1}; p.yaml:1:1: merge keys are not supported: <<",
        "a: !!binary aGk=; p.yaml:1:4: tags are not supported: quote text that begins with !",
        "a: 1\\n---\\nb: 2; p.yaml:2:1: must be one document: a second one begins here",
        "[a]: 1; p.yaml:1:1: a key must be plain text, not a list or mapping",
        "a: b\\u0001; p.yaml:1:5: must not contain the character U+0001"
      })
  void parse_yamlThatIsNotSupported_isReportedAtItsLocation(String text, String error) {
    assertThat(errors(text.replace("\\n", "\n").replace("\\u0001", "\u0001"), "p.yaml"))
        .containsExactly(error);
  }

  @Test
  void parse_tabForIndentation_isOneReadableLine() {
    assertThat(errors("a:\n\t- b\n", "p.yaml"))
        .containsExactly(
            "p.yaml:2:1: found character '\\t(TAB)' that cannot start any token. (Do not use"
                + " \\t(TAB) for indentation), while scanning for the next token");
  }

  @Test
  void parse_unclosedBracket_reportsItsStart() {
    assertThat(errors("a: [1, 2\nb: 3\n", "p.yaml"))
        .containsExactly(
            "p.yaml:2:2: expected ',' or ']', but got :, while parsing a flow sequence that begins"
                + " at line 1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "{\"a\": 1, \"a\": 2}; p.json:1:10: duplicate key: a, first at p.json:1:2",
        "{} {}; p.json:1:4: must be one document: a second one begins here",
        "{\"a\": NaN}; p.json:1:10: Non-standard token",
        "// no; p.json:1:1: Unexpected character ('/' (code 47)): maybe a (non-standard) comment?",
        "[1, 2; p.json:1:6: Unexpected end-of-input: expected close marker for Array (start marker"
            + " at line 1, column 1)"
      })
  void parse_badJson_isReportedAtItsLocation(String text, String error) {
    assertThat(errors(text, "p.json")).containsExactly(error);
  }

  @Test
  void parse_jsonNumberOfTooManyDigits_isReportedAtItsLocation() {
    assertThat(errors("{\n\"a\": " + "1".repeat(1_001) + "}", "p.json"))
        .singleElement()
        .asString()
        .startsWith("p.json:2:")
        .contains("Number value length (1001) exceeds the maximum allowed (1000)");
  }

  @Test
  void parse_jsonNameThatIsTooLong_isReportedAtItsLocation() {
    assertThat(errors("{\"" + "a".repeat(50_001) + "\": 1}", "p.json"))
        .singleElement()
        .asString()
        .startsWith("p.json:1:")
        .endsWith("exceeds the maximum allowed (50000)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\\u", "\\x", "\\U", "\\u00", "\\UFFFFFFFF\"", "\\U00110000\""})
  void parse_yamlWithABadEscape_isReportedAtItsLocation(String escape) {
    assertThat(errors("a: 1\nb: \"" + escape, "p.yaml"))
        .singleElement()
        .asString()
        .startsWith("p.yaml:2:");
  }

  @ParameterizedTest
  @ValueSource(strings = {"p.yaml", "p.json"})
  void parse_deepNesting_endsAtFifty(String name) {
    assertThat(read("[".repeat(50) + "]".repeat(50), name)).isNotNull();
    assertThat(errors("[".repeat(100_000), name))
        .containsExactly(name + ":1:51: must not be nested deeper than 50");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\n", "# nothing\n", "---\n", "null"})
  void parse_nothing_isEmpty(String text) {
    assertThat(errors(text, "p.yaml")).containsExactly("p.yaml: is empty");
  }

  @Test
  void parse_byteOrderMark_isIgnored() {
    assertThat(read("\ufeff{\"a\": 1}", "p.json")).isInstanceOf(Node.Mapping.class);
    assertThat(read("\ufeffa: 1", "p.yaml")).isInstanceOf(Node.Mapping.class);
  }

  @Test
  void parse_tooLarge_isRejected() {
    assertThat(errors("x".repeat(Document.MAX_BYTES + 1), "p.yaml"))
        .containsExactly("p.yaml: must not be larger than 64 MiB");
  }
}
