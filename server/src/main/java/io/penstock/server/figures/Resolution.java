package io.penstock.server.figures;

/** The distance of the points of a timeline. */
public enum Resolution {
  /** One point a second, for 15 minutes. */
  SECOND(1, 900),
  /** One point a minute, for 24 hours. */
  MINUTE(60, 1_440);

  private final int seconds;
  private final int points;

  Resolution(int seconds, int points) {
    this.seconds = seconds;
    this.points = points;
  }

  /** Returns the distance in seconds. */
  public int seconds() {
    return seconds;
  }

  /** Returns the number of points that are kept. */
  public int points() {
    return points;
  }

  /** Returns the point that a second belongs to. */
  long position(long second) {
    return Math.floorDiv(second, (long) seconds);
  }
}
