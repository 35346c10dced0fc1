package io.penstock.inprocess;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs a test program in a separate JVM, and parses the figures that it prints. */
public final class Fork {
  private final Map<String, Long> figures = new HashMap<>();
  private final StringBuilder output = new StringBuilder();

  private Fork() {}

  /** Returns the figures of a program that must exit without an error. */
  public static Fork run(String option, Class<?> main, String... args) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", option));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(args));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    Fork fork = new Fork();
    try (BufferedReader reader = process.inputReader()) {
      reader.lines().forEach(fork::read);
    }
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).as("%s", fork.output).isZero();
    return fork;
  }

  private void read(String line) {
    output.append(line).append('\n');
    String[] parts = line.split("=", 2);
    if (parts.length == 2 && parts[1].matches("-?\\d+")) {
      figures.put(parts[0], Long.parseLong(parts[1]));
    }
  }

  public long figure(String name) {
    assertThat(figures).as("%s", output).containsKey(name);
    return figures.get(name);
  }
}
