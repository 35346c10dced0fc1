package io.penstock.server.database;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;

/** Makes the tables, and brings those of an older Penstock up to date. */
final class Migrations {
  private static final String FOLDER = "classpath:io/penstock/server/database/migrations";
  private static final String HISTORY = "penstock_schema_history";
  private static final int OLDEST = 13;

  private Migrations() {}

  /**
   * Runs what has not been run. Of several processes at the same time, one does and the others
   * wait.
   */
  static void run(Database database) throws SQLException {
    try (Connection connection = database.ownConnection()) {
      DatabaseMetaData server = connection.getMetaData();
      if (server.getDatabaseMajorVersion() < OLDEST) {
        throw new SQLException(
            "needs PostgreSQL " + OLDEST + " or later: " + server.getDatabaseProductVersion());
      }
    }
    try {
      Flyway.configure(Migrations.class.getClassLoader())
          .dataSource(new DirectConnections(database))
          .locations(FOLDER)
          .table(HISTORY)
          .baselineOnMigrate(true)
          .baselineVersion("0")
          .load()
          .migrate();
    } catch (FlywayException e) {
      throw new SQLException("the tables can't be made: " + e.getMessage(), e);
    }
  }
}
