package io.penstock.policy.http;

import io.penstock.policy.Outcome;
import io.penstock.policy.Request;
import io.penstock.policy.Verdict;
import java.util.List;

/** Several observers as one. Thread-safe if they are. */
record GateObservers(List<GateObserver> each) implements GateObserver {
  @Override
  public void decided(Verdict verdict, long nanos) {
    for (int i = 0; i < each.size(); i++) {
      each.get(i).decided(verdict, nanos);
    }
  }

  @Override
  public void denied(Request request, Outcome decisive) {
    each.forEach(observer -> observer.denied(request, decisive));
  }

  @Override
  public void shadowDenied(Request request, Outcome outcome) {
    each.forEach(observer -> observer.shadowDenied(request, outcome));
  }

  @Override
  public void undecided(Throwable failure) {
    each.forEach(observer -> observer.undecided(failure));
  }

  @Override
  public void refundFailed(Throwable failure) {
    each.forEach(observer -> observer.refundFailed(failure));
  }
}
