package io.penstock.policy.advice;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * Generates the log in {@code docs/examples/access-log.txt}: 200 visitors of a shop in half an
 * hour, a few of them with many requests, and a program that guesses passwords.
 */
final class SampleLog {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ENGLISH)
          .withZone(ZoneOffset.UTC);
  private static final Instant START = Instant.parse("2025-10-10T13:00:00Z");
  private static final int SECONDS = 1_800;
  private static final int VISITORS = 200;

  private record SampleRequest(int second, String address, String request, int status) {
    String line() {
      return "%s - - [%s] \"%s HTTP/1.1\" %d 512 \"-\" \"sample\""
          .formatted(address, TIME.format(START.plusSeconds(second)), request, status);
    }
  }

  private SampleLog() {}

  static String text() {
    Random random = new Random(32);
    List<SampleRequest> all = new ArrayList<>();
    for (int visitor = 1; visitor <= VISITORS; visitor++) {
      String address = "198.51.100." + visitor;
      int pages = 1 + random.nextInt(5);
      int second = random.nextInt(SECONDS - 200);
      for (int page = 0; page < pages; page++) {
        all.add(new SampleRequest(second, address, "GET /products/" + random.nextInt(500), 200));
        for (int i = random.nextInt(4); i >= 0; i--) {
          all.add(new SampleRequest(second, address, "GET /api/stock", 200));
        }
        second += 5 + random.nextInt(30);
      }
    }
    for (int i = 0; i < 600; i++) {
      all.add(new SampleRequest(300 + i / 2, "203.0.113.9", "POST /login", 401));
    }
    for (int i = 0; i < 250; i++) {
      all.add(new SampleRequest(900 + i * 3, "192.0.2.77", "GET /api/stock", 200));
    }
    all.sort(Comparator.comparingInt(SampleRequest::second));
    return all.stream().map(SampleRequest::line).collect(Collectors.joining("\n", "", "\n"));
  }
}
