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
 * The properties with the prefix {@code penstock}.
 *
 * @param enabled Whether requests are limited.
 * @param policy The policy: a file, a folder of files, or a resource such as classpath:policy.yaml.
 *     Files and folders are watched, and changes take effect within three seconds.
 * @param mode The mode of all rules. Overrides the policy.
 * @param headers The RateLimit headers of responses.
 * @param retryJitterPercent Max jitter added to Retry-After, in percent. Derived from a hash of the
 *     key.
 * @param retryJitterSeconds Max jitter added to Retry-After, in seconds.
 * @param trustedProxies Addresses or networks of proxies whose forwarding header is trusted.
 *     Overrides the policy.
 * @param clientAddressHeader The header in which trusted proxies send the client address. Overrides
 *     the policy.
 * @param store The store that keeps the buckets.
 * @param maxKeys Max number of buckets in the in-process store.
 * @param redis The Redis store.
 * @param filter The filters.
 */
@ConfigurationProperties("penstock")
public record PenstockProperties(
    @DefaultValue("true") boolean enabled,
    @DefaultValue(PenstockProperties.DEFAULT_POLICY) String policy,
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
  static final String DEFAULT_POLICY = "classpath:policy.yaml";

  /** The kinds of stores. */
  public enum StoreKind {
    /** In Redis if a URL is set or the application has a Lettuce connection factory. */
    AUTO,
    /** In this process. */
    IN_PROCESS,
    /** In Redis. */
    REDIS
  }

  /**
   * Properties of the Redis store.
   *
   * @param url The URL of Redis: redis://, redis-sentinel:// or redis-cluster://. By default, the
   *     server of the application's Lettuce connection factory.
   * @param deadline The deadline of a decision by Redis, after which the rule's failure policy
   *     decides.
   * @param prefix The prefix of all keys in Redis.
   * @param nodes The number of nodes, for rules with share: true. By default, nodes count each
   *     other.
   * @param startTimeout Max time to wait for Redis at startup. A refused connection, a wrong
   *     password and other definite failures end the wait.
   * @param failFast Whether the application fails to start if Redis is unavailable.
   */
  public record Redis(
      @Nullable String url,
      @DefaultValue("25ms") Duration deadline,
      @DefaultValue("penstock:") String prefix,
      @Nullable Integer nodes,
      @DefaultValue("10s") Duration startTimeout,
      @DefaultValue("false") boolean failFast) {}

  /**
   * Properties of the filters.
   *
   * @param earlyOrder The order of the early filter, before Spring Security, for rules that use
   *     only HTTP data such as addresses and paths.
   * @param lateOrder The order of the late filter, after Spring Security, for rules that use
   *     attributes of the application such as user_id.
   * @param async Whether a servlet request releases its thread and is dispatched again when Redis
   *     has responded. By default, the early filter does so unless a filter of the application
   *     would be skipped, and the late filter doesn't.
   */
  public record Filter(
      @DefaultValue("" + EARLY) int earlyOrder,
      @DefaultValue("" + LATE) int lateOrder,
      @Nullable Boolean async) {
    /** After the filters that observe requests and process forwarding headers. */
    public static final int EARLY = Ordered.HIGHEST_PRECEDENCE + 10;

    /** After Spring Security, which is at -100. */
    public static final int LATE = Ordered.LOWEST_PRECEDENCE - 100;
  }
}
