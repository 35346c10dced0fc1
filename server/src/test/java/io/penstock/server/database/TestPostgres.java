package io.penstock.server.database;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** An embedded PostgreSQL server, shared by all tests of a JVM. Each test has its own database. */
public final class TestPostgres {
  private static final AtomicInteger NEXT = new AtomicInteger();

  private TestPostgres() {}

  private static final class Shared {
    static final EmbeddedPostgres SERVER = start();

    private static EmbeddedPostgres start() {
      try {
        return EmbeddedPostgres.builder()
            .setServerConfig("fsync", "off")
            .setServerConfig("max_connections", "100")
            .start();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Returns the URL of an empty database. */
  public static String fresh() {
    String name = "test" + NEXT.incrementAndGet();
    execute(url("postgres"), "CREATE DATABASE " + name);
    return url(name);
  }

  /** Returns the URL of a database with all tables. */
  static String migrated() {
    String url = fresh();
    try (Database database = database(url)) {
      Migrations.run(database);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    return url;
  }

  static Database database(String url) {
    return new Database(DatabaseAddress.parse(url, Map.of()));
  }

  private static String url(String name) {
    return "postgres://postgres@127.0.0.1:" + Shared.SERVER.getPort() + "/" + name;
  }

  static Connection connect(String url) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:" + url.replace("postgres://postgres@", "postgresql://"), "postgres", "");
  }

  /** Executes statements, as a user of psql would. */
  public static void execute(String url, String... statements) {
    try (Connection connection = connect(url);
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  /** Returns the single value of a query as text. */
  public static String value(String url, String query) {
    try (Connection connection = connect(url);
        Statement statement = connection.createStatement();
        var result = statement.executeQuery(query)) {
      return result.next() ? String.valueOf(result.getString(1)) : "nothing";
    } catch (SQLException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }
}
