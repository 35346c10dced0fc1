package io.penstock.server.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;
import org.postgresql.Driver;

/**
 * Connections to a PostgreSQL that may be away at any time. Thread-safe. Everything here blocks:
 * never call it on an event loop.
 */
public final class Database implements AutoCloseable {
  private static final int MAX_CONNECTIONS = 4;
  private static final int PATIENCE_MILLIS = 2_000;
  private static final String OPTIONS = "options";

  /** No statement of an ordinary connection takes longer: who is locked out is told so. */
  private static final String TIMEOUTS = "-c statement_timeout=3000";

  /** Many rules take their time. */
  private static final String LONG_TIMEOUTS = "-c statement_timeout=15000";

  private final DatabaseAddress address;
  private final HikariDataSource pool;

  /** Needs no database to be there. */
  public Database(DatabaseAddress address) {
    this.address = address;
    HikariConfig config = new HikariConfig();
    config.setPoolName("penstock-database");
    config.setJdbcUrl(address.jdbcUrl());
    config.setDataSourceProperties(with(TIMEOUTS));
    config.setMaximumPoolSize(MAX_CONNECTIONS);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(PATIENCE_MILLIS);
    config.setValidationTimeout(PATIENCE_MILLIS / 2);
    config.setInitializationFailTimeout(-1);
    this.pool = new HikariDataSource(config);
  }

  /** One of a few connections, for a short time. */
  Connection connection() throws SQLException {
    return pool.getConnection();
  }

  /** A connection besides the others, for whoever keeps it. */
  Connection ownConnection() throws SQLException {
    Connection connection = new Driver().connect(address.jdbcUrl(), with(LONG_TIMEOUTS));
    if (connection == null) {
      throw new SQLException("no address of a PostgreSQL: " + address);
    }
    return connection;
  }

  private Properties with(String timeouts) {
    Properties properties = address.properties();
    String given = properties.getProperty(OPTIONS);
    properties.setProperty(OPTIONS, given == null ? timeouts : timeouts + " " + given);
    return properties;
  }

  /** What can be asked in one transaction. */
  interface SqlWork<T> {
    T in(Connection connection) throws SQLException;
  }

  /**
   * Does all of {@code work} or nothing of it.
   *
   * @throws DatabaseUnavailableException if the database can't be asked now
   */
  <T> T transaction(SqlWork<T> work) {
    try (Connection connection = connection()) {
      connection.setAutoCommit(false);
      try {
        T done = work.in(connection);
        connection.commit();
        return done;
      } catch (SQLException | RuntimeException e) {
        rollBack(connection, e);
        throw e;
      }
    } catch (SQLException e) {
      throw DatabaseUnavailableException.of(e);
    }
  }

  private static void rollBack(Connection connection, Exception cause) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      cause.addSuppressed(e);
    }
  }

  public DatabaseAddress address() {
    return address;
  }

  @Override
  public void close() {
    pool.close();
  }
}
