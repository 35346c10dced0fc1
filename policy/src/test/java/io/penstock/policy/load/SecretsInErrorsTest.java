package io.penstock.policy.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Errors are visible in the readiness endpoint and in the log. */
class SecretsInErrorsTest {
  private static final String SECRET = "hunter2hunter2";

  /** Characters that unquoted text can start with or contain. */
  private static final List<String> SIGNS =
      List.of(
          "*",
          "&",
          "!",
          "!!",
          "!<",
          "!x!",
          "%",
          "@",
          "`",
          "|",
          ">",
          "-",
          "?",
          ":",
          ",",
          "[",
          "]",
          "{",
          "}",
          "#",
          "\"",
          "'",
          "\\",
          "<<",
          "~",
          "=",
          "\t",
          "\"\\x",
          "\"\\u",
          "\"\\q",
          "*x: ",
          "&x *",
          "%YAML 9.",
          "---\n",
          "...\n",
          "\n",
          "\u0007",
          "|9",
          ">x");

  private static final List<String> FORMS =
      List.of(
          "jwt: {secret: %s}\nrules: []",
          "jwt: {secret:%s}\nrules: []",
          "jwt:\n  secret: %s\nrules: []",
          "jwt:\n  secret:%s\nrules: []",
          "key_secret: %s\nrules: []",
          "key_secret:%s\nrules: []",
          "key_secret: [%s\nrules: []");

  static Stream<String> texts() {
    List<String> values =
        SIGNS.stream()
            .flatMap(sign -> Stream.of(sign + SECRET, SECRET + sign, SECRET + sign + SECRET))
            .toList();
    return FORMS.stream().flatMap(form -> values.stream().map(value -> form.replace("%s", value)));
  }

  @ParameterizedTest
  @MethodSource("texts")
  void parse_unquotedSecret_isNeverRepeated(String text) {
    assertThat(messages(text, "p.yaml")).doesNotContain("hunter2");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"jwt\": {\"secret\": hunter2hunter2}}",
        "{\"jwt\": {\"secret\": truehunter2}}",
        "{\"jwt\": {\"secret\": NaNhunter2}}",
        "{\"jwt\": {\"secret\": 1hunter2}}",
        "{\"jwt\": {\"secret\": -hunter2}}",
        "{\"jwt\": {\"secret\": 'hunter2'}}",
        "{\"jwt\": {\"secret\": \"\\hunter2\"}}",
        "{\"jwt\": {\"secret\": \"hunter2\n\"}}",
        "{\"jwt\": {\"secret\": \"hunter2}}",
        "hunter2",
      })
  void parse_unquotedSecretInJson_isNeverRepeated(String text) {
    assertThat(messages(text, "p.json")).isNotEmpty().doesNotContain("hunter2");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ftp://user:hunter2@example.com/keys",
        "https://user:hunter2@/keys",
        "https://user:hunter2@example.com/ keys",
        "example.com/keys?token=hunter2",
        "user:hunter2@example.com",
      })
  void parse_wrongUrlOfKeys_isShownWithoutItsPassword(String url) {
    assertThat(messages("jwt: {jwks_url: \"" + url + "\"}\nrules: []", "p.yaml"))
        .isNotEmpty()
        .doesNotContain("hunter2");
  }

  private static String messages(String text, String name) {
    try {
      return PolicyLoader.parse(text, name).warnings().toString();
    } catch (PolicyException e) {
      return String.valueOf(e.getMessage());
    }
  }
}
