package io.penstock.server.database;

import java.sql.SQLException;

/** Thrown if the database is unavailable or a statement failed. */
public final class DatabaseUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private DatabaseUnavailableException(String message, SQLException cause) {
    super(message, cause);
  }

  static DatabaseUnavailableException of(SQLException cause) {
    return new DatabaseUnavailableException(reason(cause), cause);
  }

  /** Returns the first line of the message, without the details that the server adds. */
  static String reason(SQLException cause) {
    String message = String.valueOf(cause.getMessage());
    Throwable origin = cause.getCause();
    if (message.contains("request timed out") && origin != null) {
      message = String.valueOf(origin.getMessage());
    }
    return message.lines().findFirst().orElse("unknown");
  }
}
