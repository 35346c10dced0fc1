package io.penstock.policy.load;

/**
 * A location in a file. Immutable.
 *
 * @param file the name of the file as given by the caller
 * @param line from 1; 0 for the file as a whole; negative if there is no file yet
 * @param column from 1; 0 for the file as a whole; negative if there is no file yet
 */
public record Location(String file, int line, int column) {
  private static final int NEW = -1;

  /** Returns the location of a file or folder as a whole. */
  public static Location of(String file) {
    return new Location(file, 0, 0);
  }

  /** Returns the location of something that is not stored anywhere yet. */
  public static Location ofNew(String name) {
    return new Location(name, NEW, NEW);
  }

  /** Returns a reference for messages about something else: {@code at file:3:5}, or {@code new}. */
  public String reference() {
    return line == NEW ? "new" : "at " + this;
  }

  @Override
  public String toString() {
    return line <= 0 ? file : file + ":" + line + ":" + column;
  }
}
