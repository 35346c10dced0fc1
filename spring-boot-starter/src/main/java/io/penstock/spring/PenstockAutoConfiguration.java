package io.penstock.spring;

import io.penstock.Store;
import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.PolicyObserver;
import io.penstock.policy.http.Jitter;
import io.penstock.policy.http.VerdictResponses;
import io.penstock.policy.jwt.JwtObserver;
import io.penstock.web.Gate;
import java.util.List;
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
import org.springframework.util.ResourceUtils;

/** The policy, its store, and what the doors ask. Each gives way to a bean of the application. */
@AutoConfiguration(
    afterName = {
      "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration",
      "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration"
    })
@ConditionalOnProperty(prefix = "penstock", name = "enabled", matchIfMissing = true)
@EnableConfigurationProperties(PenstockProperties.class)
@Import(RedisStoreConfiguration.class)
public class PenstockAutoConfiguration {

  /** Buckets in this process, when nothing else keeps them: Redis was looked at before. */
  @Bean
  @ConditionalOnMissingBean(Store.class)
  InProcessStore penstockStore(PenstockProperties properties) {
    boolean wanted =
        properties.store() == PenstockProperties.StoreKind.REDIS
            || properties.redis().url() != null;
    if (wanted && properties.store() != PenstockProperties.StoreKind.IN_PROCESS) {
      throw new IllegalStateException(
          "Redis is asked for, and io.penstock:penstock-redis with Lettuce is not there, or"
              + " neither penstock.redis.url nor a Lettuce connection factory");
    }
    return InProcessStore.builder().maxKeys(properties.maxKeys()).build();
  }

  /** The policy that penstock.policy names. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingBean(PolicyEngine.class)
  static class OwnPolicy {
    @Bean
    LivePolicy penstockPolicy(
        PenstockProperties properties,
        ResourceLoader resources,
        Store store,
        ObjectProvider<PolicyObserver> observers,
        ObjectProvider<JwtObserver> jwtObservers) {
      return new LivePolicy(
          resource(properties.policy(), resources),
          store,
          together(observers.orderedStream().toList()),
          jwtObservers.orderedStream().toList(),
          new PolicySettings(properties));
    }

    /** What has no scheme is a path, as in all other settings of Penstock. */
    private static Resource resource(String location, ResourceLoader resources) {
      return ResourceUtils.isUrl(location)
          ? resources.getResource(location)
          : resources.getResource(ResourceUtils.FILE_URL_PREFIX + location);
    }

    private static PolicyObserver together(List<PolicyObserver> observers) {
      return switch (observers.size()) {
        case 0 -> PolicyObserver.NONE;
        case 1 -> observers.get(0);
        default -> outcome -> observers.forEach(observer -> observer.decided(outcome));
      };
    }

    @Bean(destroyMethod = "")
    PolicyEngine penstockEngine(LivePolicy policy) {
      return policy.engine();
    }
  }

  @Bean
  @ConditionalOnMissingBean
  VerdictResponses penstockAnswers(PenstockProperties properties) {
    int shareThousandths = properties.retryJitterPercent() * 10;
    return new VerdictResponses(
        properties.headers(), new Jitter(shareThousandths, properties.retryJitterSeconds()));
  }

  @Bean
  @ConditionalOnMissingBean
  Gate penstockGate(
      PolicyEngine engine,
      Store store,
      VerdictResponses answers,
      ObjectProvider<DecisionTimer> times) {
    DecisionTimer told = times.getIfAvailable();
    return told == null
        ? new Gate(engine, store, answers)
        : new Gate(engine, store, answers, told::took);
  }
}
