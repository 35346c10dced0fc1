package io.penstock.spring;

import io.penstock.policy.Verdict;
import io.penstock.web.Gate;
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

/** Asks the rule of a method before it is called. Thread-safe. */
final class RateLimitedAdvice implements MethodInterceptor {
  private static final boolean PUBLISHERS =
      isPresent("reactor.core.publisher.Mono")
          && isPresent("org.springframework.web.server.ServerWebExchange");

  /** Found when a method is called: what limits it is made later than proxies are. */
  private final Supplier<CallParts> parts;

  /** What it takes to decide. */
  record CallParts(
      LimitedMethods methods, Gate gate, HandledRequest handled, ReactiveCalls reactive) {}

  /** Calls whose result is a publisher. */
  interface ReactiveCalls {
    /** The result, once the call is allowed; null if its type is none of them. */
    @Nullable Object limited(Class<?> type, LimitedCall call, Supplier<Object> result);
  }

  RateLimitedAdvice(Supplier<CallParts> parts) {
    this.parts = parts;
  }

  private static boolean isPresent(String type) {
    return ClassUtils.isPresent(type, RateLimitedAdvice.class.getClassLoader());
  }

  /** Whether there is what it takes to limit publishers; otherwise calls that return them are. */
  static boolean hasPublishers() {
    return PUBLISHERS;
  }

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    CallParts now = parts.get();
    Object target = invocation.getThis();
    if (target == null) {
      return invocation.proceed();
    }
    Method method = AopUtils.getMostSpecificMethod(invocation.getMethod(), target.getClass());
    LimitedCall call = now.methods.call(target, method, invocation.getArguments());
    Class<?> type = method.getReturnType();
    if (type == CompletionStage.class || type == CompletableFuture.class) {
      return CallerThread.mayWait()
          ? stage(now, call, invocation)
          : later(now, call, proceeding(invocation));
    }
    Object result = now.reactive.limited(type, call, proceeding(invocation));
    if (result != null) {
      return result;
    }
    now.handled.note(checked(decided(now, call)));
    return invocation.proceed();
  }

  private static Verdict decided(CallParts now, LimitedCall call) {
    Verdict verdict = now.gate.decide(call.rule(), call.of(now.handled.current()));
    return Gate.afterDelay(verdict).toCompletableFuture().join();
  }

  /** Waits, so that the method is called in the thread whose locals it may need. */
  private static @Nullable Object stage(
      CallParts now, LimitedCall call, MethodInvocation invocation) throws Throwable {
    Verdict verdict = decided(now, call);
    if (!verdict.allowed()) {
      return CompletableFuture.failedFuture(new RateLimitedException(verdict));
    }
    now.handled.note(verdict);
    return invocation.proceed();
  }

  private static Object later(CallParts now, LimitedCall call, Supplier<Object> result) {
    CompletableFuture<Verdict> answer =
        now.gate
            .decideAsync(call.rule(), call.of(now.handled.current()))
            .thenCompose(Gate::afterDelay)
            .toCompletableFuture();
    // The thread that reads from Redis is not for the work of the application.
    Executor executor = answer.isDone() ? Runnable::run : CallerThread.substitute();
    return answer.thenComposeAsync(
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

  /** The call itself, to be made later, as often as somebody subscribes. */
  private static Supplier<Object> proceeding(MethodInvocation invocation) {
    MethodInvocation asCalled = copy(invocation);
    return () -> {
      try {
        Object result = copy(asCalled).proceed();
        if (result == null) {
          throw new IllegalStateException("a publisher must not be null: " + asCalled.getMethod());
        }
        return result;
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable e) {
        throw new IllegalStateException(e);
      }
    };
  }

  /** An invocation can be proceeded with once: it knows how many interceptors it has passed. */
  private static MethodInvocation copy(MethodInvocation invocation) {
    return invocation instanceof ProxyMethodInvocation proxied
        ? proxied.invocableClone()
        : invocation;
  }
}
