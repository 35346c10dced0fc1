package io.penstock.policy.advice;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.Attribute;
import io.penstock.policy.KeyPart;
import io.penstock.policy.Policy;
import io.penstock.policy.accesslog.LogFields;
import io.penstock.policy.accesslog.LogOptions;
import io.penstock.policy.accesslog.LogSource;
import io.penstock.policy.accesslog.LogStream;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.policy.replay.Replay;
import io.penstock.policy.replay.RuleReport;
import java.io.ByteArrayInputStream;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** What advice predicts for a suggestion is what a replay of the policy counts, for any log. */
class PredictionTest {
  private static final String COLUMNS =
      "time,ip,method,path,host,user_id,plan,jwt:sub,http_x_key,cookie_c,count\n";
  private static final List<String> ADDRESSES =
      List.of("192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::2", "2001:db8:0:1::1", "");
  private static final List<String> METHODS = List.of("GET", "HEAD", "get", "POST", "M-SEARCH", "");
  private static final List<String> HOSTS = List.of("a.example", "A.example:80", "*.example", "");
  private static final List<String> PATHS =
      List.of(
          "/users/1",
          "/users/22",
          "/users/me",
          "/users/",
          "/users/1/orders",
          "/users/1/orders/7",
          "/users/x/orders",
          "/users//1/./orders",
          "/a/../users/5",
          "/files/a%2Fb",
          "/files/%00",
          "/files/a%20b",
          "/files/a*b",
          "/files/*",
          "/f%69les/q?q=a&q=b",
          "/?q=a",
          "/?q=b%26x",
          "*",
          "http://a.example/users/9",
          "/" + "n".repeat(400),
          "/n/" + "m".repeat(400) + "7",
          "");
  private static final List<String> VALUES =
      List.of(
          "alice", "a&b", "a=b", "a%26b", "192.0.2.1", "#x", "\u00e9\u20ac", "y".repeat(99), "");

  private record Setting(List<String> keys, List<String> per, boolean isFolded, List<String> fold) {
    AdviceOptions options() {
      return new AdviceOptions(
          keys.stream().map(KeyPart::parse).toList(),
          per.stream().map(Attribute::parse).toList(),
          80,
          30,
          new PathFolding(isFolded, fold));
    }
  }

  @Provide
  Arbitrary<Setting> settings() {
    Arbitrary<List<String>> keys =
        Arbitraries.of(
            List.of("ip:address"),
            List.of("user_id|ip:address"),
            List.of("user_id", "ip:address"),
            List.of("header:x-key"),
            List.of("header:x-key", "user_id"),
            List.of("cookie:c|header:x-key|ip:address"),
            List.of("query:q"),
            List.of("jwt:sub"),
            List.of("jwt:sub|ip:address", "plan"));
    Arbitrary<List<String>> per =
        Arbitraries.of(
            List.of(),
            List.of("path"),
            List.of("method", "path"),
            List.of("host"),
            List.of("host", "path"),
            List.of("plan"),
            List.of("query:q"),
            List.of("query:q", "path"),
            List.of("ip:address"),
            List.of("jwt:sub"));
    Arbitrary<List<String>> fold =
        Arbitraries.of(
            List.of(),
            List.of("/users/*"),
            List.of("/users/*/orders", "/us*"),
            List.of("*"),
            List.of("/files/*b", "*s/*"));
    return Combinators.combine(keys, per, Arbitraries.of(true, false), fold).as(Setting::new);
  }

  /** The full build tries several logs with each setting. */
  private static final int LOGS = Boolean.getBoolean("penstock.full") ? 6 : 1;

  private static String log(long seed) {
    Random random = new Random(seed);
    int some = 1 + random.nextInt(6);
    StringBuilder log = new StringBuilder(COLUMNS);
    double time = 1_760_000_000;
    for (int i = 0; i < 400; i++) {
      time += random.nextInt(5) == 0 ? random.nextDouble() * 20 : random.nextInt(3) * 0.007;
      log.append("%.3f".formatted(time));
      for (List<String> values : List.of(ADDRESSES, METHODS, PATHS, HOSTS)) {
        log.append(",\"").append(one(values, some, random)).append('"');
      }
      for (int attribute = 0; attribute < 5; attribute++) {
        log.append(",\"").append(one(VALUES, some, random)).append('"');
      }
      log.append(',').append(random.nextInt(10) == 0 ? random.nextInt(4) : 1).append('\n');
    }
    return log.toString();
  }

  /** Mostly returns one of the first values. */
  private static String one(List<String> values, int some, Random random) {
    int bound = random.nextInt(3) == 0 ? values.size() : Math.min(some, values.size());
    return values.get(random.nextInt(bound));
  }

  private static LogStream stream(String log, LogFields fields) {
    return new LogStream(
        List.of(LogSource.of("log", new ByteArrayInputStream(log.getBytes(UTF_8)))),
        LogOptions.of(fields));
  }

  private static void check(String log, AdviceOptions options) {
    Advice advice =
        new Advisor(options).run(stream(log, new LogFields(options.attributes(), Map.of())));
    if (!advice.hasKeys()) {
      return;
    }
    for (String level : Advice.LEVELS) {
      AdvicePolicy written = new AdvicePolicy(advice, level);
      if (written.isEmpty()) {
        continue;
      }
      Policy policy = PolicyLoader.parse(written.text(), "policy.yaml").policy();
      List<RuleReport> rules =
          new Replay("policy", policy)
              .run(stream(log, new LogFields(Replay.attributes(policy), Map.of())))
              .policies()
              .get(0)
              .rules();
      assertThat(rules).hasSameSizeAs(written.written());
      for (int i = 0; i < rules.size(); i++) {
        GroupAdvice group = written.written().get(i);
        Suggestion suggestion = group.suggestion(level);
        RuleReport rule = rules.get(i);
        String name = level + " of " + group.label() + "\n" + written.text();
        assertThat(rule.denied()).as("denied by %s", name).isEqualTo(suggestion.denied());
        assertThat(rule.deniedKeys()).as("keys of %s", name).isEqualTo(suggestion.deniedKeys());
        assertThat(rule.requests()).as("requests of %s", name).isEqualTo(group.requests());
        assertThat(rule.worst().stream().limit(5).toList())
            .as("worst keys of %s", name)
            .isEqualTo(suggestion.worst());
      }
    }
  }

  @Property(tries = 50)
  void suggestions_anyLog_denyWhatWasPredicted(
      @ForAll("settings") Setting setting, @ForAll long seed) {
    for (int i = 0; i < LOGS; i++) {
      check(log(seed + i), setting.options());
    }
  }

  @Test
  void suggestions_valuesThatLookAlike_haveBucketsOfTheirOwn() {
    StringBuilder log = new StringBuilder("time,user_id,plan\n");
    for (String key : List.of("a&b,c", "a,b&c", "x,y&plan=z", "x&plan=y,z")) {
      log.append(("1760000000," + key + "\n").repeat(3));
    }
    AdviceOptions options =
        new Setting(List.of("user_id", "plan"), List.of(), true, List.of()).options();

    Advice advice =
        new Advisor(options)
            .run(stream(log.toString(), new LogFields(options.attributes(), Map.of())));

    assertThat(advice.groups().get(0).keys()).isEqualTo(4);
    check(log.toString(), options);
  }

  @Test
  void suggestions_rejectedPaths_areCountedSeparately() {
    StringBuilder log = new StringBuilder("time,ip,path\n");
    for (int i = 0; i < 50; i++) {
      log.append("1760000000,192.0.2.1,").append(i < 40 ? "/a%2Fb" : "/a").append('\n');
    }
    AdviceOptions options =
        new Setting(List.of("ip:address"), List.of(), true, List.of()).options();

    Advice advice =
        new Advisor(options)
            .run(stream(log.toString(), new LogFields(options.attributes(), Map.of())));

    assertThat(advice.rejected()).isEqualTo(40);
    assertThat(advice.groups().get(0).suggestion("balanced").burst()).isLessThanOrEqualTo(10);
    assertThat(AdviceText.lines(advice))
        .contains("note: 40 requests have a path that is always rejected, and are left out");
    check(log.toString(), options);
  }
}
