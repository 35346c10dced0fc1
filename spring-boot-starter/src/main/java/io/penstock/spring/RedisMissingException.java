package io.penstock.spring;

/** Thrown at startup if the properties require Redis and the application can't use it. */
final class RedisMissingException extends IllegalStateException {
  private static final long serialVersionUID = 1;

  private final String description;
  private final String action;

  /**
   * @param description what is missing, in a sentence
   * @param action what to do about it, in a sentence
   */
  RedisMissingException(String description, String action) {
    super(description + " " + action);
    this.description = description;
    this.action = action;
  }

  String description() {
    return description;
  }

  String action() {
    return action;
  }
}
