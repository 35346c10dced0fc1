package io.penstock.redis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What this node has granted from one window recently, whether Redis decided or the copy: the sum
 * for each of a few slices of time. Not thread-safe.
 */
final class WindowGrants {
  private final long sliceMicros;

  /** The amounts in thousandths of a token, by the number of the slice modulo the length. */
  private final long[] amounts;

  private long newestSlice;
  private long countedTwice;

  /** The sum of the grants in a slice, which starts at a time of the server's clock. */
  record Slice(long startMicros, long thousandths) {}

  /**
   * @param slices the number of slices that are kept
   */
  WindowGrants(long sliceMicros, int slices) {
    this.sliceMicros = sliceMicros;
    this.amounts = new long[slices];
  }

  boolean hasSlices(long otherMicros, int slices) {
    return sliceMicros == otherMicros && amounts.length == slices;
  }

  /** Counts a grant at a time of the server's clock. */
  void add(long micros, long thousandths) {
    long slice = Math.floorDiv(micros, sliceMicros);
    if (Math.abs(slice - newestSlice) >= amounts.length) {
      Arrays.fill(amounts, 0);
      newestSlice = slice;
    }
    while (newestSlice < slice) {
      newestSlice++;
      amounts[indexOf(newestSlice)] = 0;
    }
    amounts[indexOf(slice)] += thousandths;
  }

  /**
   * Removes a grant that was counted a moment ago.
   *
   * @return what remains in the slice at the given time
   */
  long remove(long micros, long thousandths) {
    long slice = Math.floorDiv(micros, sliceMicros);
    if (slice != newestSlice) {
      return 0;
    }
    int index = indexOf(slice);
    amounts[index] = Math.max(0, amounts[index] - thousandths);
    return amounts[index];
  }

  private int indexOf(long slice) {
    return Math.floorMod(slice, amounts.length);
  }

  /** Called when Redis has granted what the copy has granted already. */
  void addCountedTwice(long thousandths) {
    countedTwice += thousandths;
  }

  /** Returns the part of a grant by Redis that the copy has not granted already. */
  long uncounted(long thousandths) {
    long known = Math.min(countedTwice, thousandths);
    countedTwice -= known;
    return thousandths - known;
  }

  /** Returns the arguments of the script that report grants, which are oldest first. */
  static long[] arguments(List<Slice> grants) {
    long[] arguments = new long[1 + 2 * grants.size()];
    arguments[0] = grants.size();
    for (int i = 0; i < grants.size(); i++) {
      arguments[1 + 2 * i] = grants.get(i).startMicros();
      arguments[2 + 2 * i] = grants.get(i).thousandths();
    }
    return arguments;
  }

  /** Whether all grants are older than the slices that are kept. */
  boolean areOverAt(long micros) {
    return Math.floorDiv(micros, sliceMicros) - newestSlice >= amounts.length;
  }

  /** The slices with grants, oldest first. */
  List<Slice> slices() {
    List<Slice> slices = new ArrayList<>();
    for (long slice = newestSlice - amounts.length + 1; slice <= newestSlice; slice++) {
      long amount = amounts[indexOf(slice)];
      if (amount > 0) {
        slices.add(new Slice(slice * sliceMicros, amount));
      }
    }
    return slices;
  }
}
