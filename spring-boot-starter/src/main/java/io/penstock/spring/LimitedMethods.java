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

/** What {@link RateLimited} says of methods, read once each. Thread-safe. */
final class LimitedMethods {
  private final PolicyEngine engine;
  private final BeanFactory beans;
  private final ExpressionParser parser = new SpelExpressionParser();
  private final ParameterNameDiscoverer names = new DefaultParameterNameDiscoverer();
  private final Map<Method, Limited> known = new ConcurrentHashMap<>();
  private volatile KeyExpressions keys;

  private record Limited(String rule, @Nullable Expression key, @Nullable Expression cost) {}

  /** The bare attributes in the keys of a policy's manual rules, by the name of the rule. */
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
   * Reads what is written on a method.
   *
   * @throws IllegalArgumentException if it names no rule that can be asked by name
   */
  void check(Method method) {
    known.computeIfAbsent(method, this::read);
  }

  /** What a call says. */
  LimitedCall call(Object target, Method method, Object[] arguments) {
    Limited limited = known.computeIfAbsent(method, this::read);
    MethodBasedEvaluationContext context =
        new MethodBasedEvaluationContext(target, method, arguments, names);
    context.setBeanResolver(new BeanFactoryResolver(beans));
    Object key = limited.key == null ? null : limited.key.getValue(context);
    return new LimitedCall(
        limited.rule,
        LimitedCall.key(key, keysInForce().byRule.getOrDefault(limited.rule, Set.of())),
        limited.cost == null ? Request.UNSTATED : LimitedCall.cost(limited.cost.getValue(context)));
  }

  private Limited read(Method method) {
    RateLimited written = AnnotatedElementUtils.findMergedAnnotation(method, RateLimited.class);
    if (written == null || !keysInForce().byRule.containsKey(written.rule())) {
      throw new IllegalArgumentException(
          "@RateLimited must name a rule of the policy that is manual: true: "
              + (written == null ? "" : written.rule())
              + " on "
              + method);
    }
    return new Limited(written.rule(), parsed(written.key()), parsed(written.cost()));
  }

  private @Nullable Expression parsed(String text) {
    return text.isEmpty() ? null : parser.parseExpression(text);
  }

  @SuppressWarnings("ReferenceEquality") // A policy is replaced as a whole, or not at all.
  private KeyExpressions keysInForce() {
    KeyExpressions now = keys;
    Policy policy = engine.policy();
    if (now.policy != policy) {
      now = KeyExpressions.of(policy);
      keys = now;
    }
    return now;
  }
}
