package io.penstock.spring;

import io.penstock.policy.Mode;
import io.penstock.policy.address.ClientAddress;
import io.penstock.policy.http.HeaderFormat;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.Ordered;

/**
 * Settings under {@code penstock}.
 *
 * @param enabled Whether requests are limited at all.
 * @param policy The policy: a file, a folder of files, or a resource such as classpath:policy.yaml.
 *     Files and folders are watched, and changes put in force at once.
 * @param mode The mode of all rules, in place of what the policy says.
 * @param headers The RateLimit headers of responses.
 * @param retryJitterPercent How much is added to Retry-After at most, in percent, by a hash of the
 *     key.
 * @param retryJitterSeconds How much is added to Retry-After at most, in seconds.
 * @param trustedProxies Addresses or networks of proxies whose word on the client's address counts,
 *     in place of those of the policy.
 * @param clientAddressHeader Where trusted proxies say for whom they ask, in place of what the
 *     policy says.
 * @param store Where buckets are kept.
 * @param maxKeys The most buckets to keep in process.
 * @param redis How Redis is asked.
 * @param filter Where the filters stand.
 */
@ConfigurationProperties("penstock")
public record PenstockProperties(
    @DefaultValue("true") boolean enabled,
    @DefaultValue("classpath:policy.yaml") String policy,
    @Nullable Mode mode,
    @DefaultValue("all") HeaderFormat headers,
    @DefaultValue("50") int retryJitterPercent,
    @DefaultValue("30") int retryJitterSeconds,
    @Nullable List<String> trustedProxies,
    ClientAddress.@Nullable AddressSource clientAddressHeader,
    @DefaultValue("auto") StoreKind store,
    @DefaultValue("1000000") long maxKeys,
    @DefaultValue Redis redis,
    @DefaultValue Filter filter) {

  /** Where buckets are kept. */
  public enum StoreKind {
    /** In Redis if a URL is set or the application has a Lettuce connection factory. */
    AUTO,
    /** In this process. */
    IN_PROCESS,
    /** In Redis. */
    REDIS
  }

  /**
   * How Redis is asked.
   *
   * @param url The Redis to share limits through: redis://, redis-sentinel:// or redis-cluster://.
   *     Without it, that of the application's Lettuce connection factory.
   * @param deadline How long Redis may take before a rule's failure policy decides.
   * @param prefix What all keys in Redis begin with.
   * @param nodes How many nodes there are, for rules with on_store_failure: local.
   */
  public record Redis(
      @Nullable String url,
      @DefaultValue("25ms") Duration deadline,
      @DefaultValue("penstock:") String prefix,
      @Nullable Integer nodes) {}

  /**
   * Where the filters stand.
   *
   * @param earlyOrder The order of the filter for rules on what HTTP says, such as addresses and
   *     paths: before security.
   * @param lateOrder The order of the filter for rules on what the application knows, such as
   *     user_id: behind security.
   * @param async Whether a servlet request is dispatched again when Redis has answered, rather than
   *     keeping its thread. Without it, the early filter does so if no filter of the application
   *     would be passed by, and the late filter doesn't.
   */
  public record Filter(
      @DefaultValue("" + EARLY) int earlyOrder,
      @DefaultValue("" + LATE) int lateOrder,
      @Nullable Boolean async) {
    /** Behind the filters that observe requests and make sense of their headers. */
    public static final int EARLY = Ordered.HIGHEST_PRECEDENCE + 10;

    /** Behind security, which is at -100. */
    public static final int LATE = Ordered.LOWEST_PRECEDENCE - 100;
  }
}
