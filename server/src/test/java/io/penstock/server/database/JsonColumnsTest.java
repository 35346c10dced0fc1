package io.penstock.server.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonColumnsTest {
  @ParameterizedTest
  @CsvSource({
    "10.500, 10.5",
    "1e3, 1000",
    "0e9, 0",
    "1e-3, 0.001",
    "1e900000000, 1E+900000000",
    "1e-900000000, 1E-900000000"
  })
  void plain_number_hasBoundedLength(String written, String plain) {
    assertThat(JsonColumns.plain(new BigDecimal(written))).isEqualTo(plain);
  }

  @Test
  void canonical_exponentOutOfRange_isText() {
    assertThat(JsonColumns.canonical("{\"b\":1e99999999999,\"a\":2.0}"))
        .isEqualTo("{\"a\":2,\"b\":\"1e99999999999\"}");
  }

  @Test
  void canonicalMatch_numbersAndBooleans_areSortedTexts() {
    assertThat(JsonColumns.canonicalMatch("{\"t\":[1.10,true],\"header:x\":1.10,\"jwt:l\":1.0}"))
        .isEqualTo("{\"header:x\":\"1.10\",\"jwt:l\":[\"1.0\",\"1\"],\"t\":[\"1.10\",\"true\"]}");
    assertThat(JsonColumns.canonicalMatch("{}")).isEqualTo("{}");
  }
}
