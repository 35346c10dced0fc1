package io.penstock.spring;

import io.penstock.policy.Attribute;
import io.penstock.policy.Policy;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.Request;
import io.penstock.policy.Rule;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.expression.Expression;
import org.springframework.expression.ExpressionParser;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** Reads and caches the {@link RateLimited} annotations of methods. Thread-safe. */
final class LimitedMethods {
  private final PolicyEngine engine;
  private final BeanFactory beans;
  private final ExpressionParser parser = new SpelExpressionParser();
  private final ParameterNameDiscoverer names = new DefaultParameterNameDiscoverer();
  private final Map<Method, Limited> cache = new ConcurrentHashMap<>();
  private volatile KeyExpressions keys;

  private record Limited(String rule, @Nullable Expression key, @Nullable Expression cost) {}

  /** The bare attributes in the keys of the manual rules of a policy, by rule name. */
  private record KeyExpressions(Policy policy, Map<String, Set<String>> byRule) {
    static KeyExpressions of(Policy policy) {
      return new KeyExpressions(
          policy,
          policy.rules().stream()
              .filter(Rule::isManual)
              .collect(Collectors.toMap(Rule::name, KeyExpressions::bareNames)));
    }

    private static Set<String> bareNames(Rule rule) {
      return rule.limitKeys().stream()
          .flatMap(part -> part.alternatives().stream())
          .filter(attribute -> attribute.source() == Attribute.AttributeSource.STATED)
          .map(Attribute::name)
          .collect(Collectors.toSet());
    }
  }

  LimitedMethods(PolicyEngine engine, BeanFactory beans) {
    this.engine = engine;
    this.beans = beans;
    this.keys = KeyExpressions.of(engine.policy());
  }

  /**
   * Reads the annotation of a method.
   *
   * @throws IllegalArgumentException if it doesn't name a manual rule
   */
  void check(Method method) {
    cache.computeIfAbsent(method, this::read);
  }

  /** Evaluates the expressions of the annotation for a call. */
  LimitedCall call(Object target, Method method, Object[] arguments) {
    Limited limited = cache.computeIfAbsent(method, this::read);
    MethodBasedEvaluationContext context =
        new MethodBasedEvaluationContext(target, method, arguments, names);
    context.setBeanResolver(new BeanFactoryResolver(beans));
    Object key = limited.key == null ? null : limited.key.getValue(context);
    return new LimitedCall(
        limited.rule,
        LimitedCall.key(key, activeKeys().byRule.getOrDefault(limited.rule, Set.of())),
        limited.cost == null ? Request.UNSTATED : LimitedCall.cost(limited.cost.getValue(context)));
  }

  private Limited read(Method method) {
    RateLimited annotation = AnnotatedElementUtils.findMergedAnnotation(method, RateLimited.class);
    if (annotation == null || !activeKeys().byRule.containsKey(annotation.rule())) {
      throw new IllegalArgumentException(
          "@RateLimited must name a rule of the policy with manual: true: "
              + (annotation == null ? "" : annotation.rule())
              + " on "
              + method);
    }
    return new Limited(annotation.rule(), parse(annotation.key()), parse(annotation.cost()));
  }

  private @Nullable Expression parse(String text) {
    return text.isEmpty() ? null : parser.parseExpression(text);
  }

  @SuppressWarnings("ReferenceEquality") // Policies are immutable and replaced as a whole.
  private KeyExpressions activeKeys() {
    KeyExpressions current = keys;
    Policy policy = engine.policy();
    if (current.policy != policy) {
      current = KeyExpressions.of(policy);
      keys = current;
    }
    return current;
  }
}
