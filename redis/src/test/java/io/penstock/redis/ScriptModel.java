package io.penstock.redis;

import io.penstock.Decision;
import io.penstock.TokenBucket;
import io.penstock.WindowLimit;
import io.penstock.algorithm.Bucket;
import io.penstock.algorithm.FixedPointRate;
import io.penstock.algorithm.Window;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A model of the script on the pure functions of core, for one request after another. */
final class ScriptModel {
  private final Map<String, Owing> buckets = new HashMap<>();
  private final Map<String, Window> windows = new HashMap<>();

  private final Map<String, CountModel> counts = new HashMap<>();

  /**
   * @param written the time of the last change: no time passes while the clock is behind it
   */
  private record Owing(Bucket bucket, long reach, long written) {
    Bucket at(long now) {
      long back = Math.max(0, written - now);
      return new Bucket(bucket.fullAt() - back, bucket.remainder());
    }
  }

  /** The effect of a request on one bucket. */
  private abstract static class ClaimEffect {
    final RedisClaim claim;
    final long now;

    ClaimEffect(RedisClaim claim, long now) {
      this.claim = claim;
      this.now = now;
    }

    abstract boolean allowed();

    abstract void take();

    abstract void leave();

    abstract Decision decision(boolean taken);
  }

  /** The result of a request at {@code now}; null for operations without a decision. */
  @Nullable Decision decide(Operation operation, List<RedisClaim> claims, long now) {
    if (operation != Operation.TAKE && operation != Operation.PEEK) {
      change(operation, claims.get(0), now);
      return null;
    }
    List<ClaimEffect> effects = claims.stream().map(claim -> effect(claim, now)).toList();
    boolean allowed = effects.stream().allMatch(ClaimEffect::allowed);
    Decision[] decisions = new Decision[effects.size()];
    // A peek predicts what taking would return, so take and restore.
    Map<String, Owing> before = new HashMap<>(buckets);
    Map<String, CountModel> countsBefore = new HashMap<>(counts);
    effects.forEach(
        allowed && operation == Operation.TAKE ? ClaimEffect::take : ClaimEffect::leave);
    for (int i = 0; i < decisions.length; i++) {
      decisions[i] = effects.get(i).decision(allowed);
    }
    if (operation == Operation.PEEK) {
      buckets.clear();
      buckets.putAll(before);
      counts.clear();
      counts.putAll(countsBefore);
    }
    return decisions.length == 1 ? decisions[0] : Decision.all(decisions);
  }

  private ClaimEffect effect(RedisClaim claim, long now) {
    return claim.isTokenBucket() ? new OfTokens(claim, now) : new OfWindow(claim, now);
  }

  /** Raises the debt to what was missing at {@code micros}, less the refill since then. */
  void raise(PendingRequest request, long now) {
    OfTokens effect = new OfTokens(request.claims().get(0), now);
    long micros = request.argument(0);
    long elapsed = micros == 0 ? 0 : Math.max(0, now - micros);
    long raised = request.claims().get(0).cost() - elapsed * effect.fixedRate.unitsPerTick();
    long debt = effect.bucket.debt(effect.fixedRate, now, effect.reach);
    if (raised > debt) {
      effect.keep(Bucket.owing(effect.fixedRate, now, raised));
    } else {
      // The script rewrites a value from the future, whatever the request.
      effect.leave();
    }
  }

  private void change(Operation operation, RedisClaim claim, long now) {
    String key = claim.redisKey();
    if (operation == Operation.RESET) {
      buckets.remove(key);
      windows.remove(key);
      counts.remove(key);
      return;
    }
    OfTokens effect = new OfTokens(claim, now);
    Bucket next =
        operation == Operation.CHARGE
            ? effect.bucket.charge(effect.fixedRate, now, claim.thousandths(), effect.reach)
            : effect.bucket.refund(effect.fixedRate, now, claim.thousandths(), effect.reach);
    effect.keep(next);
  }

  private final class OfTokens extends ClaimEffect {
    private final TokenBucket limit;
    private final FixedPointRate fixedRate;
    private final Bucket bucket;
    private final long reach;
    private final boolean steppedBack;
    private final Bucket.TakeResult verdict;

    OfTokens(RedisClaim claim, long now) {
      super(claim, now);
      this.limit = (TokenBucket) claim.buckets().limit();
      this.fixedRate = FixedPointRate.of(limit, Ticks.NANOS, FixedPointRate.MAX_UNITS_IN_DOUBLES);
      Owing owing = buckets.getOrDefault(claim.redisKey(), new Owing(Bucket.full(now), 0, now));
      this.bucket = owing.at(now);
      this.steppedBack = owing.written > now;
      this.reach = owing.reach;
      long maxDelay = claim.maxDelayNanos() / Ticks.NANOS;
      this.verdict = bucket.take(fixedRate, now, claim.thousandths(), maxDelay, reach);
    }

    void keep(Bucket next) {
      long over = next.debt(fixedRate, now, Long.MAX_VALUE) - fixedRate.burst();
      buckets.put(claim.redisKey(), new Owing(next, Math.max(reach, fixedRate.ticks(over)), now));
    }

    @Override
    boolean allowed() {
      return verdict.allowed();
    }

    @Override
    void take() {
      if (claim.thousandths() > 0) {
        keep(verdict.next());
      }
    }

    @Override
    void leave() {
      if (steppedBack && claim.thousandths() > 0 && !verdict.neverAllowed()) {
        keep(Bucket.owing(fixedRate, now, bucket.debt(fixedRate, now, reach)));
      }
    }

    @Override
    Decision decision(boolean taken) {
      String name = claim.buckets().name();
      long debt = taken ? verdict.debt() : bucket.debt(fixedRate, now, reach);
      long reset = Ticks.toNanos(fixedRate.ticks(debt));
      long remaining = fixedRate.remaining(debt);
      if (verdict.neverAllowed()) {
        return Decision.denyCostAboveBurst(name, limit, remaining, reset);
      }
      long delay = Ticks.toNanos(fixedRate.ticks(debt - fixedRate.burst()));
      return verdict.allowed()
          ? Decision.allow(name, limit, remaining, reset, delay)
          : Decision.deny(name, limit, remaining, reset, Ticks.toNanos(verdict.retryAfter()));
    }
  }

  private final class OfWindow extends ClaimEffect {
    private final WindowLimit limit;
    private final Window window;
    private final long most;
    private final long cost;
    private final boolean steppedBack;
    private final long late;
    private long used;
    private long reset;

    OfWindow(RedisClaim claim, long now) {
      super(claim, now);
      this.limit = (WindowLimit) claim.buckets().limit();
      CountModel count = counts.getOrDefault(claim.redisKey(), CountModel.unused(limit, now));
      if (count.isExpired(now)) {
        count = count.at(now);
        counts.put(claim.redisKey(), count);
      }
      this.steppedBack = count.written() > now;
      this.window =
          isLog()
              ? windows.computeIfAbsent(claim.redisKey(), key -> Window.of(limit, Ticks.NANOS))
              : count.window(now);
      this.most = limit.burstThousandths();
      this.cost = claim.thousandths();
      this.late = isLog() ? 0 : count.late(now);
      window.advance(now);
      this.used = window.used(now);
      this.reset = used == 0 ? 0 : window.resetAfter(now) + late;
    }

    private boolean isLog() {
      return limit.kind() == WindowLimit.Counting.SLIDING_WINDOW_LOG;
    }

    @Override
    boolean allowed() {
      return cost <= most && window.waitFor(now, cost, most) == 0;
    }

    @Override
    void take() {
      if (cost > 0) {
        window.add(now, cost);
        keep(cost);
      }
    }

    @Override
    void leave() {
      if (steppedBack && cost > 0 && cost <= most) {
        keep(0);
      }
    }

    private void keep(long more) {
      if (!isLog()) {
        CountModel before = counts.getOrDefault(claim.redisKey(), CountModel.unused(limit, now));
        counts.put(claim.redisKey(), before.at(now).plus(more));
      }
    }

    @Override
    Decision decision(boolean taken) {
      String name = claim.buckets().name();
      boolean wasAllowed = cost <= most && used + cost <= most;
      long wait =
          wasAllowed || cost > most ? 0 : Ticks.toNanos(window.waitFor(now, cost, most) + late);
      if (taken && cost > 0) {
        used += cost;
        reset = window.lifetime(now) + late;
      }
      long remaining = Math.max(0, most - used);
      long resetNanos = Ticks.toNanos(reset);
      if (cost > most) {
        return Decision.denyCostAboveBurst(name, limit, remaining, resetNanos);
      }
      return wasAllowed
          ? Decision.allow(name, limit, remaining, resetNanos, 0)
          : Decision.deny(name, limit, remaining, resetNanos, wait);
    }
  }
}
