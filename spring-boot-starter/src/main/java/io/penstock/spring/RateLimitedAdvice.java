package io.penstock.spring;

import io.penstock.policy.Verdict;
import io.penstock.policy.http.Gate;
import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;

/** Evaluates the rule of a method before the method is called. Thread-safe. */
final class RateLimitedAdvice implements MethodInterceptor {
  private static final boolean PUBLISHERS =
      isPresent("reactor.core.publisher.Mono")
          && isPresent("org.springframework.web.server.ServerWebExchange");

  /** Resolved on the first call, because proxies are created before these beans. */
  private final Supplier<CallParts> parts;

  /** The beans that a decision needs. */
  record CallParts(
      LimitedMethods methods, Gate gate, HandledRequest handled, ReactiveCalls reactive) {}

  /** Limits calls that return a publisher. */
  interface ReactiveCalls {
    /**
     * Returns a publisher that makes the call once it is allowed; null if the type is not a
     * publisher.
     */
    @Nullable Object limited(Class<?> type, LimitedCall call, Supplier<Object> result);
  }

  RateLimitedAdvice(Supplier<CallParts> parts) {
    this.parts = parts;
  }

  private static boolean isPresent(String type) {
    return ClassUtils.isPresent(type, RateLimitedAdvice.class.getClassLoader());
  }

  /**
   * Returns whether publishers can be limited on subscription. Otherwise the calls that return them
   * are limited.
   */
  static boolean hasPublishers() {
    return PUBLISHERS;
  }

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    CallParts beans = parts.get();
    Object target = invocation.getThis();
    if (target == null) {
      return invocation.proceed();
    }
    Method method = AopUtils.getMostSpecificMethod(invocation.getMethod(), target.getClass());
    LimitedCall call = beans.methods.call(target, method, invocation.getArguments());
    Class<?> type = method.getReturnType();
    if (type == CompletionStage.class || type == CompletableFuture.class) {
      return CallerThread.mayBlock()
          ? stage(beans, call, invocation)
          : later(beans, call, proceeding(invocation));
    }
    Object result = beans.reactive.limited(type, call, proceeding(invocation));
    if (result != null) {
      return result;
    }
    beans.handled.record(checked(decided(beans, call)));
    return invocation.proceed();
  }

  private static Verdict decided(CallParts beans, LimitedCall call) {
    Verdict verdict = beans.gate.decide(call.rule(), call.of(beans.handled.current()));
    return Gate.afterDelay(verdict).toCompletableFuture().join();
  }

  /**
   * Waits for the decision, so that the method runs on the calling thread, whose thread-locals it
   * may need.
   */
  private static @Nullable Object stage(
      CallParts beans, LimitedCall call, MethodInvocation invocation) throws Throwable {
    Verdict verdict = decided(beans, call);
    if (!verdict.allowed()) {
      return CompletableFuture.failedFuture(new RateLimitedException(verdict));
    }
    beans.handled.record(verdict);
    return invocation.proceed();
  }

  private static Object later(CallParts beans, LimitedCall call, Supplier<Object> result) {
    CompletableFuture<Verdict> decision =
        beans
            .gate
            .decideAsync(call.rule(), call.of(beans.handled.current()))
            .thenCompose(Gate::afterDelay)
            .toCompletableFuture();
    // The thread that reads from Redis must not run application code.
    Executor executor = decision.isDone() ? Runnable::run : CallerThread.blockingExecutor();
    return decision.thenComposeAsync(
        verdict -> {
          checked(verdict);
          return (CompletionStage<?>) result.get();
        },
        executor);
  }

  static Verdict checked(Verdict verdict) {
    if (!verdict.allowed()) {
      throw new RateLimitedException(verdict);
    }
    return verdict;
  }

  /** Returns the call itself, to be made on each subscription. */
  private static Supplier<Object> proceeding(MethodInvocation invocation) {
    MethodInvocation original = copy(invocation);
    return () -> {
      try {
        Object result = copy(original).proceed();
        if (result == null) {
          throw new IllegalStateException("method must not return null: " + original.getMethod());
        }
        return result;
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable e) {
        throw new IllegalStateException(e);
      }
    };
  }

  /**
   * Copies an invocation. An invocation can proceed only once, because it tracks the interceptors
   * it has passed.
   */
  private static MethodInvocation copy(MethodInvocation invocation) {
    return invocation instanceof ProxyMethodInvocation proxied
        ? proxied.invocableClone()
        : invocation;
  }
}
