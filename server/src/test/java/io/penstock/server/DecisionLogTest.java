package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.ExplicitRequest;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.testing.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class DecisionLogTest {
  private static final Logger LOGGER = (Logger) LoggerFactory.getLogger("penstock.decisions");

  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  @BeforeEach
  void collect() {
    log.start();
    LOGGER.addAppender(log);
  }

  @AfterEach
  void stop() {
    LOGGER.detachAppender(log);
  }

  @Test
  void decided_anyRule_namesTheRuleAndTheKey() {
    decide(
        "{name: per address, limit_keys: ['ip:address'], match: {path: /login}, rate: 5/min, burst: 1}",
        ExplicitRequest.builder().ip("192.0.2.1").path("/login").build());

    assertThat(log.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly(
            "allowed by per address (remaining 0.0), key ip:address=192.0.2.1",
            "denied by per address (remaining 0.0, retry after PT12S),"
                + " key ip:address=192.0.2.1");
  }

  @Test
  void decided_privateKey_isHashed() {
    decide(
        "{name: keys, limit_keys: ['header:x-api-key'], rate: 5/min, burst: 2}",
        ExplicitRequest.builder().header("x-api-key", "secret").build());

    assertThat(log.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .allMatch(line -> line.startsWith("allowed by keys (remaining "))
        .allMatch(line -> line.contains(", key header:x-api-key=#"))
        .noneMatch(line -> line.contains("secret"));
  }

  @Test
  void decided_noKeyOrNoRule_hasNoKey() {
    decide(
        "{name: all, limit_keys: [], match: {path: /a}, rate: 5/min, burst: 2}",
        ExplicitRequest.builder().path("/a").build());
    decide(
        "{name: all, limit_keys: [], match: {path: /a}, rate: 5/min, burst: 2}",
        ExplicitRequest.builder().path("/b").build());

    assertThat(log.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly(
            "allowed by all (remaining 1.0)",
            "allowed by all (remaining 0.0)",
            "allowed, no rule applies",
            "allowed, no rule applies");
  }

  private static void decide(String rule, ExplicitRequest request) {
    DecisionLog decisionLog = new DecisionLog(true);
    try (InProcessStore store = InProcessStore.builder().clock(new ManualClock()).build();
        PolicyEngine engine =
            new PolicyEngine(
                store, PolicyLoader.parse("rules: [" + rule + "]", "p.yaml").policy())) {
      decisionLog.decided(engine.decide(request), 0);
      decisionLog.decided(engine.decide(request), 0);
    }
  }
}
