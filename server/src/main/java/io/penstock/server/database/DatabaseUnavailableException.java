package io.penstock.server.database;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;

/** Thrown if the database is unavailable or a statement failed. */
public final class DatabaseUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private DatabaseUnavailableException(String message, SQLException cause) {
    super(message, cause);
  }

  static DatabaseUnavailableException of(SQLException cause) {
    return new DatabaseUnavailableException(reason(cause), cause);
  }

  /**
   * Returns the first line of the message, without the details that the server adds. The connection
   * pool only reports that it has no connection; its cause is the last failure to open one.
   */
  static String reason(SQLException cause) {
    Throwable origin = cause instanceof SQLTransientConnectionException ? cause.getCause() : null;
    String message = String.valueOf((origin == null ? cause : origin).getMessage());
    return message.lines().findFirst().orElse("unknown");
  }
}
