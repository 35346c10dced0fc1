package io.penstock.server.database;

import java.sql.SQLException;

/** The database can't be asked now. */
public final class DatabaseUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private DatabaseUnavailableException(String message, SQLException cause) {
    super(message, cause);
  }

  static DatabaseUnavailableException of(SQLException cause) {
    return new DatabaseUnavailableException(reason(cause), cause);
  }

  /** In one line: the server adds details that others need not see. */
  static String reason(SQLException cause) {
    String message = String.valueOf(cause.getMessage());
    Throwable origin = cause.getCause();
    if (message.contains("request timed out") && origin != null) {
      message = String.valueOf(origin.getMessage());
    }
    return message.lines().findFirst().orElse("unknown");
  }
}
