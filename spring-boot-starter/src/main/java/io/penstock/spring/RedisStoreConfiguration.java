package io.penstock.spring;

import io.lettuce.core.RedisClient;
import io.penstock.Store;
import io.penstock.redis.RedisObserver;
import io.penstock.redis.RedisStore;
import io.penstock.redis.RedisStoreBuilder;
import io.penstock.redis.metrics.OutageLog;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnExpression;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Configures the Redis store, by URL or with the Redis client of the application. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({RedisStore.class, RedisClient.class})
@ConditionalOnExpression("!'${penstock.store:auto}'.toLowerCase().startsWith('in')")
class RedisStoreConfiguration {

  private static RedisStoreBuilder builder(
      PenstockProperties.Redis settings, ObjectProvider<RedisObserver> observer) {
    RedisStoreBuilder builder =
        RedisStore.builder()
            .deadline(settings.deadline())
            .keyPrefix(settings.prefix())
            .startTimeout(settings.startTimeout())
            .failFast(settings.failFast())
            .observer(observer.getIfAvailable(OutageLog::new));
    if (settings.nodes() != null) {
      builder.nodes(settings.nodes());
    }
    return builder;
  }

  /** Warms a store up, so that the first requests meet their deadline. */
  private static RedisStore warm(RedisStore store) {
    store.warmUp();
    return store;
  }

  /** Connects to {@code penstock.redis.url}. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnProperty("penstock.redis.url")
  static class ByUrl {
    @Bean
    @ConditionalOnMissingBean(Store.class)
    RedisStore penstockStore(
        PenstockProperties properties, ObjectProvider<RedisObserver> observer) {
      return warm(
          builder(properties.redis(), observer).connect(String.valueOf(properties.redis().url())));
    }
  }

  /** Connects with the client of the application. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(LettuceConnectionFactory.class)
  @ConditionalOnExpression("'${penstock.redis.url:}'.isEmpty()")
  @ConditionalOnBean(LettuceConnectionFactory.class)
  static class ByConnectionFactory {
    @Bean
    @ConditionalOnMissingBean(Store.class)
    RedisStore penstockStore(
        PenstockProperties properties,
        LettuceConnectionFactory factory,
        ObjectProvider<RedisObserver> observer) {
      FactoryConnections connections = new FactoryConnections(factory);
      return warm(
          builder(properties.redis(), observer).connect(connections, connections.address()));
    }
  }
}
