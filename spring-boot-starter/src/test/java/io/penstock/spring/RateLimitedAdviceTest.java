package io.penstock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.policy.PolicyEngine;
import io.penstock.policy.http.Gate;
import io.penstock.policy.http.HeaderFormat;
import io.penstock.policy.http.Jitter;
import io.penstock.policy.http.VerdictResponses;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.servlet.SlowStore;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Tests rate-limited methods with a store that responds on its own thread. */
class RateLimitedAdviceTest {
  private static final String RULES =
      "rules: [{name: work, limit_keys: [], rate: 1/h, burst: 2, manual: true}]";

  private final AtomicInteger inner = new AtomicInteger();
  private final Work work = limited(new Work());

  private Work limited(Work target) {
    SlowStore store = new SlowStore();
    PolicyEngine engine =
        new PolicyEngine(store, PolicyLoader.parse(RULES, "policy.yaml").policy());
    Gate gate = new Gate(engine, new VerdictResponses(HeaderFormat.ALL, Jitter.NONE));
    RateLimitedAdvice.CallParts parts =
        new RateLimitedAdvice.CallParts(
            new LimitedMethods(engine, new DefaultListableBeanFactory()),
            gate,
            HandledRequest.NONE,
            new PublisherCalls(gate, HandledRequest.NONE, null));
    ProxyFactory proxy = new ProxyFactory(target);
    proxy.setProxyTargetClass(true);
    proxy.addAdvice(new RateLimitedAdvice(() -> parts));
    proxy.addAdvice(
        (MethodInterceptor)
            invocation -> {
              inner.incrementAndGet();
              return invocation.proceed();
            });
    return (Work) proxy.getProxy();
  }

  @Test
  void stage_callerMayBlock_runsOnItsThread() {
    assertThat(work.stage().join()).isSameAs(Thread.currentThread());
  }

  @Test
  void stage_callerMustNotBlock_runsOnABlockingThread() {
    CompletableFuture<Thread> body =
        Mono.fromFuture(work::stage).subscribeOn(Schedulers.parallel()).toFuture();

    Thread ran = body.orTimeout(20, TimeUnit.SECONDS).join();
    assertThat(Schedulers.isNonBlockingThread(ran)).isFalse();
    assertThat(ran.getName()).startsWith("boundedElastic");
  }

  @Test
  void stage_denied_fails() {
    work.stage().join();
    work.stage().join();

    assertThatThrownBy(work.stage()::join).hasCauseInstanceOf(RateLimitedException.class);
    assertThat(inner).hasValue(2);
  }

  @Test
  void publisher_subscribedAgain_runsInnerInterceptorsEachTime() {
    String result = work.failingOnce().retry(1).block(Duration.ofSeconds(20));

    assertThat(result).isEqualTo("done");
    assertThat(inner).hasValue(2);
  }

  static class Work {
    private final AtomicInteger calls = new AtomicInteger();

    @RateLimited("work")
    CompletableFuture<Thread> stage() {
      return CompletableFuture.completedFuture(Thread.currentThread());
    }

    @RateLimited("work")
    Mono<String> failingOnce() {
      return calls.getAndIncrement() == 0
          ? Mono.error(new IllegalStateException("not yet"))
          : Mono.just("done");
    }
  }
}
