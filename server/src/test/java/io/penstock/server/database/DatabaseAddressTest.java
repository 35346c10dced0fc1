package io.penstock.server.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseAddressTest {
  @Test
  void parse_url_hasUserAndPasswordDecoded() {
    DatabaseAddress address =
        DatabaseAddress.parse(
            "postgres://limits:p%40ss+1@db.internal:6432/penstock?sslmode=require", Map.of());

    assertThat(address.jdbcUrl()).isEqualTo("jdbc:postgresql://db.internal:6432/penstock");
    assertThat(address.properties())
        .containsEntry("user", "limits")
        .containsEntry("password", "p@ss+1")
        .containsEntry("sslmode", "require");
    assertThat(address.toString()).isEqualTo("db.internal:6432/penstock");
  }

  @Test
  void parse_withoutUser_usesStandardVariables() {
    Map<String, String> variables =
        Map.of(
            "PGUSER", "me",
            "PGPASSWORD", "secret",
            "PGSSLMODE", "verify-full",
            "PGSSLROOTCERT", "/ca.pem");

    assertThat(DatabaseAddress.parse("postgresql://db/penstock", variables).properties())
        .containsEntry("user", "me")
        .containsEntry("password", "secret")
        .containsEntry("sslmode", "verify-full")
        .containsEntry("sslrootcert", "/ca.pem");
    assertThat(DatabaseAddress.parse("postgres://you@db/penstock", variables).properties())
        .containsEntry("user", "you");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "db/penstock",
        "mysql://db/penstock",
        "postgres://db",
        "postgres://db/",
        "postgres:///penstock",
        "postgres://u:se cret@db/penstock",
      })
  void wrong_invalidUrl_explainsTheFormatWithoutSecrets(String url) {
    assertThat(DatabaseAddress.wrong(url)).contains("postgres://").doesNotContain("cret");
  }
}
