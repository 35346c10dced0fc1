package io.penstock.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Evaluates a rule before a method of a controller or another bean is called. The rule must have
 * {@code manual: true}, so that a request is not charged twice.
 *
 * <pre>{@code
 * @RateLimited(rule = "export", key = "#shop.id", cost = "#rows / 1000.0")
 * }</pre>
 *
 * <p>If the rule denies the call, a {@link RateLimitedException} is thrown, to which web
 * applications respond with 429 or 503 like the filters. A method that returns a {@code Mono} or a
 * {@code Flux} is limited on subscription, without blocking. A method that returns a {@code
 * CompletionStage} completes exceptionally when it is denied, and doesn't block a thread that must
 * not block.
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
   * A SpEL expression for the key, with parameters as {@code #name}: a value for the bare
   * attributes in the rule's {@code limit_keys}, or a map of attributes by name. By default, the
   * attributes of the request.
   */
  String key() default "";

  /**
   * A SpEL expression for the cost in tokens, for rules without a {@code cost_source}. By default,
   * 1.
   */
  String cost() default "";
}
