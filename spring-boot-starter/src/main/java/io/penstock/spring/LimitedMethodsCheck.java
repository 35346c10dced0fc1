package io.penstock.spring;

import java.lang.reflect.Method;
import java.util.Set;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/** Checks all {@link RateLimited} annotations at startup, so that an invalid one fails early. */
final class LimitedMethodsCheck implements SmartInitializingSingleton {
  private final ConfigurableListableBeanFactory beans;
  private final LimitedMethods methods;

  LimitedMethodsCheck(ConfigurableListableBeanFactory beans, LimitedMethods methods) {
    this.beans = beans;
    this.methods = methods;
  }

  @Override
  public void afterSingletonsInstantiated() {
    for (String bean : beans.getBeanDefinitionNames()) {
      Class<?> type = AutoProxyUtils.determineTargetClass(beans, bean);
      if (type != null && AnnotationUtils.isCandidateClass(type, RateLimited.class)) {
        limited(type).forEach(methods::check);
      }
    }
  }

  private static Set<Method> limited(Class<?> type) {
    return MethodIntrospector.selectMethods(
        type, (Method method) -> AnnotatedElementUtils.hasAnnotation(method, RateLimited.class));
  }
}
