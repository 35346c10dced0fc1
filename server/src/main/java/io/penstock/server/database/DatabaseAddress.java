package io.penstock.server.database;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Where a PostgreSQL is and who we are to it. Immutable.
 *
 * <p>What the URL doesn't say is taken from the variables that every client of PostgreSQL reads:
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
  private static final String FORM = "must be a URL such as postgres://user@host:5432/database";

  private final String jdbcUrl;
  private final Map<String, String> properties;
  private final String shown;

  private DatabaseAddress(String jdbcUrl, Map<String, String> properties, String shown) {
    this.jdbcUrl = jdbcUrl;
    this.properties = Map.copyOf(properties);
    this.shown = shown;
  }

  /**
   * Reads {@code postgres://user:password@host:port/database?sslmode=require}.
   *
   * @throws IllegalArgumentException if it can't be used; the message repeats no password
   */
  public static DatabaseAddress parse(String url, Map<String, String> variables) {
    String wrong = wrong(url);
    if (wrong != null) {
      throw new IllegalArgumentException(wrong);
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
    String place = uri.getHost() + (uri.getPort() < 0 ? "" : ":" + uri.getPort()) + uri.getPath();
    return new DatabaseAddress("jdbc:postgresql://" + place, properties, place);
  }

  /** What is wrong with a URL, without repeating it; null if it is good. */
  public static @Nullable String wrong(String url) {
    try {
      URI uri = new URI(plain(url));
      boolean known = "postgres".equals(uri.getScheme()) || "postgresql".equals(uri.getScheme());
      boolean whole = uri.getHost() != null && uri.getPath() != null && uri.getPath().length() > 1;
      return known && whole ? null : FORM;
    } catch (URISyntaxException e) {
      return FORM
          + "; other characters of a password than letters, digits and -._~ are"
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

  /** Everything that a connection is opened with. */
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

  /** Host, port and database; nothing secret. */
  @Override
  public String toString() {
    return shown;
  }
}
