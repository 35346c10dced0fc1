package io.penstock.bench.contest;

/** The conditions under which contenders are compared: one table. */
public record Row(String title, Outcome outcome, int threads) {
  @Override
  public String toString() {
    return title + (threads == 1 ? ", 1 thread" : ", " + threads + " threads");
  }
}
