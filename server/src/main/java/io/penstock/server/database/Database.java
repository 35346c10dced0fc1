package io.penstock.server.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;
import org.postgresql.Driver;

/**
 * Connections to a PostgreSQL database, which may be unavailable at any time. Thread-safe. All
 * methods block, so they must not be called on an event loop.
 */
public final class Database implements AutoCloseable {
  private static final int MAX_CONNECTIONS = 4;
  private static final int CONNECTION_TIMEOUT_MILLIS = 2_000;
  private static final String OPTIONS = "options";

  /** The statement timeout of pooled connections, so that a blocked statement fails. */
  private static final String STATEMENT_TIMEOUT = "-c statement_timeout=3000";

  /** The statement timeout of dedicated connections; loading many rules takes longer. */
  private static final String LONG_STATEMENT_TIMEOUT = "-c statement_timeout=15000";

  private final DatabaseAddress address;
  private final HikariDataSource pool;

  /** Creates a pool; does not connect yet. */
  public Database(DatabaseAddress address) {
    this.address = address;
    HikariConfig config = new HikariConfig();
    config.setPoolName("penstock-database");
    config.setJdbcUrl(address.jdbcUrl());
    config.setDataSourceProperties(propertiesWith(STATEMENT_TIMEOUT));
    config.setMaximumPoolSize(MAX_CONNECTIONS);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(CONNECTION_TIMEOUT_MILLIS);
    config.setValidationTimeout(CONNECTION_TIMEOUT_MILLIS / 2);
    config.setInitializationFailTimeout(-1);
    this.pool = new HikariDataSource(config);
  }

  /** Returns a connection of the pool, for a short time. */
  Connection connection() throws SQLException {
    return pool.getConnection();
  }

  /** Opens a dedicated connection outside the pool. */
  Connection ownConnection() throws SQLException {
    Connection connection =
        new Driver().connect(address.jdbcUrl(), propertiesWith(LONG_STATEMENT_TIMEOUT));
    if (connection == null) {
      throw new SQLException("not a PostgreSQL URL: " + address);
    }
    return connection;
  }

  private Properties propertiesWith(String timeout) {
    Properties properties = address.properties();
    String given = properties.getProperty(OPTIONS);
    properties.setProperty(OPTIONS, given == null ? timeout : timeout + " " + given);
    return properties;
  }

  /** Work in one transaction. */
  interface SqlWork<T> {
    T in(Connection connection) throws SQLException;
  }

  /**
   * Runs {@code work} in a transaction.
   *
   * @throws DatabaseUnavailableException if the database is unavailable
   */
  <T> T transaction(SqlWork<T> work) {
    try (Connection connection = connection()) {
      connection.setAutoCommit(false);
      try {
        T result = work.in(connection);
        connection.commit();
        return result;
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
