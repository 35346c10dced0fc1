package io.penstock.policy.jwt;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Records the events of an observer. */
final class KeyEvents implements JwtObserver {
  final List<String> messages = new CopyOnWriteArrayList<>();
  final List<KeyFailure> failures = new CopyOnWriteArrayList<>();
  final List<TokenCheck.Result> rejected = new CopyOnWriteArrayList<>();

  @Override
  public void rejected(TokenCheck.Result reason) {
    rejected.add(reason);
  }

  @Override
  public void fetchFailed(KeyFailure reason) {
    failures.add(reason);
  }

  @Override
  public void keysChanged(boolean working, String message) {
    messages.add((working ? "working: " : "failing: ") + message);
  }
}
