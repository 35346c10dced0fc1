package io.penstock.server.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.Decision;
import io.penstock.Store;
import io.penstock.policy.Mode;
import io.penstock.policy.Policy;
import io.penstock.policy.Rule;
import io.penstock.policy.RuleKey;
import io.penstock.policy.http.Json;
import io.penstock.policy.http.Rounding;
import io.penstock.policy.load.ActivePolicy;
import io.penstock.redis.LeaseStats;
import io.penstock.redis.RedisOutage;
import io.penstock.server.ModeSwitch;
import io.penstock.server.PolicyHolder;
import io.penstock.server.figures.DecisionCounts;
import io.penstock.server.figures.DecisionTimeline;
import io.penstock.server.figures.TopDenied;
import io.penstock.server.figures.TopKey;
import io.penstock.server.metrics.LatencyPercentiles;
import java.io.IOException;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Writes the current figures of everything as JSON, for the stream. Thread-safe. */
public final class LiveFigures {
  private static final int RULE_SECONDS = 60;
  private static final int MAX_RULES = 50;
  private static final int MAX_KEYS = 20;
  private static final double TOKEN = 1_000;

  private final PolicyHolder policyHolder;
  private final ModeSwitch modes;
  private final StoreFigures store;
  private final TopDenied topDenied;
  private final DecisionTimeline timeline;
  private final InstantSource time;
  private final TopLevels levels = new TopLevels();
  private final @Nullable String version;

  /**
   * A store, and what only one kind of store reports.
   *
   * @param outage why Redis is unavailable; empty if it is available or not used
   * @param keys the number of buckets; empty if it is unknown
   * @param leases the leases of this node; empty if the store has none
   */
  public record StoreFigures(
      Store store,
      Supplier<Optional<RedisOutage>> outage,
      Supplier<Optional<Long>> keys,
      Supplier<Optional<LeaseStats>> leases) {}

  /** Creates a writer for the figures of a process. */
  public LiveFigures(
      PolicyHolder policyHolder,
      ModeSwitch modes,
      StoreFigures store,
      TopDenied topDenied,
      DecisionTimeline timeline,
      InstantSource time) {
    this.policyHolder = policyHolder;
    this.modes = modes;
    this.store = store;
    this.topDenied = topDenied;
    this.timeline = timeline;
    this.time = time;
    this.version = LiveFigures.class.getPackage().getImplementationVersion();
  }

  /** Returns one line of JSON. */
  public byte[] bytes() {
    return Json.bytes(this::write);
  }

  private void write(JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeStringField("time", time.instant().toString());
    var latest = timeline.latest();
    write(latest.counts(), json);
    LatencyPercentiles latency = latest.latency();
    write("p50_us", latency == null ? null : latency.p50Micros(), json);
    write("p99_us", latency == null ? null : latency.p99Micros(), json);
    writeStore(json);
    writeLeases(json);
    writeRules(MAX_RULES, json);
    writeTop(json);
    json.writeNumberField("uncounted", topDenied.uncounted());
    ActivePolicy active = policyHolder.active();
    json.writeObjectFieldStart("policy");
    json.writeNumberField("rules", active.loaded().policy().rules().size());
    json.writeStringField("loaded", active.since().toString());
    json.writeStringField("source", active.origin());
    json.writeEndObject();
    json.writeFieldName("mode");
    ModeSwitchJson.write(modes.active().orElse(null), json);
    json.writeStringField("version", version);
    json.writeEndObject();
  }

  private static void write(DecisionCounts counts, JsonGenerator json) throws IOException {
    json.writeNumberField("allowed", counts.allowed());
    json.writeNumberField("denied", counts.denied());
    json.writeNumberField("degraded", counts.degraded());
    json.writeNumberField("shadow_denied", counts.shadowDenied());
  }

  private static void write(String name, @Nullable Double micros, JsonGenerator json)
      throws IOException {
    if (micros == null) {
      json.writeNullField(name);
    } else {
      json.writeNumberField(name, FigureEndpoints.rounded(micros));
    }
  }

  private void writeStore(JsonGenerator json) throws IOException {
    boolean available = store.store.isAvailable();
    Optional<RedisOutage> outage = available ? Optional.empty() : store.outage.get();
    json.writeObjectFieldStart("store");
    json.writeStringField("kind", store.store.kind());
    json.writeBooleanField("available", available);
    json.writeStringField("reason", outage.map(now -> now.reason().label()).orElse(null));
    json.writeStringField("problem", outage.map(RedisOutage::toString).orElse(null));
    json.writeStringField("address", outage.map(RedisOutage::address).orElse(null));
    Optional<Long> keys = store.keys.get();
    if (keys.isPresent()) {
      json.writeNumberField("keys", keys.get());
    } else {
      json.writeNullField("keys");
    }
    json.writeEndObject();
  }

  private void writeLeases(JsonGenerator json) throws IOException {
    Optional<LeaseStats> leases = store.leases.get();
    if (leases.isEmpty()) {
      json.writeNullField("leases");
      return;
    }
    json.writeObjectFieldStart("leases");
    json.writeNumberField("keys", leases.get().leases());
    json.writeNumberField("unspent", leases.get().unspentThousandths() / TOKEN);
    json.writeEndObject();
  }

  /** Writes the decisions of all rules in the last minute as an object. */
  void writeActivity(JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeNumberField("seconds", RULE_SECONDS);
    writeRules(Integer.MAX_VALUE, json);
    json.writeEndObject();
  }

  private void writeRules(int max, JsonGenerator json) throws IOException {
    List<DecisionTimeline.RuleActivity> recent = timeline.recent(RULE_SECONDS, max);
    Map<String, String> modeOf = modesOfRules();
    json.writeArrayFieldStart("rules");
    for (DecisionTimeline.RuleActivity activity : recent) {
      json.writeStartObject();
      json.writeStringField("rule", activity.rule());
      json.writeStringField("mode", modeOf.get(activity.rule()));
      write(activity.counts(), json);
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private void writeTop(JsonGenerator json) throws IOException {
    List<TopKey> keys = topDenied.top(MAX_KEYS).keys();
    Map<RuleKey, Decision> levelOf = levels.next(keys, policyHolder.engine());
    json.writeArrayFieldStart("top");
    for (TopKey key : keys) {
      json.writeStartObject();
      FigureEndpoints.writeFields(key, json);
      Decision level = levelOf.get(new RuleKey(key.rule(), key.key()));
      if (level != null) {
        json.writeObjectFieldStart("level");
        json.writeFieldName("limit");
        json.writeNumber(Rounding.tokens(level.limit().burstThousandths()));
        json.writeFieldName("remaining");
        json.writeNumber(Rounding.tokens(level.remainingThousandths()));
        json.writeEndObject();
      }
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  /** Returns the modes in effect, as far as they are the same for all keys. */
  private Map<String, String> modesOfRules() {
    Map<String, String> modeOf = new HashMap<>();
    Policy policy = policyHolder.engine().policy();
    for (Rule rule : policy.rules()) {
      Mode own = rule.rollout().mode();
      Mode mode = own == Mode.OFF || policy.mode() == Mode.ENFORCE ? own : policy.mode();
      modeOf.put(rule.name(), mode.code());
    }
    modes
        .rules()
        .forEach(
            (rule, override) ->
                modeOf.computeIfPresent(
                    rule, (name, own) -> own.equals("off") ? own : override.mode().code()));
    modes
        .active()
        .ifPresent(
            override ->
                modeOf.replaceAll((rule, own) -> own.equals("off") ? own : override.mode().code()));
    return modeOf;
  }
}
