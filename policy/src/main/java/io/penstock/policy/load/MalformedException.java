package io.penstock.policy.load;

/** Thrown when a document is malformed and can't be read any further. */
final class MalformedException extends Exception {
  private static final long serialVersionUID = 1;

  private final transient Location location;

  MalformedException(Location location, String message) {
    super(message);
    this.location = location;
  }

  Location location() {
    return location;
  }
}
