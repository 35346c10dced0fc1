package io.penstock.bench.logs;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * A combined log of many clients, the same one in every run: a few clients send much, most send
 * little, and a third of the paths contain ids. Not thread-safe.
 */
final class CombinedLog {
  private static final long SEED = 0x9e3779b97f4a7c15L;
  private static final int BUFFER = 1 << 20;
  private static final int LINES_PER_SECOND = 400;
  private static final Instant START = Instant.parse("2025-10-10T00:00:00Z");
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ROOT).withZone(ZoneOffset.UTC);
  private static final byte[][] REQUESTS =
      texts(
          "GET / HTTP/1.1",
          "GET /search?q=shoes HTTP/1.1",
          "GET /products/# HTTP/2.0",
          "GET /static/app.css HTTP/2.0",
          "GET /static/app.js HTTP/2.0",
          "GET /api/stock HTTP/1.1",
          "POST /login HTTP/1.1",
          "POST /cart/#/items HTTP/1.1",
          "HEAD /health HTTP/1.1",
          "GET /users/#/orders HTTP/1.1");
  private static final byte[][] AGENTS =
      texts(
          "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0",
          "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)"
              + " Chrome/140.0.0.0 Safari/537.36",
          "curl/8.5.0");

  /** Stands for a number. */
  private static final byte ID = '#';

  private static final byte[] USER = " - - [".getBytes(US_ASCII);
  private static final byte[] REQUEST = "] \"".getBytes(US_ASCII);
  private static final byte[] REFERRER = " \"-\" \"".getBytes(US_ASCII);
  private static final byte[] STATUS = "\" 200 ".getBytes(US_ASCII);
  private static final byte[] END = "\"\n".getBytes(US_ASCII);

  private final SplittableRandom random = new SplittableRandom(SEED);
  private final int clients;
  private byte[] time = {};

  /**
   * @param clients the number of different addresses
   */
  CombinedLog(int clients) {
    this.clients = clients;
  }

  private static byte[][] texts(String... texts) {
    byte[][] all = new byte[texts.length][];
    for (int i = 0; i < texts.length; i++) {
      all[i] = texts[i].getBytes(US_ASCII);
    }
    return all;
  }

  void write(long lines, OutputStream to) throws IOException {
    BufferedOutputStream out = new BufferedOutputStream(to, BUFFER);
    for (long i = 0; i < lines; i++) {
      if (i % LINES_PER_SECOND == 0) {
        time = TIME.format(START.plusSeconds(i / LINES_PER_SECOND)).getBytes(US_ASCII);
      }
      writeLine(out);
    }
    out.flush();
  }

  private void writeLine(OutputStream out) throws IOException {
    // Squared twice, so that one client in a hundred sends a third of the requests.
    double share = random.nextDouble();
    int client = (int) (share * share * share * share * clients);
    writeNumber(10, out);
    for (int shift = 16; shift >= 0; shift -= 8) {
      out.write('.');
      writeNumber((client >> shift) & 255, out);
    }
    out.write(USER);
    out.write(time);
    out.write(REQUEST);
    for (byte each : REQUESTS[random.nextInt(REQUESTS.length)]) {
      if (each == ID) {
        writeNumber(random.nextInt(50_000), out);
      } else {
        out.write(each);
      }
    }
    out.write(STATUS);
    writeNumber(200 + random.nextInt(20_000), out);
    out.write(REFERRER);
    out.write(AGENTS[client % AGENTS.length]);
    out.write(END);
  }

  private static void writeNumber(int number, OutputStream out) throws IOException {
    if (number >= 10) {
      writeNumber(number / 10, out);
    }
    out.write('0' + number % 10);
  }
}
