package io.penstock.policy.accesslog;

import io.penstock.policy.Attribute;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The fields to read from log lines: those of every request, and the attributes that a policy or a
 * key refers to. Immutable.
 *
 * <p>A field has a slot, and may appear in logs under several names. If a line has several of them,
 * the one with the lowest rank counts.
 */
public final class LogFields {
  static final int UNKNOWN = -1;
  private static final int RANK_BITS = 8;
  private static final int FIXED = LogField.values().length;

  private final List<Attribute> attributes;
  private final int mask;
  private final byte[] @Nullable [] names;
  private final int[] codes;

  /**
   * @param wanted the attributes to read; those of every request may be omitted
   * @param overrides names of fields in the log, by {@code time}, {@code count}, {@code status} or
   *     an attribute; they replace all other names of the field
   */
  public LogFields(Collection<Attribute> wanted, Map<String, String> overrides) {
    LinkedHashSet<Attribute> all = new LinkedHashSet<>(wanted);
    overrides.keySet().stream()
        .filter(name -> fixed(name) == null)
        .map(Attribute::parse)
        .forEach(all::add);
    all.removeIf(attribute -> fixed(attribute.toString()) != null);
    this.attributes = List.copyOf(all);
    Map<String, Integer> slots = slots(overrides);
    int size = Integer.highestOneBit(Math.max(8, 4 * slots.size())) << 1;
    this.mask = size - 1;
    this.names = new byte[size][];
    this.codes = new int[size];
    slots.forEach((name, code) -> put(name.getBytes(StandardCharsets.UTF_8), code));
  }

  /** Returns the fields that every request has, and no others. */
  public static LogFields basic() {
    return new LogFields(List.of(), Map.of());
  }

  private static @Nullable LogField fixed(String name) {
    return switch (name) {
      case "time" -> LogField.TIME;
      case "count" -> LogField.COUNT;
      case "status" -> LogField.STATUS;
      case "ip:address" -> LogField.ADDRESS;
      case "method" -> LogField.METHOD;
      case "path" -> LogField.TARGET;
      case "host" -> LogField.HOST;
      default -> null;
    };
  }

  private Map<String, Integer> slots(Map<String, String> overrides) {
    Map<String, Integer> slots = new HashMap<>();
    for (int i = 0; i < attributes.size(); i++) {
      String override = overrides.get(attributes.get(i).toString());
      add(
          override == null ? names(attributes.get(i)) : List.of(override),
          FIXED + i,
          override != null,
          slots);
    }
    for (LogField field : LogField.values()) {
      String override =
          overrides.entrySet().stream()
              .filter(each -> fixed(each.getKey()) == field)
              .map(Map.Entry::getValue)
              .findFirst()
              .orElse(null);
      add(
          override == null ? field.names() : List.of(override),
          field.slot(),
          override != null,
          slots);
    }
    return slots;
  }

  private static void add(
      List<String> names, int slot, boolean isOverride, Map<String, Integer> slots) {
    for (int rank = 0; rank < names.size(); rank++) {
      int code = slot << RANK_BITS | rank;
      String name = names.get(rank).toLowerCase(Locale.ROOT);
      if (isOverride) {
        slots.put(name, code);
      } else {
        slots.putIfAbsent(name, code);
      }
    }
  }

  /** Returns the names under which servers log an attribute. */
  private static List<String> names(Attribute attribute) {
    String name = attribute.name();
    String underscored = name.replace('-', '_');
    List<String> names = new ArrayList<>(List.of(attribute.toString()));
    switch (attribute.source()) {
      case HEADER -> {
        names.add("request.headers." + name);
        names.add("http_" + underscored);
        names.add("cs(" + name + ")");
        names.add(name);
        names.add(underscored);
      }
      case COOKIE -> names.add("cookie_" + name);
      case CLAIM, STATED -> names.add(name);
      case QUERY -> names.add("arg_" + name);
      case ADDRESS, METHOD, PATH, HOST -> {}
    }
    return names;
  }

  private void put(byte[] name, int code) {
    int at = hash(name, 0, name.length) & mask;
    while (names[at] != null) {
      at = (at + 1) & mask;
    }
    names[at] = name;
    codes[at] = code;
  }

  /** Returns the slot and rank of a name, whose letters are lower case; or {@link #UNKNOWN}. */
  int code(byte[] text, int from, int to) {
    int at = hash(text, from, to) & mask;
    for (byte[] name = names[at]; name != null; name = names[at]) {
      if (Arrays.equals(name, 0, name.length, text, from, to)) {
        return codes[at];
      }
      at = (at + 1) & mask;
    }
    return UNKNOWN;
  }

  int code(String name) {
    byte[] text = name.toLowerCase(Locale.ROOT).getBytes(StandardCharsets.UTF_8);
    return code(text, 0, text.length);
  }

  static int slot(int code) {
    return code >> RANK_BITS;
  }

  static int rank(int code) {
    return code & ((1 << RANK_BITS) - 1);
  }

  static int code(LogField field) {
    return field.slot() << RANK_BITS;
  }

  int slots() {
    return FIXED + attributes.size();
  }

  int attributeCount() {
    return attributes.size();
  }

  static int attributeSlot(int index) {
    return FIXED + index;
  }

  /** Returns the index of the attribute; negative if it isn't read. */
  int index(Attribute.AttributeSource source, String name) {
    for (int i = 0; i < attributes.size(); i++) {
      Attribute attribute = attributes.get(i);
      if (attribute.source() == source && attribute.name().equals(name)) {
        return i;
      }
    }
    return -1;
  }

  private static int hash(byte[] text, int from, int to) {
    int hash = to - from;
    for (int i = from; i < to; i++) {
      hash = hash * 31 + text[i];
    }
    return hash ^ hash >>> 15;
  }
}
