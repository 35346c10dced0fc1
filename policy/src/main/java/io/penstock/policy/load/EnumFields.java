package io.penstock.policy.load;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/** Maps the allowed values of fields to constants. */
final class EnumFields {
  private EnumFields() {}

  /** Maps constants by their names in lower case. */
  static <E extends Enum<E>> Map<String, E> of(E[] values) {
    return of(values, value -> value.name().toLowerCase(Locale.ROOT));
  }

  static <E> Map<String, E> of(E[] values, Function<E, String> code) {
    Map<String, E> choices = new LinkedHashMap<>();
    for (E value : values) {
      choices.put(code.apply(value), value);
    }
    return Collections.unmodifiableMap(choices);
  }
}
