package io.penstock.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.Problem;
import io.penstock.policy.load.ReadFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EnvoyConfigErrorsTest {
  @Test
  void load_allMistakes_areReportedWithTheirPlaces() {
    String text =
        """
        domain: ""
        descriptor: []
        descriptors:
          - value: x
          - key: user
            ratelimit: {unit: day}
          - key: user
          - key: a
            rate_limit: {unit: foo, requests_per_unit: 5}
          - key: b
            rate_limit: {unit: day, requestsperunit: 5}
          - key: c
            rate_limit: {unlimited: true, unit: day}
          - key: d
            share_threshold: true
            rate_limit: {unit: mounth, requests_per_unit: -1}
          - key: e
            rate_limit:
              name: self
              replaces: [{name: self}, {name:}]
              unit: day
              requests_per_unit: 1.5
          - text
        """;

    assertThat(errors(text))
        .containsExactly(
            "c.yaml:1:9: domain: is required: the domain that requests state, such as envoy",
            "c.yaml:2:1: descriptor: unknown field; did you mean descriptors?",
            "c.yaml:4:5: descriptors[0].key: is required",
            "c.yaml:6:5: descriptors[1].ratelimit: unknown field; did you mean rate_limit?",
            "c.yaml:7:10: descriptors[2].key: is configured twice, first at c.yaml:5:5: user",
            "c.yaml:9:24: descriptors[3].rate_limit.unit: must be second | minute | hour | day |"
                + " week | month | year: foo",
            "c.yaml:11:29: descriptors[4].rate_limit.requestsperunit: unknown field; did you mean"
                + " requests_per_unit?",
            "c.yaml:13:41: descriptors[5].rate_limit.unit: must not be set with unlimited: true",
            "c.yaml:15:22: descriptors[6].share_threshold: needs a value with a wildcard (*)",
            "c.yaml:16:24: descriptors[6].rate_limit.unit: must be second | minute | hour | day |"
                + " week | month | year: mounth; did you mean month?",
            "c.yaml:16:51: descriptors[6].rate_limit.requests_per_unit: must be a whole number from"
                + " 0 to 4294967295: -1",
            "c.yaml:20:25: descriptors[7].rate_limit.replaces[0].name: must not be the limit's own"
                + " name: self",
            "c.yaml:20:38: descriptors[7].rate_limit.replaces[1].name: is required: the name of the"
                + " limit to replace",
            "c.yaml:22:26: descriptors[7].rate_limit.requests_per_unit: must be a whole number from"
                + " 0 to 4294967295: 1.5",
            "c.yaml:23:5: descriptors[8]: must be a mapping, not text");
  }

  @Test
  void load_notAConfiguration_isAnError() {
    assertThat(errors("'''\n")).hasSize(1);
    assertThat(errors("0.25: shop\n")).hasSize(2);
    assertThat(errors("domain: a\n---\ndomain: b\n"))
        .containsExactly("c.yaml:2:1: must be one document: a second one begins here");
  }

  @Test
  void load_domainInTwoFiles_isAnErrorUnlessMerged(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("a.yaml"), config("a"));
    Files.writeString(folder.resolve("b.yaml"), config("b"));
    Files.writeString(folder.resolve("notes.txt"), "not a configuration");

    PolicyException rejected =
        catchThrowableOfType(PolicyException.class, () -> load(folder, false));
    assertThat(rejected.problems())
        .singleElement()
        .asString()
        .contains("domain: is already configured at")
        .endsWith("; set envoy_merge_domains to merge the files of a domain: shop");
    assertThat(load(folder, true).limits())
        .extracting(DescriptorLimit::name)
        .containsExactlyInAnyOrder("shop.a", "shop.b");
  }

  @Test
  void load_folder_includesFoldersAndReportsOtherFiles(@TempDir Path folder) throws IOException {
    Path nested = Files.createDirectories(folder.resolve("team/nested"));
    Path hidden = Files.createDirectories(folder.resolve("..data"));
    Files.writeString(nested.resolve("a.yaml"), config("a"));
    Files.writeString(folder.resolve("b.yml"), config("b"));
    Files.writeString(hidden.resolve("b.yaml"), config("b"));
    Files.writeString(nested.resolve("old.yaml.bak"), "not a configuration");

    EnvoyConfig config = load(folder, true);
    assertThat(config.limits())
        .extracting(DescriptorLimit::name)
        .containsExactlyInAnyOrder("shop.a", "shop.b");
    assertThat(config.warnings())
        .singleElement()
        .hasToString(
            nested.resolve("old.yaml.bak")
                + ": warning: is not read; configurations have names that end in .yaml, .yml or"
                + " .json");
  }

  @Test
  void load_nothing_isAnError(@TempDir Path folder) {
    assertThat(catchThrowableOfType(PolicyException.class, () -> load(folder, false)))
        .hasMessageContaining("contains no configurations");
    assertThat(
            catchThrowableOfType(
                PolicyException.class, () -> load(folder.resolve("missing.yaml"), false)))
        .hasMessageContaining("no such file");
  }

  private static EnvoyConfig load(Path path, boolean mergesDomains) {
    return EnvoyConfigLoader.load(List.of(path), mergesDomains, new ReadFiles());
  }

  private static String config(String key) {
    return """
        domain: shop
        descriptors:
          - {key: %s, rate_limit: {unit: hour, requests_per_unit: 1}}
        """
        .formatted(key);
  }

  private static List<String> errors(String text) {
    PolicyException rejected =
        catchThrowableOfType(PolicyException.class, () -> EnvoyConfigLoader.parse(text, "c.yaml"));
    return rejected.problems().stream().map(Problem::toString).toList();
  }
}
