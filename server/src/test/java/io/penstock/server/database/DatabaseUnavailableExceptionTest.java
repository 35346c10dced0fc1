package io.penstock.server.database;

import static io.penstock.server.database.DatabaseUnavailableException.reason;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.junit.jupiter.api.Test;

class DatabaseUnavailableExceptionTest {
  private final SQLException rejected =
      new SQLException("password authentication failed\n  Detail: for user x", "28P01");

  @Test
  void reason_poolWithoutConnection_isTheLastFailure() {
    assertThat(reason(new SQLTransientConnectionException("no connection", "28P01", rejected)))
        .isEqualTo("password authentication failed");
  }

  @Test
  void reason_poolWithoutFailure_isTheMessageOfThePool() {
    assertThat(reason(new SQLTransientConnectionException("no connection")))
        .isEqualTo("no connection");
  }

  @Test
  void reason_failedStatement_isItsFirstLineWhateverTheMessage() {
    assertThat(reason(new SQLException("the request timed out\nDetail", rejected)))
        .isEqualTo("the request timed out");
  }
}
