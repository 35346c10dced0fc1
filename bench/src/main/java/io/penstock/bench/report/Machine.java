package io.penstock.bench.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Describes the machine and the versions of a run. */
public final class Machine {
  private static final Path CPU_INFO = Path.of("/proc/cpuinfo");

  private Machine() {}

  public static String describe() {
    return """
    machine:  %s, %d cores, %s %s
    java:     %s %s
    versions: %s
    """
        .formatted(
            processor(),
            Runtime.getRuntime().availableProcessors(),
            System.getProperty("os.name"),
            System.getProperty("os.version"),
            System.getProperty("java.vm.name"),
            System.getProperty("java.runtime.version"),
            versions());
  }

  private static String processor() {
    if (!Files.isReadable(CPU_INFO)) {
      return System.getProperty("os.arch");
    }
    try (Stream<String> lines = Files.lines(CPU_INFO)) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(System.getProperty("os.arch"));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private static String versions() {
    Properties versions = new Properties();
    try (InputStream file = Machine.class.getResourceAsStream("/versions.properties")) {
      versions.load(file);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    return new TreeSet<>(versions.stringPropertyNames())
        .stream()
            .map(name -> name + " " + versions.getProperty(name))
            .collect(Collectors.joining(", "));
  }
}
