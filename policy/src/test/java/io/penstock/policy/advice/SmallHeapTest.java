package io.penstock.policy.advice;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.Attribute;
import io.penstock.policy.KeyPart;
import io.penstock.policy.Policy;
import io.penstock.policy.accesslog.LogFields;
import io.penstock.policy.accesslog.LogOptions;
import io.penstock.policy.accesslog.LogSource;
import io.penstock.policy.accesslog.LogStream;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.policy.replay.Replay;
import io.penstock.policy.replay.ReplayText;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Memory depends on the number of keys only, however long the lines are. */
class SmallHeapTest {
  private static final int LINES = Boolean.getBoolean("penstock.full") ? 400_000 : 60_000;

  @TempDir Path folder;

  /** Paths of 8 KB, 20,000 a second, each of which is an endpoint of its own. */
  private static final class LongPaths extends InputStream {
    private static final String LETTERS = "abcdefghijklmnop";

    private final byte[] tail = ("/" + "x".repeat(8_000) + "\n").getBytes(US_ASCII);
    private byte[] line = "time,ip,path\n".getBytes(US_ASCII);
    private int at;
    private int number;

    @Override
    public int read() {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0];
    }

    @Override
    public int read(byte[] bytes, int from, int length) {
      if (at == line.length) {
        if (number == LINES) {
          return -1;
        }
        line = next();
        at = 0;
      }
      int count = Math.min(length, line.length - at);
      System.arraycopy(line, at, bytes, from, count);
      at += count;
      return count;
    }

    private byte[] next() {
      StringBuilder text = new StringBuilder();
      text.append("17600000%02d.%03d,192.0.2.1,/".formatted(number / 20_000, number / 20 % 1_000));
      for (int rest = number++; rest > 0; rest >>= 4) {
        text.append(LETTERS.charAt(rest & 15));
      }
      byte[] head = text.toString().getBytes(US_ASCII);
      byte[] whole = Arrays.copyOf(head, head.length + tail.length);
      System.arraycopy(tail, 0, whole, head.length, tail.length);
      return whole;
    }
  }

  /** Runs in a process with a small heap. */
  static final class SmallProcess {
    private SmallProcess() {}

    public static void main(String[] arguments) {
      Policy policy =
          PolicyLoader.parse(
                  "rules: [{name: all, limit_keys: ['ip:address'], rate: 1/s, burst: 10}]", "p")
              .policy();
      ReplayText.lines(new Replay("p", policy).run(log(Replay.attributes(policy))))
          .forEach(System.out::println);
      for (boolean isFolded : new boolean[] {true, false}) {
        AdviceOptions options =
            new AdviceOptions(
                List.of(KeyPart.parse("ip:address")),
                List.of(Attribute.parse("path")),
                99,
                3,
                new PathFolding(isFolded, List.of()));
        AdviceText.lines(new Advisor(options).run(log(options.attributes())))
            .forEach(System.out::println);
      }
    }

    private static LogStream log(Collection<Attribute> attributes) {
      return new LogStream(
          List.of(LogSource.of("log", new LongPaths())),
          LogOptions.of(new LogFields(attributes, Map.of())));
    }
  }

  @Test
  void commands_linesOf8Kilobytes_needASmallHeap() throws Exception {
    Path output = folder.resolve("output");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx160m",
                "-Dpenstock.full=" + Boolean.getBoolean("penstock.full"),
                "-cp",
                System.getProperty("java.class.path"),
                SmallProcess.class.getName())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(process.waitFor(10, TimeUnit.MINUTES)).isTrue();
    } finally {
      process.destroyForcibly();
    }

    assertThat(process.exitValue()).as(Files.readString(output)).isZero();
    assertThat(output).content().contains(" of %,d requests denied".formatted(LINES));
  }
}
