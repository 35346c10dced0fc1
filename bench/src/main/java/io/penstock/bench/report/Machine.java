package io.penstock.bench.report;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Describes the machine, its settings and the versions of a run. */
public final class Machine {
  private static final Path CPU_INFO = Path.of("/proc/cpuinfo");

  /** A setting of the kernel that affects results. */
  private record KernelSetting(String name, String file) {
    /** Returns the name and the value; empty if the kernel does not have the setting. */
    Stream<String> describe() {
      // A file of /proc/sys must be read at once, and readString does not.
      try (Stream<String> lines = Files.lines(Path.of(file))) {
        return lines.findFirst().map(value -> name + " " + value).stream();
      } catch (IOException unknown) {
        return Stream.of();
      }
    }
  }

  private static final List<KernelSetting> SETTINGS =
      List.of(
          new KernelSetting(
              "clock source", "/sys/devices/system/clocksource/clocksource0/current_clocksource"),
          new KernelSetting(
              "CPU governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
          new KernelSetting(
              "transparent huge pages", "/sys/kernel/mm/transparent_hugepage/enabled"),
          new KernelSetting("overcommit_memory", "/proc/sys/vm/overcommit_memory"),
          new KernelSetting("somaxconn", "/proc/sys/net/core/somaxconn"),
          new KernelSetting("TCP", "/proc/sys/net/ipv4/tcp_congestion_control"));

  private Machine() {}

  public static String describe() {
    return """
    machine:  %s, %s %s
    kernel:   %s
    java:     %s
    heaps:    in process G1 and 2 GB, ParallelGC where stated; processes on Redis G1 and 256 to 512 MB;
              servers G1 and 256 MB
    versions: %s
    """
        .formatted(
            name(),
            System.getProperty("os.name"),
            System.getProperty("os.version"),
            SETTINGS.stream().flatMap(KernelSetting::describe).collect(joining(", ")),
            java(),
            versions());
  }

  /** Returns the processor and the number of cores. */
  static String name() {
    return processor() + ", " + Runtime.getRuntime().availableProcessors() + " cores";
  }

  static String java() {
    return System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version");
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
      versions.load(Objects.requireNonNull(file, "versions.properties"));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    return new TreeSet<>(versions.stringPropertyNames())
        .stream().map(name -> name + " " + versions.getProperty(name)).collect(joining(", "));
  }
}
