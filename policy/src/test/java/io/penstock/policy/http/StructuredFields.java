package io.penstock.policy.http;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A strict parser for lists of strings with integer parameters (RFC 9651). */
final class StructuredFields {
  private final String text;
  private int at;

  record Item(String name, Map<String, Long> parameters) {}

  private StructuredFields(String text) {
    this.text = text;
  }

  static List<Item> parse(String text) {
    return new StructuredFields(text).list();
  }

  private List<Item> list() {
    List<Item> items = new ArrayList<>();
    items.add(item());
    while (at < text.length()) {
      expect(',');
      expect(' ');
      items.add(item());
    }
    return items;
  }

  private Item item() {
    String name = string();
    Map<String, Long> parameters = new LinkedHashMap<>();
    while (at < text.length() && text.charAt(at) == ';') {
      at++;
      String key = run("abcdefghijklmnopqrstuvwxyz");
      expect('=');
      String digits = run("0123456789");
      if (key.isEmpty() || digits.isEmpty() || digits.length() > 15) {
        throw new IllegalStateException("bad parameter before " + at + " in " + text);
      }
      parameters.put(key, Long.parseLong(digits));
    }
    return new Item(name, parameters);
  }

  private String string() {
    expect('"');
    StringBuilder name = new StringBuilder();
    for (char c = next(); c != '"'; c = next()) {
      if (c == '\\') {
        c = next();
        if (c != '"' && c != '\\') {
          throw new IllegalStateException("bad escape before " + at + " in " + text);
        }
      }
      if (c < 0x20 || c > 0x7e) {
        throw new IllegalStateException("not printable before " + at + " in " + text);
      }
      name.append(c);
    }
    return name.toString();
  }

  private String run(String of) {
    int start = at;
    while (at < text.length() && of.indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    return text.substring(start, at);
  }

  private char next() {
    return text.charAt(at++);
  }

  private void expect(char c) {
    if (next() != c) {
      throw new IllegalStateException("wanted " + c + " before " + at + " in " + text);
    }
  }
}
