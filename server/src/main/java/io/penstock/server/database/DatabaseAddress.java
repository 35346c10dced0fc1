package io.penstock.server.database;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * The address and credentials of a PostgreSQL database. Immutable.
 *
 * <p>What the URL doesn't contain is read from the standard PostgreSQL environment variables:
 * {@code PGUSER}, {@code PGPASSWORD}, {@code PGSSLMODE}, {@code PGSSLROOTCERT}, {@code PGSSLCERT}
 * and {@code PGSSLKEY}.
 */
public final class DatabaseAddress {
  private static final Map<String, String> VARIABLES =
      Map.of(
          "PGUSER", "user",
          "PGPASSWORD", "password",
          "PGSSLMODE", "sslmode",
          "PGSSLROOTCERT", "sslrootcert",
          "PGSSLCERT", "sslcert",
          "PGSSLKEY", "sslkey");
  private static final String EXPECTED = "must be a URL such as postgres://user@host:5432/database";

  private final String jdbcUrl;
  private final Map<String, String> properties;
  private final String display;

  private DatabaseAddress(String jdbcUrl, Map<String, String> properties, String display) {
    this.jdbcUrl = jdbcUrl;
    this.properties = Map.copyOf(properties);
    this.display = display;
  }

  /**
   * Parses {@code postgres://user:password@host:port/database?sslmode=require}.
   *
   * @throws IllegalArgumentException if the URL is invalid; the message contains no password
   */
  public static DatabaseAddress parse(String url, Map<String, String> variables) {
    String problem = wrong(url);
    if (problem != null) {
      throw new IllegalArgumentException(problem);
    }
    URI uri = URI.create(plain(url));
    Map<String, String> properties = new java.util.HashMap<>();
    VARIABLES.forEach(
        (variable, property) -> {
          String value = variables.get(variable);
          if (value != null && !value.isEmpty()) {
            properties.put(property, value);
          }
        });
    String query = uri.getRawQuery();
    for (String pair : query == null ? new String[0] : query.split("&")) {
      String[] parts = pair.split("=", 2);
      properties.put(decoded(parts[0]), parts.length < 2 ? "" : decoded(parts[1]));
    }
    String userInfo = uri.getRawUserInfo();
    if (userInfo != null) {
      String[] parts = userInfo.split(":", 2);
      properties.put("user", decoded(parts[0]));
      if (parts.length > 1) {
        properties.put("password", decoded(parts[1]));
      }
    }
    String target = uri.getHost() + (uri.getPort() < 0 ? "" : ":" + uri.getPort()) + uri.getPath();
    return new DatabaseAddress("jdbc:postgresql://" + target, properties, target);
  }

  /** Returns what is wrong with a URL, without quoting it; null if it is valid. */
  public static @Nullable String wrong(String url) {
    try {
      URI uri = new URI(plain(url));
      boolean known = "postgres".equals(uri.getScheme()) || "postgresql".equals(uri.getScheme());
      boolean complete =
          uri.getHost() != null && uri.getPath() != null && uri.getPath().length() > 1;
      return known && complete ? null : EXPECTED;
    } catch (URISyntaxException e) {
      return EXPECTED
          + "; characters of a password other than letters, digits and -._~ must be"
          + " percent-encoded, such as %40 for @";
    }
  }

  private static String plain(String url) {
    return url.startsWith("jdbc:") ? url.substring("jdbc:".length()) : url;
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), UTF_8);
  }

  String jdbcUrl() {
    return jdbcUrl;
  }

  /** Returns all connection properties. */
  Properties properties() {
    Properties all = new Properties();
    all.setProperty("ApplicationName", "penstock");
    all.setProperty("connectTimeout", "2");
    all.setProperty("loginTimeout", "3");
    all.setProperty("socketTimeout", "20");
    all.setProperty("tcpKeepAlive", "true");
    properties.forEach(all::setProperty);
    return all;
  }

  /** Returns the host, port and database, without credentials. */
  @Override
  public String toString() {
    return display;
  }
}
