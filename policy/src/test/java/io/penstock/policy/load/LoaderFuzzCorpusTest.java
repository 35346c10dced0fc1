package io.penstock.policy.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The fuzzer of the loader starts with every field of a rule, so that it mutates each of them. */
class LoaderFuzzCorpusTest {
  private static final Path RESOURCES = Path.of("src/fuzz/resources");
  private static final Pattern TOKEN = Pattern.compile("(?m)^\"(\\w+)");
  private static final Pattern FIELD = Pattern.compile("[\\s{,\"](\\w+)\"?:");

  @Test
  void dictionary_everyField_isAToken() throws IOException {
    String dictionary = Files.readString(RESOURCES.resolve("LoaderFuzz.dict"));

    assertThat(matches(TOKEN, dictionary)).containsAll(names());
  }

  @Test
  void corpus_everyField_isInAValidPolicy() throws IOException {
    Set<String> fields = new TreeSet<>();
    try (Stream<Path> inputs = Files.list(RESOURCES.resolve("LoaderFuzz"))) {
      for (Path input : inputs.toList()) {
        String text = Files.readString(input);
        if (Loading.problems(text, input.getFileName().toString()).isEmpty()) {
          fields.addAll(matches(FIELD, text));
        }
      }
    }

    assertThat(fields).containsAll(names());
  }

  private static List<String> names() {
    return RuleFields.ALL.stream().map(RuleField::name).toList();
  }

  private static Set<String> matches(Pattern pattern, String text) {
    Set<String> found = new TreeSet<>();
    pattern.matcher(text).results().forEach(match -> found.add(match.group(1)));
    return found;
  }
}
