package io.penstock.server.envoy;

import io.penstock.server.envoy.HitCounters.HitKind;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.UnknownSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;

/**
 * Counts the hits of each limit under the name that envoyproxy/ratelimit gives it. Thread-safe.
 *
 * <p>Prometheus receives the names and labels of the reference's default mapping: the domain and
 * the first two levels. They have no suffix {@code _total}, unlike other counters, so their type is
 * unknown to Prometheus.
 */
final class LimitStatistics implements MultiCollector {
  /** The max number of names that contain values of requests. */
  static final int MAX_NAMES = 10_000;

  private static final int MAX_NAME_LENGTH = 256;
  private static final String PREFIX = "ratelimit.service.";
  private static final Pattern RESERVED = Pattern.compile("[:|\\p{Cntrl}]");
  private static final Pattern IPV4 = Pattern.compile("(?<!\\d)\\d{1,3}(?:\\.\\d{1,3}){3}(?!\\d)");

  private final Map<String, HitCounters> byName = new ConcurrentHashMap<>();
  private final Map<ServiceEvent, LongAdder> events = new TreeMap<>();

  /** What is counted for the whole service. */
  enum ServiceEvent {
    CONFIG_LOAD_SUCCESS("config_load_success", "", ""),
    CONFIG_LOAD_ERROR("config_load_error", "", ""),
    GLOBAL_SHADOW_MODE("global_shadow_mode", "", ""),
    REQUEST("total_requests", "grpc_method", "ShouldRateLimit"),
    REDIS_ERROR("should_rate_limit_error", "err_type", "redis_error"),
    SERVICE_ERROR("should_rate_limit_error", "err_type", "service_error");

    private final String metric;
    private final String label;
    private final String value;

    ServiceEvent(String metric, String label, String value) {
      this.metric = metric;
      this.label = label;
      this.value = value;
    }

    private Labels labels() {
      return label.isEmpty() ? Labels.EMPTY : Labels.of(label, value);
    }

    /** Returns the name in {@code /stats}, which differs from the one in Prometheus. */
    private String path() {
      return switch (this) {
        case REQUEST -> "ratelimit_server.ShouldRateLimit.total_requests";
        case REDIS_ERROR, SERVICE_ERROR -> PREFIX + "call.should_rate_limit." + value;
        default -> PREFIX + metric;
      };
    }
  }

  LimitStatistics() {
    for (ServiceEvent event : ServiceEvent.values()) {
      events.put(event, new LongAdder());
    }
  }

  void count(ServiceEvent event) {
    LongAdder count = events.get(event);
    if (count != null) {
      count.increment();
    }
  }

  /** Counts the hits of a decided request. */
  void count(List<BucketClaim> claims) {
    for (BucketClaim claim : claims) {
      counters(claim.metric(), claim.limit()).add(claim);
    }
  }

  /** Returns the counters of a name; those of the whole limit if there are too many names. */
  private HitCounters counters(String name, DescriptorLimit limit) {
    HitCounters known = byName.get(name);
    if (known != null) {
      return known;
    }
    boolean accepted =
        name.equals(limit.name())
            || (name.length() <= MAX_NAME_LENGTH && byName.size() < MAX_NAMES);
    return byName.computeIfAbsent(accepted ? name : limit.name(), unused -> new HitCounters());
  }

  /** Returns all statistics, one a line, sorted by name. */
  String text() {
    Map<String, Long> values = new TreeMap<>();
    events.forEach((event, count) -> values.merge(event.path(), count.sum(), Long::sum));
    byName.forEach(
        (name, counters) -> {
          for (HitKind kind : HitKind.values()) {
            String path = PREFIX + "rate_limit." + sanitized(name) + "." + code(kind);
            values.merge(path, counters.get(kind), Long::sum);
          }
        });
    StringBuilder text = new StringBuilder();
    values.forEach((name, value) -> text.append(name).append(": ").append(value).append('\n'));
    return text.toString();
  }

  @Override
  public MetricSnapshots collect() {
    Map<Labels, List<HitCounters>> byLabels = new TreeMap<>();
    byName.forEach(
        (name, counters) ->
            byLabels.computeIfAbsent(labels(name), unused -> new ArrayList<>()).add(counters));
    List<MetricSnapshot> snapshots = new ArrayList<>();
    for (HitKind kind : HitKind.values()) {
      UnknownSnapshot.Builder metric =
          named("rate_limit_" + code(kind), "Hits of the limits of Envoy: " + code(kind));
      byLabels.forEach(
          (labels, all) ->
              add(metric, labels, all.stream().mapToLong(counters -> counters.get(kind)).sum()));
      snapshots.add(metric.build());
    }
    Map<String, UnknownSnapshot.Builder> ofService = new TreeMap<>();
    events.forEach(
        (event, count) ->
            add(
                ofService.computeIfAbsent(
                    event.metric,
                    name -> named(name, "Statistics of the rate limit service: " + name)),
                event.labels(),
                count.sum()));
    ofService.values().forEach(metric -> snapshots.add(metric.build()));
    return new MetricSnapshots(snapshots);
  }

  private static UnknownSnapshot.Builder named(String name, String help) {
    return UnknownSnapshot.builder().name("ratelimit_service_" + name).help(help);
  }

  private static void add(UnknownSnapshot.Builder metric, Labels labels, long value) {
    metric.dataPoint(
        UnknownSnapshot.UnknownDataPointSnapshot.builder()
            .labels(labels)
            .value((double) value)
            .build());
  }

  /** Returns the labels of the reference's default mapping. */
  private static Labels labels(String name) {
    String[] parts = sanitized(name).split("\\.", 4);
    String domain = parts[0];
    String first = parts.length > 1 ? parts[1] : "";
    return parts.length > 2
        ? Labels.of("domain", domain, "key1", first, "key2", parts[2])
        : Labels.of("domain", domain, "key1", first);
  }

  /** Replaces what separates the parts of a statistic, as the reference does. */
  private static String sanitized(String name) {
    return IPV4.matcher(RESERVED.matcher(name).replaceAll("_"))
        .replaceAll(address -> address.group().replace('.', '_'));
  }

  private static String code(HitKind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }
}
