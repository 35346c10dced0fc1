package io.penstock.policy.http;

/**
 * Header fields on their way to a sink. Belongs to one verdict.
 *
 * <p>They are gathered so that one place calls the sink. A compiler puts all that a container does
 * for a field into each place that adds one, and that five times over is more code than the first
 * cache of a processor holds.
 */
final class HeaderFields {
  /** The triple, the two of the draft, and the two of denials. */
  private static final int MOST = 7;

  private final String[] names = new String[MOST];
  private final String[] values = new String[MOST];
  private int size;

  void add(String name, String value) {
    names[size] = name;
    values[size] = value;
    size++;
  }

  void addTo(HeaderSink sink) {
    for (int i = 0; i < size; i++) {
      sink.add(names[i], values[i]);
    }
  }
}
