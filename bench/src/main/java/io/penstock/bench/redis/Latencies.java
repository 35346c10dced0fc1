package io.penstock.bench.redis;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** The latencies of requests, with an error below 1 %. Not thread-safe. */
final class Latencies {
  /** Two significant digits: 128 buckets for each power of two. */
  private static final int DIGITS = 2;

  private final Histogram nanos;

  /** Takes little memory until the first latency is added. */
  Latencies() {
    this(new Histogram(DIGITS));
  }

  private Latencies(Histogram nanos) {
    this.nanos = nanos;
    nanos.setAutoResize(true);
  }

  void add(long latencyNanos) {
    nanos.recordValue(latencyNanos);
  }

  Latencies plus(Latencies other) {
    Latencies sum = new Latencies(nanos.copy());
    sum.nanos.add(other.nanos);
    return sum;
  }

  long count() {
    return nanos.getTotalCount();
  }

  double micros(double percentile) {
    return nanos.getValueAtPercentile(percentile) / 1e3;
  }

  /** Formats the latencies as a word without spaces. */
  String toWord() {
    ByteBuffer bytes = ByteBuffer.allocate(nanos.getNeededByteBufferCapacity());
    int length = nanos.encodeIntoCompressedByteBuffer(bytes);
    return Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), length));
  }

  static Latencies ofWord(String word) {
    try {
      ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(word));
      return new Latencies(Histogram.decodeFromCompressedByteBuffer(bytes, 0));
    } catch (DataFormatException invalid) {
      throw new IllegalArgumentException("not a histogram: " + word, invalid);
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Latencies latencies && nanos.equals(latencies.nanos);
  }

  @Override
  public int hashCode() {
    return nanos.hashCode();
  }

  @Override
  public String toString() {
    return count() + " latencies";
  }
}
