package io.penstock.spring;

import io.penstock.Store;
import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.Outcome;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.PolicyObserver;
import io.penstock.policy.SkippedRule;
import io.penstock.policy.SkippedRuleLog;
import io.penstock.policy.http.Gate;
import io.penstock.policy.http.GateObserver;
import io.penstock.policy.http.Jitter;
import io.penstock.policy.http.VerdictResponses;
import io.penstock.policy.jwt.JwtObserver;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.ClassUtils;
import org.springframework.util.ResourceUtils;

/**
 * Configures the policy, its store, and the gate that the filters use. A bean of the application
 * replaces each of them.
 */
@AutoConfiguration(
    afterName = {
      "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration",
      "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration"
    })
@ConditionalOnProperty(prefix = "penstock", name = "enabled", matchIfMissing = true)
@EnableConfigurationProperties(PenstockProperties.class)
@Import(RedisStoreConfiguration.class)
public class PenstockAutoConfiguration {

  /**
   * The in-process store, if there is no other store. The Redis configuration is evaluated first.
   */
  @Bean
  @ConditionalOnMissingBean(Store.class)
  InProcessStore penstockStore(PenstockProperties properties, ResourceLoader resources) {
    String request =
        properties.redis().url() != null
            ? "penstock.redis.url is set"
            : properties.store() == PenstockProperties.StoreKind.REDIS
                ? "penstock.store=redis"
                : "";
    if (!request.isEmpty() && properties.store() != PenstockProperties.StoreKind.IN_PROCESS) {
      throw redisMissing(request, resources.getClassLoader());
    }
    return InProcessStore.builder().maxKeys(properties.maxKeys()).build();
  }

  private static RedisMissingException redisMissing(String request, @Nullable ClassLoader loader) {
    for (String[] needed :
        new String[][] {
          {"io.penstock.redis.RedisStore", "io.penstock:penstock-redis"},
          {"io.lettuce.core.RedisClient", "io.lettuce:lettuce-core"}
        }) {
      if (!ClassUtils.isPresent(needed[0], loader)) {
        return new RedisMissingException(
            request + ", but " + needed[1] + " is not on the classpath.",
            "Add the dependency "
                + needed[1]
                + ", or set penstock.store=in-process to limit each instance on its own.");
      }
    }
    return new RedisMissingException(
        request + ", but there is no Redis to connect to.",
        "Set penstock.redis.url, or configure Spring Data Redis with Lettuce.");
  }

  /** The policy at {@code penstock.policy}. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingBean(PolicyEngine.class)
  static class OwnPolicy {
    private static final Logger LOG = LoggerFactory.getLogger(LivePolicy.class);
    private static final String SECURITY = "org.springframework.security.core.Authentication";
    private static final List<String> RESOLVERS =
        List.of(
            "io.penstock.servlet.AttributeResolver",
            "io.penstock.spring.ReactiveAttributeResolver");

    @Bean
    LivePolicy penstockPolicy(
        PenstockProperties properties,
        ResourceLoader resources,
        Store store,
        ObjectProvider<PolicyObserver> observers,
        ObjectProvider<JwtObserver> jwtObservers,
        ListableBeanFactory beans) {
      return new LivePolicy(
          new LivePolicy.PolicySource(
              resource(properties.policy(), resources),
              supplied(beans, resources.getClassLoader())),
          store,
          new SkippedRuleLog(combined(observers.orderedStream().toList()), LOG::warn),
          jwtObservers.orderedStream().toList(),
          new PolicySettings(properties));
    }

    /**
     * Returns the bare names that the filters supply. The name of the principal needs Spring
     * Security, or a resolver of the application.
     */
    private static Set<String> supplied(ListableBeanFactory beans, @Nullable ClassLoader loader) {
      boolean hasUsers =
          ClassUtils.isPresent(SECURITY, loader)
              || RESOLVERS.stream()
                  .filter(name -> ClassUtils.isPresent(name, loader))
                  .map(name -> ClassUtils.resolveClassName(name, loader))
                  .anyMatch(type -> beans.getBeanNamesForType(type, true, false).length > 0);
      return hasUsers ? Set.of("user_id") : Set.of();
    }

    /** Resolves a location. Without a scheme it is a path, as in all other settings of Penstock. */
    private static Resource resource(String location, ResourceLoader resources) {
      return ResourceUtils.isUrl(location)
          ? resources.getResource(location)
          : resources.getResource(ResourceUtils.FILE_URL_PREFIX + location);
    }

    private static PolicyObserver combined(List<PolicyObserver> observers) {
      return switch (observers.size()) {
        case 0 -> PolicyObserver.NONE;
        case 1 -> observers.get(0);
        default -> new CombinedObserver(observers);
      };
    }

    private record CombinedObserver(List<PolicyObserver> observers) implements PolicyObserver {
      @Override
      public void decided(Outcome outcome) {
        observers.forEach(observer -> observer.decided(outcome));
      }

      @Override
      public void corrected(Outcome reported, Outcome denial) {
        observers.forEach(observer -> observer.corrected(reported, denial));
      }

      @Override
      public void skipped(SkippedRule skipped) {
        observers.forEach(observer -> observer.skipped(skipped));
      }
    }

    @Bean(destroyMethod = "")
    PolicyEngine penstockEngine(LivePolicy policy) {
      return policy.engine();
    }
  }

  @Bean
  @ConditionalOnMissingBean
  VerdictResponses penstockResponses(PenstockProperties properties) {
    int shareThousandths = properties.retryJitterPercent() * 10;
    return new VerdictResponses(
        properties.headers(), new Jitter(shareThousandths, properties.retryJitterSeconds()));
  }

  @Bean
  @ConditionalOnMissingBean
  Gate penstockGate(
      PolicyEngine engine, VerdictResponses responses, ObjectProvider<GateObserver> observers) {
    return new Gate(engine, responses, GateObserver.all(observers.orderedStream().toList()));
  }
}
