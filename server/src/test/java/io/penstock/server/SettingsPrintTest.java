package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsPrintTest {
  private static final String SECRET = "not-to-be-shown-anywhere";

  @TempDir Path folder;

  private static String printed(Map<Setting, String> flags) {
    return SettingsReader.read(flags, Map.of(), null).print();
  }

  private static String withoutOrigins(String printed) {
    return printed.replaceAll("  # .*", "");
  }

  private Settings readAgain(String printed) throws IOException {
    return SettingsReader.read(
        Map.of(), Map.of(), Files.writeString(folder.resolve("again.yaml"), printed));
  }

  @Test
  void print_defaults_containsEverySettingAndItsOrigin() {
    assertThat(printed(Map.of()).lines())
        .hasSize(Setting.values().length)
        .contains(
            "port: 8080  # default",
            "# policy:  # not set",
            "# redis_prefix: \"penstock:\"  # default");
  }

  @Test
  void print_everythingSet_canBeReadAgain() throws IOException {
    Map<Setting, String> flags = new EnumMap<>(Setting.class);
    flags.put(Setting.POLICY, folder.resolve("a \"b\" # c: d\\e/policy.yaml").toString());
    flags.put(Setting.HOST, "::1");
    flags.put(Setting.ADMIN_HOST, "::1");
    flags.put(Setting.PORT, "0");
    flags.put(Setting.REDIS, "redis-sentinel://h1:26379,h2:26379/1#main");
    flags.put(Setting.REDIS_PREFIX, "{a}: 'b' # \"c\"\té…");
    flags.put(Setting.HEADERS, "x-ratelimit");
    flags.put(Setting.NODES, "3");
    flags.put(Setting.LOG_DECISIONS, "true");

    String printed = printed(flags);
    Settings again = readAgain(printed);

    assertThat(withoutOrigins(again.print())).isEqualTo(withoutOrigins(printed));
    assertThat(again.policy()).hasToString("Optional[" + flags.get(Setting.POLICY) + "]");
    assertThat(again.redisPrefix()).isEqualTo(flags.get(Setting.REDIS_PREFIX));
    assertThat(again.redis()).isPresent();
  }

  @Test
  void print_secrets_areMaskedAndNotReadAgain() throws IOException {
    String printed =
        printed(
            Map.of(
                Setting.TOKEN, SECRET,
                Setting.ADMIN_TOKEN, SECRET,
                Setting.REDIS, "redis://user:" + SECRET + "@h:6379"));

    assertThat(printed)
        .doesNotContain(SECRET)
        .contains("# token: ********  # --token, masked")
        .contains("# admin_token: ********  # --admin-token, masked")
        .contains("# redis: \"redis://user:********@h:6379\"  # --redis, masked");
    Settings again = readAgain(printed);
    assertThat(again.token()).isEmpty();
    assertThat(again.redis()).isEmpty();
  }

  @Test
  void toString_withSecrets_doesNotShowThem() {
    assertThat(SettingsReader.read(Map.of(Setting.TOKEN, SECRET), Map.of(), null).toString())
        .doesNotContain(SECRET);
  }

  @ParameterizedTest
  @CsvSource({
    "redis://h:6379/1, redis://h:6379/1",
    "redis://pw@h, redis://********@h",
    "redis://:pw@h, redis://:********@h",
    "rediss://u:p:w@h/0, rediss://u:********@h/0",
    "redis://u:p%40w@h, redis://u:********@h",
    "redis://u:p@w@h, redis://u:********@h",
    "redis://u:p/w#x?y@h, redis://u:********@h",
    "'redis-cluster://u:pw@h1:1,h2:2', 'redis-cluster://u:********@h1:1,h2:2'",
    "'redis-sentinel://pw@h1:1,h2:2/0#m', 'redis-sentinel://********@h1:1,h2:2/0#m'",
    "'redis-sentinel://u:pw@h1,h2?sentinelMasterId=m',"
        + " 'redis-sentinel://u:********@h1,h2?sentinelMasterId=m'"
  })
  void masked_anyForm_hidesThePassword(String url, String shown) {
    assertThat(RedisUrl.masked(url)).isEqualTo(shown);
  }
}
