package io.penstock.policy;

import static io.penstock.policy.Rules.rule;
import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import io.penstock.Limit;
import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.address.ClientAddress;
import io.penstock.policy.jwt.JwtSettings;
import io.penstock.policy.jwt.KeySource;
import io.penstock.testing.ManualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Policies that are replaced repeatedly, also while requests are decided. */
class PolicyEngineReloadRaceTest {
  private static final boolean FULL = Boolean.getBoolean("penstock.full");
  private static final int RELOADS = FULL ? 10_000 : 2_000;
  private static final int THREADS = 8;
  private static final long MAX_GROWTH_BYTES = 1_000_000;
  private static final int MAX_KEYS = 500;
  private static final ExplicitRequest REQUEST =
      ExplicitRequest.builder().attribute("user_id", "u").attribute("plan", "pro").build();

  private final ManualClock clock = new ManualClock();
  private final InProcessStore store = InProcessStore.builder().clock(clock).build();

  private static Policy limited(double perSecond) {
    return Policy.of(
        rule("pro").by("user_id").where("plan", "pro").limits(bucket(perSecond)).build(),
        rule("others").by("user_id").limits(bucket(perSecond / 2)).build(),
        rule("all").limits(Limit.perSecond(1_000_000)).build(),
        rule("shade").by("user_id").limits(bucket(perSecond)).mode(Mode.SHADOW, 100).build());
  }

  /** All with the same burst, because lowering the burst forgives the debt beyond it. */
  private static Limit bucket(double perSecond) {
    return Limit.perSecond(perSecond).burst(100);
  }

  @Test
  void replace_thousandsOfTimes_keepsMemoryFlat() {
    PolicyEngine engine = new PolicyEngine(store, limited(10));
    reload(engine, 1_000);
    long before = usedBytes();
    reload(engine, RELOADS);
    assertThat(usedBytes() - before).isLessThan(MAX_GROWTH_BYTES);
  }

  private static void reload(PolicyEngine engine, int times) {
    for (int i = 1; i <= times; i++) {
      engine.replace(limited(i));
      engine.decide(REQUEST);
    }
  }

  /** Each policy has a path, and thus a bucket name, that no other has. */
  @Test
  void replace_withAnotherPathEachTime_freesTheNames() {
    PolicyEngine engine = new PolicyEngine(store, limitedAt(0));
    moveTo(engine, 1, 1_000);
    long before = usedBytes();
    moveTo(engine, 1_001, 2 * RELOADS);
    assertThat(usedBytes() - before).isLessThan(MAX_GROWTH_BYTES);
    assertThat(store.keys()).isLessThan(MAX_KEYS);
  }

  private static Policy limitedAt(int path) {
    return Policy.of(
        rule("pro").by("user_id").where("path", "/" + path).limits(bucket(1_000)).build());
  }

  private void moveTo(PolicyEngine engine, int first, int times) {
    for (int path = first; path < first + times; path++) {
      engine.replace(limitedAt(path));
      ExplicitRequest request =
          ExplicitRequest.builder().attribute("user_id", "u").path("/" + path).build();
      assertThat(engine.decide(request).allowed()).isTrue();
      clock.advance(Duration.ofMillis(10));
    }
  }

  private static long usedBytes() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  @Test
  void replace_keysFromFiles_leavesNoThreadBehind(@TempDir Path folder)
      throws IOException, InterruptedException, JOSEException {
    JWK key = new ECKeyGenerator(Curve.P_256).generate().toPublicJWK();
    Path file = Files.writeString(folder.resolve("keys.json"), new JWKSet(key).toString());
    JwtSettings fromFile = JwtSettings.verifying(new KeySource.JwksFile(file));
    PolicyEngine engine = new PolicyEngine(store, limited(10));
    for (int i = 0; i < 200; i++) {
      engine.replace(with(fromFile));
      engine.replace(with(i % 2 == 0 ? JwtSettings.NONE : JwtSettings.TRUSTED));
    }
    engine.close();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().equals("penstock-jwks")) {
        thread.join(TimeUnit.SECONDS.toMillis(30));
        assertThat(thread.isAlive()).isFalse();
      }
    }
  }

  private static Policy with(JwtSettings jwt) {
    return new Policy(limited(10).rules(), List.of(), Mode.ENFORCE, ClientAddress.PEER, jwt, null);
  }

  @Test
  void decide_whileThePolicyIsReplaced_grantsNoMoreThanTheLooserLimit()
      throws InterruptedException, ExecutionException {
    Policy loose = limited(100);
    Policy tight = limited(50);
    PolicyEngine engine = new PolicyEngine(store, loose);
    AtomicLong granted = new AtomicLong();
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    List<Future<?>> deciding = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      deciding.add(
          threads.submit(
              () -> {
                while (!done.get()) {
                  if (engine.decide(REQUEST).allowed()) {
                    granted.incrementAndGet();
                  }
                }
              }));
    }
    int millis = RELOADS;
    for (int i = 0; i < millis; i++) {
      engine.replace(i % 2 == 0 ? tight : loose);
      clock.advanceNanos(1_000_000);
    }
    done.set(true);
    for (Future<?> thread : deciding) {
      thread.get();
    }
    threads.shutdown();
    assertThat(granted.get()).isBetween(100L, 100 + 100L * millis / 1_000);
  }
}
