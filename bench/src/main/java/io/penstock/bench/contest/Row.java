package io.penstock.bench.contest;

/** The conditions under which contenders are compared. Each has its own table. */
public record Row(String title, ExpectedOutcome outcome, int threads) {
  @Override
  public String toString() {
    return title + (threads == 1 ? ", 1 thread" : ", " + threads + " threads");
  }
}
