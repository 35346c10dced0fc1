package io.penstock.server.figures;

/** Numbers of decisions over time, of one rule or of all requests. Not thread-safe. */
final class CountSeries {
  private final Resolution resolution;
  private final CountRing allowed;
  private final CountRing denied;
  private final CountRing degraded;
  private final CountRing shadowDenied;

  CountSeries(Resolution resolution) {
    this.resolution = resolution;
    // One more than what is shown, for the point that is not complete yet.
    int points = resolution.points() + 1;
    this.allowed = new CountRing(points);
    this.denied = new CountRing(points);
    this.degraded = new CountRing(points);
    this.shadowDenied = new CountRing(points);
  }

  /** Empties the points of all seconds after {@code before} up to {@code now}. */
  void clear(long before, long now) {
    long last = resolution.position(now);
    long first = Math.max(resolution.position(before) + 1, last - resolution.points());
    for (long position = first; position <= last; position++) {
      set(position, DecisionCounts.NONE);
    }
  }

  /** Adds to the point of a second. */
  void add(long second, DecisionCounts counts) {
    long position = resolution.position(second);
    set(position, at(position).plus(counts));
  }

  DecisionCounts at(long position) {
    return new DecisionCounts(
        allowed.get(position),
        denied.get(position),
        degraded.get(position),
        shadowDenied.get(position));
  }

  /** Returns the sum of the points from {@code first} to before {@code end}. */
  DecisionCounts sum(long first, long end) {
    return new DecisionCounts(
        allowed.sum(first, end),
        denied.sum(first, end),
        degraded.sum(first, end),
        shadowDenied.sum(first, end));
  }

  private void set(long position, DecisionCounts counts) {
    allowed.set(position, counts.allowed());
    denied.set(position, counts.denied());
    degraded.set(position, counts.degraded());
    shadowDenied.set(position, counts.shadowDenied());
  }

  int memory() {
    return allowed.memory() + denied.memory() + degraded.memory() + shadowDenied.memory();
  }
}
