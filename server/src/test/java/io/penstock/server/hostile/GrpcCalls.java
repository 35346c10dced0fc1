package io.penstock.server.hostile;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.google.protobuf.UInt64Value;
import io.penstock.server.envoy.proto.common.RateLimitDescriptor;
import io.penstock.server.envoy.proto.service.RateLimitRequest;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;

/** Random heads and messages of gRPC calls. */
final class GrpcCalls {
  private static final String LIMIT =
      "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
  private static final String[] PATHS = {
    LIMIT,
    "/envoy.service.auth.v3.Authorization/Check",
    "/grpc.health.v1.Health/Check",
    "/grpc.health.v1.Health/Watch",
    "/envoy.service.ratelimit.v3.RateLimitService/Other",
    "/none.Service/Method",
    "/",
    "/a",
    "//",
    "*"
  };
  private static final String[] TYPES = {
    "application/grpc",
    "application/grpc+proto",
    "application/grpc+json",
    "application/grpc-web",
    "application/grpc-web-text",
    "application/json",
    "application/grpc; charset=x",
    "application/grpcx"
  };
  private static final String[] TIMEOUTS = {"10S", "1n", "0u", "99999999H", "x", "", "-1S"};
  private static final String[] ENCODINGS = {"identity", "gzip", "deflate", "none", ""};
  private static final String[] NAMES = {"user", "", "x", "\u0000", "\ud83d\ude00"};
  private static final int MAX_ENTRIES = 4;

  private GrpcCalls() {}

  /** Returns the fields of a head. Half of the heads are those of a valid call. */
  static String[] head(Random random) {
    boolean valid = random.nextBoolean();
    String path = valid ? LIMIT : one(random, PATHS);
    return new String[] {
      ":method",
      valid || random.nextInt(4) > 0 ? "POST" : "GET",
      ":scheme",
      "http",
      ":path",
      path,
      ":authority",
      "a",
      "content-type",
      valid ? TYPES[0] : one(random, TYPES),
      "te",
      valid || random.nextInt(4) > 0 ? "trailers" : "gzip",
      "grpc-timeout",
      valid ? TIMEOUTS[0] : one(random, TIMEOUTS),
      "grpc-encoding",
      valid ? ENCODINGS[0] : one(random, ENCODINGS)
    };
  }

  /** Returns whether calls with this head end by themselves, unlike those that wait for changes. */
  static boolean ends(String[] head) {
    return !head[5].equals(PATHS[3]);
  }

  /** Returns the content of a call: a message with its prefix, parts of one, or several. */
  static byte[] content(Random random) {
    byte[] message = message(random);
    if (random.nextInt(3) == 0 && message.length > 0) {
      message[random.nextInt(message.length)] = (byte) random.nextInt(256);
    }
    byte[] framed = framed(0, message.length, message);
    return switch (random.nextInt(8)) {
      case 0 -> framed(random.nextInt(256), message.length, message);
      case 1 -> framed(0, random.nextInt(), message);
      case 2 -> framed(0, message.length + 1 - random.nextInt(3), message);
      case 3 -> Arrays.copyOf(framed, random.nextInt(framed.length));
      case 4 -> ByteBuffer.allocate(2 * framed.length).put(framed).put(framed).array();
      default -> framed;
    };
  }

  private static byte[] framed(int compressed, int length, byte[] message) {
    return ByteBuffer.allocate(5 + message.length)
        .put((byte) compressed)
        .putInt(length)
        .put(message)
        .array();
  }

  private static byte[] message(Random random) {
    RateLimitRequest.Builder request =
        RateLimitRequest.newBuilder()
            .setDomain(random.nextInt(4) > 0 ? "shop" : one(random, NAMES))
            .setHitsAddend(random.nextInt(4) > 0 ? 0 : random.nextInt());
    int descriptors = random.nextInt(40) == 0 ? random.nextInt(300) : random.nextInt(4);
    for (int i = 0; i < descriptors; i++) {
      RateLimitDescriptor.Builder descriptor = RateLimitDescriptor.newBuilder();
      for (int j = random.nextInt(MAX_ENTRIES); j > 0; j--) {
        descriptor.addEntries(
            RateLimitDescriptor.Entry.newBuilder()
                .setKey(one(random, NAMES))
                .setValue("v".repeat(random.nextInt(40))));
      }
      if (random.nextInt(4) == 0) {
        descriptor
            .setHitsAddend(UInt64Value.of(random.nextLong() >> random.nextInt(64)))
            .setIsNegativeHits(random.nextBoolean());
      }
      request.addDescriptors(descriptor);
    }
    return random.nextInt(10) == 0
        ? "x".repeat(random.nextInt(150_000)).getBytes(ISO_8859_1)
        : request.build().toByteArray();
  }

  private static String one(Random random, String... of) {
    return of[random.nextInt(of.length)];
  }
}
