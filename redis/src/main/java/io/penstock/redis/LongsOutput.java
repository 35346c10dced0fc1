package io.penstock.redis;

import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.output.CommandOutput;

/** A reply of integers that is decoded without allocating an object for each. */
final class LongsOutput extends CommandOutput<byte[], byte[], long[]> {
  private int size;

  LongsOutput(RedisCodec<byte[], byte[]> codec) {
    super(codec, new long[0]);
  }

  @Override
  public void multi(int count) {
    output = new long[count];
  }

  @Override
  public void set(long integer) {
    output[size++] = integer;
  }
}
