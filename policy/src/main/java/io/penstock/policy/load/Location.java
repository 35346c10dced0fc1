package io.penstock.policy.load;

/**
 * A location in a file. Immutable.
 *
 * @param file the name of the file as given by the caller
 * @param line from 1; 0 for the file as a whole
 * @param column from 1; 0 for the file as a whole
 */
public record Location(String file, int line, int column) {
  /** Returns the location of a file or folder as a whole. */
  public static Location of(String file) {
    return new Location(file, 0, 0);
  }

  @Override
  public String toString() {
    return line == 0 ? file : file + ":" + line + ":" + column;
  }
}
