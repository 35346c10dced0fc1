package io.penstock.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Compares matching with a model of the documented order, on random configurations. */
class EnvoyMatchModelTest {
  private static final List<String> KEYS = List.of("a", "b", "c");
  private static final List<String> VALUES =
      List.of("", "x", "xy", "xyz", "y", "yx", "*", "x*", "*y", "x*z", "x*y*", "*x*", "x*x");
  private static final List<String> SENT =
      List.of("", "x", "xx", "xy", "xyz", "xz", "y", "yx", "*");

  /** A configured descriptor; its limit is its number, or 0 for none. */
  private record Configured(String key, String value, int limit, List<Configured> nested) {}

  private int limits;

  @Test
  void match_randomConfigurations_asDocumented() {
    for (int seed = 0; seed < 1_000; seed++) {
      Random random = new Random(seed);
      limits = 0;
      List<Configured> root = descriptors(random, 3);
      StringBuilder yaml = new StringBuilder("domain: d\n");
      write(root, "", yaml);
      EnvoyConfig config = EnvoyConfigLoader.parse(yaml.toString(), "random.yaml");
      for (int i = 0; i < 50; i++) {
        List<DescriptorEntry> entries = entries(random);
        assertThat(actual(config, entries))
            .as("seed %s, %s in%n%s", seed, entries, yaml)
            .isEqualTo(expected(root, entries));
      }
    }
  }

  private static int actual(EnvoyConfig config, List<DescriptorEntry> entries) {
    return config.match("d", entries).map(match -> (int) match.limit().requestsPerUnit()).orElse(0);
  }

  private static int expected(List<Configured> level, List<DescriptorEntry> entries) {
    List<Configured> candidates = level;
    Configured found = null;
    for (DescriptorEntry entry : entries) {
      found = choose(candidates, entry);
      if (found == null) {
        return 0;
      }
      candidates = found.nested;
    }
    return found == null ? 0 : found.limit;
  }

  private static @Nullable Configured choose(List<Configured> level, DescriptorEntry entry) {
    List<Configured> sameKey = level.stream().filter(each -> each.key.equals(entry.key())).toList();
    for (Configured each : sameKey) {
      if (!each.value.isEmpty() && each.value.equals(entry.value())) {
        return each;
      }
    }
    for (Configured each : sameKey) {
      String regex = Pattern.quote(each.value).replace("*", "\\E.*\\Q");
      if (each.value.contains("*") && entry.value().matches(regex)) {
        return each;
      }
    }
    return sameKey.stream().filter(each -> each.value.isEmpty()).findFirst().orElse(null);
  }

  private List<Configured> descriptors(Random random, int depth) {
    List<Configured> descriptors = new ArrayList<>();
    Set<String> used = new HashSet<>();
    int count = depth == 0 ? 0 : random.nextInt(6);
    for (int i = 0; i < count; i++) {
      String key = pick(KEYS, random);
      String value = pick(VALUES, random);
      if (used.add(key + "=" + value)) {
        int limit = random.nextInt(3) == 0 ? 0 : ++limits;
        descriptors.add(new Configured(key, value, limit, descriptors(random, depth - 1)));
      }
    }
    return descriptors;
  }

  private static List<DescriptorEntry> entries(Random random) {
    List<DescriptorEntry> entries = new ArrayList<>();
    int count = 1 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      entries.add(new DescriptorEntry(pick(KEYS, random), pick(SENT, random)));
    }
    return entries;
  }

  private static String pick(List<String> from, Random random) {
    return from.get(random.nextInt(from.size()));
  }

  private static void write(List<Configured> level, String indent, StringBuilder yaml) {
    yaml.append(indent).append("descriptors:\n");
    for (Configured each : level) {
      yaml.append(indent).append("- key: ").append(each.key).append('\n');
      yaml.append(indent).append("  value: \"").append(each.value).append("\"\n");
      if (each.limit > 0) {
        yaml.append(indent).append("  rate_limit: {unit: hour, requests_per_unit: ");
        yaml.append(each.limit).append("}\n");
      }
      write(each.nested, indent + "  ", yaml);
    }
  }
}
