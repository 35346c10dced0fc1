package io.penstock;

/**
 * Thrown if a value violates a constraint. The message is the name of the value followed by the
 * constraint, such as {@code rate must be positive: -3}.
 */
public final class InvalidValueException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  private final String name;
  private final String constraint;

  /**
   * @param name the name of the value
   * @param constraint what the value must be, and the value itself
   */
  public InvalidValueException(String name, String constraint) {
    super(name + " " + constraint);
    this.name = name;
    this.constraint = constraint;
  }

  /** Returns the name of the value, such as {@code rate}. */
  public String name() {
    return name;
  }

  /** Returns the message without the name of the value. */
  public String constraint() {
    return constraint;
  }
}
