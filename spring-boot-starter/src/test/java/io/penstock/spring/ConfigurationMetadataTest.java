package io.penstock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Checks the metadata that editors use for completion, and that docs/spring.md lists all
 * properties.
 */
class ConfigurationMetadataTest {
  /** Properties without a default: the value comes from the policy or from the environment. */
  private static final Set<String> WITHOUT_DEFAULT =
      Set.of(
          "penstock.mode",
          "penstock.trusted-proxies",
          "penstock.client-address-header",
          "penstock.redis.url",
          "penstock.redis.nodes",
          "penstock.filter.async");

  private static final String ENDPOINT = "management.endpoint.penstock.";

  private static List<JsonNode> properties() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(
            PenstockProperties.class.getResourceAsStream(
                "/META-INF/spring-configuration-metadata.json"))) {
      List<JsonNode> properties = new ArrayList<>();
      new ObjectMapper().readTree(in).get("properties").forEach(properties::add);
      // Every actuator endpoint has these properties.
      properties.removeIf(property -> property.get("name").asText().startsWith(ENDPOINT));
      return properties;
    }
  }

  @Test
  void properties_haveADescriptionAndADefault() throws IOException {
    assertThat(properties()).hasSize(20);
    for (JsonNode property : properties()) {
      String name = property.get("name").asText();
      assertThat(property.path("description").asText()).as(name).isNotBlank();
      assertThat(property.has("defaultValue"))
          .as(name)
          .isNotEqualTo(WITHOUT_DEFAULT.contains(name));
    }
  }

  @Test
  void page_hasAllProperties() throws IOException {
    String page = Files.readString(Path.of("..", "docs", "spring.md"));

    for (JsonNode property : properties()) {
      assertThat(page).contains("| `" + property.get("name").asText() + "` |");
    }
  }
}
