package io.penstock.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Rate;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A trace of grants that is checked against P1: in every interval, at most burst plus rate times
 * length. One pass suffices: it computes the largest sum of cost minus refill over any run of
 * grants.
 */
public final class Trace {
  private final Rate rate;
  private final long burstThousandths;
  private final List<Grant> grants = new ArrayList<>();

  private record Grant(long nanos, long cost) {}

  public Trace(Rate rate, long burstThousandths) {
    this.rate = rate;
    this.burstThousandths = burstThousandths;
  }

  public synchronized void grant(long nanos, long costThousandths) {
    grants.add(new Grant(nanos, costThousandths));
  }

  public synchronized int size() {
    return grants.size();
  }

  public synchronized void check() {
    grants.sort(Comparator.comparingLong(Grant::nanos));
    BigInteger most = BigInteger.valueOf(burstThousandths).multiply(rate.nanos());
    BigInteger sum = BigInteger.ZERO;
    long last = grants.isEmpty() ? 0 : grants.get(0).nanos;
    for (Grant grant : grants) {
      BigInteger refill = rate.thousandths().multiply(BigInteger.valueOf(grant.nanos - last));
      sum = sum.subtract(refill).max(BigInteger.ZERO);
      sum = sum.add(BigInteger.valueOf(grant.cost).multiply(rate.nanos()));
      last = grant.nanos;
      assertThat(sum).as("granted by %s ns, %s of %s", last, sum, most).isLessThanOrEqualTo(most);
    }
  }
}
