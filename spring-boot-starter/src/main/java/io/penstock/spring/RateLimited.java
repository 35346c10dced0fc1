package io.penstock.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Asks a rule before a method of a controller or another bean is called. The rule has to be {@code
 * manual: true}, so that nothing is charged twice.
 *
 * <pre>{@code
 * @RateLimited(rule = "export", key = "#shop.id", cost = "#rows / 1000.0")
 * }</pre>
 *
 * <p>What the rule denies is a {@link RateLimitedException}, which web applications answer with 429
 * or 503 as their filters do. A method that returns a {@code Mono}, a {@code Flux} or a {@code
 * CompletionStage} is limited without blocking, when that is subscribed to or at once.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface RateLimited {
  /** The name of the rule. */
  @AliasFor("rule")
  String value() default "";

  /** The name of the rule. */
  @AliasFor("value")
  String rule() default "";

  /**
   * SpEL for the key, with parameters as {@code #name}: a value for the bare attributes in the
   * rule's {@code limit_keys}, or a map of attributes by name. Without it, they are those of the
   * request.
   */
  String key() default "";

  /** SpEL for the cost in tokens, for rules without a {@code cost_source}; 1 without it. */
  String cost() default "";
}
