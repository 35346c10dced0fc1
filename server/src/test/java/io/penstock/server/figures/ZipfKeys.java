package io.penstock.server.figures;

import java.util.Random;

/** Random keys for tests. */
final class ZipfKeys {
  private ZipfKeys() {}

  /** Returns the rank of a key from 1 to {@code keys}, with a power law of the given exponent. */
  static int zipf(Random random, int keys, double exponent) {
    double share = random.nextDouble();
    double rank =
        exponent == 1
            ? Math.pow(keys + 1.0, share)
            : Math.pow(1 + share * (Math.pow(keys + 1.0, 1 - exponent) - 1), 1 / (1 - exponent));
    return (int) Math.min(keys, rank);
  }
}
