package io.penstock.server.database;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;

/** Creates and migrates the tables. */
final class Migrations {
  private static final String FOLDER = "classpath:io/penstock/server/database/migrations";
  private static final String HISTORY = "penstock_schema_history";
  private static final int MIN_MAJOR_VERSION = 13;

  private Migrations() {}

  /**
   * Runs pending migrations. If several processes call this concurrently, one runs them and the
   * others wait.
   */
  static void run(Database database) throws SQLException {
    try (Connection connection = database.ownConnection()) {
      DatabaseMetaData server = connection.getMetaData();
      if (server.getDatabaseMajorVersion() < MIN_MAJOR_VERSION) {
        throw new SQLException(
            "requires PostgreSQL "
                + MIN_MAJOR_VERSION
                + " or later: "
                + server.getDatabaseProductVersion());
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
      throw new SQLException("cannot create or migrate the tables: " + e.getMessage(), e);
    }
  }
}
