package io.penstock.policy.replay;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.Policy;
import io.penstock.policy.accesslog.LogFields;
import io.penstock.policy.accesslog.LogOptions;
import io.penstock.policy.accesslog.LogSource;
import io.penstock.policy.accesslog.LogStream;
import io.penstock.policy.http.Json;
import io.penstock.policy.load.PolicyLoader;
import java.io.ByteArrayInputStream;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReplayTest {
  private static final String LOG =
      """
      time,ip,path
      1760000000.0,192.0.2.1,/a
      1760000000.1,192.0.2.1,/a
      1760000000.2,192.0.2.1,/a
      1760000000.3,192.0.2.2,/<script>
      1760000011.0,192.0.2.1,/a
      garbage
      """;

  private static Policy policy(String limit) {
    return PolicyLoader.parse(
            "rules:\n"
                + "  - {name: callers, limit_keys: ['ip:address'], "
                + limit
                + "}\n"
                + "  - {name: users, limit_keys: [user_id], rate: 1/s, burst: 1}\n",
            "policy.yaml")
        .policy();
  }

  private static LogStream log(Policy policy) {
    return new LogStream(
        List.of(LogSource.of("log", new ByteArrayInputStream(LOG.getBytes(UTF_8)))),
        LogOptions.of(new LogFields(Replay.attributes(policy), Map.of())));
  }

  @Test
  void run_log_countsByRuleAndKey() {
    Policy policy = policy("rate: 1/s, burst: 2");

    ReplayReport report = new Replay("p", policy).run(log(policy));

    RuleReport callers = report.policies().get(0).rules().get(0);
    assertThat(callers.requests()).isEqualTo(5);
    assertThat(callers.denied()).isOne();
    assertThat(callers.keys()).isEqualTo(2);
    assertThat(callers.worst()).containsExactly(new KeyCount("ip:address=192.0.2.1", 4, 1));
    assertThat(callers.timeline().stream().mapToLong(Timeline.Interval::denied).sum()).isOne();
    assertThat(report.read().unreadable().total()).isOne();
    assertThat(ReplayText.lines(report))
        .anyMatch(line -> line.contains("log:7: garbage"))
        .anyMatch(line -> line.startsWith("warning: users"));
  }

  @Test
  void run_fieldCount_isReportedAndCanBeIgnored() {
    Policy policy = policy("rate: 1/s, burst: 2");
    String log = "time,ip,count\n1760000000,192.0.2.1,5\n1760000000,192.0.2.1,1\n";
    for (Map<String, String> fields : List.of(Map.<String, String>of(), Map.of("count", "none"))) {
      LogStream stream =
          new LogStream(
              List.of(LogSource.of("log", new ByteArrayInputStream(log.getBytes(UTF_8)))),
              LogOptions.of(new LogFields(Replay.attributes(policy), fields)));

      ReplayReport report = new Replay("p", policy).run(stream);

      assertThat(report.span().requests()).isEqualTo(fields.isEmpty() ? 6 : 2);
      assertThat(ReplayText.lines(report).toString().contains("1 lines stand for several requests"))
          .isEqualTo(fields.isEmpty());
    }
  }

  @Test
  void run_twoPolicies_showsTheChange() {
    Policy policy = policy("rate: 1/s, burst: 2");
    Policy other = policy("rate: 1/s, burst: 1");

    ReplayReport report = new Replay("p", policy, "q", other).run(log(policy));

    assertThat(report.change()).isNotNull();
    assertThat(report.change().newlyDenied()).isOne();
    assertThat(report.change().newlyAllowed()).isZero();
    assertThat(ReplayText.lines(report)).anyMatch(line -> line.contains("1 requests newly denied"));
    assertThat(ReplayText.lines(report))
        .anyMatch(line -> line.matches(" *callers +1 +2 +\\+1"))
        .contains(
            "  2025-10-09T08:53:20Z to 2025-10-09T08:53:32Z; the highest bar is 1 denied within 1s");
    assertThat(new String(Json.bytes(json -> ReplayJson.write(report, json)), UTF_8))
        .contains("\"newly_denied\":1", "\"unreadable\":1");
  }

  @Test
  void html_report_isSelfContainedAndEscaped() {
    Policy policy = policy("rate: 1/s, burst: 1");
    String html = ReplayHtml.of(new Replay("<b>p</b>", policy).run(log(policy)));

    assertThat(html).contains("<svg", "&lt;b&gt;p").doesNotContain("<b>p", "<script", "src=");
    assertThat(html).doesNotContain("http:", "https:", "url(");
  }

  @Test
  void timeline_longLog_hasABoundedNumberOfIntervals() {
    Timeline timeline = new Timeline();
    for (long i = 0; i < 100_000; i++) {
      timeline.add(1_760_000_000_000_000_000L + i * 60_000_000_000L, 1, 1);
    }

    assertThat(timeline.intervals()).hasSizeLessThanOrEqualTo(245);
    assertThat(timeline.intervals().stream().mapToLong(Timeline.Interval::requests).sum())
        .isEqualTo(100_000);
  }
}
