package io.penstock.cli;

import io.penstock.policy.Attribute;
import io.penstock.policy.accesslog.LogFields;
import io.penstock.policy.accesslog.LogFormat;
import io.penstock.policy.accesslog.LogOptions;
import io.penstock.policy.accesslog.LogSource;
import io.penstock.policy.accesslog.LogStream;
import io.penstock.policy.accesslog.SafeText;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The arguments of commands that read access logs. */
final class LogArguments {
  private static final String STANDARD_INPUT = "-";

  @Parameters(
      paramLabel = "LOG",
      arity = "1..*",
      description =
          "Access logs, also compressed with gzip or zstd; - reads standard input. Several logs are"
              + " merged by time.")
  private List<String> logs = new ArrayList<>();

  @Option(
      names = "--log-format",
      paramLabel = "FORMAT",
      description =
          "json, cloudfront, alb, haproxy, combined (also for common logs) or csv. Default: detected")
  private @Nullable LogFormat logFormat;

  @Option(
      names = "--field",
      paramLabel = "NAME=FIELD",
      description =
          "The field of the log that contains an attribute, such as user_id=uid, or time=when for the"
              + " time, or count=n for the number of requests. Can be repeated.")
  private Map<String, String> fields = new LinkedHashMap<>();

  @Option(
      names = "--window",
      paramLabel = "SECONDS",
      description = "By how much time lines can be out of order. Default: 10")
  private double windowSeconds = LogOptions.DEFAULT_WINDOW.toSeconds();

  @Option(
      names = "--progress",
      description = "Shows the progress on standard error. Default: if output goes to a terminal")
  private boolean progress;

  /**
   * @throws IllegalArgumentException if an argument is invalid
   */
  LogStream open(Collection<Attribute> wanted, InputStream in) {
    List<LogSource> sources =
        logs.stream()
            .map(
                log ->
                    log.equals(STANDARD_INPUT)
                        ? LogSource.of("standard input", in)
                        : LogSource.of(Path.of(log)))
            .toList();
    return new LogStream(
        sources,
        new LogOptions(
            logFormat,
            new LogFields(wanted, fields),
            Duration.ofMillis(Math.round(windowSeconds * 1_000))));
  }

  /**
   * Checks that a report doesn't replace one of the files that it is made from.
   *
   * @throws IllegalArgumentException if it does
   */
  void checkOutput(@Nullable Path output, Stream<@Nullable Path> otherFiles) {
    if (output == null) {
      return;
    }
    Stream<Path> read = logs.stream().filter(log -> !log.equals(STANDARD_INPUT)).map(Path::of);
    Stream.concat(read, otherFiles.filter(Objects::nonNull))
        .filter(
            file -> file.toAbsolutePath().normalize().equals(output.toAbsolutePath().normalize()))
        .findFirst()
        .ifPresent(
            file -> {
              throw new IllegalArgumentException("--html would overwrite " + file);
            });
  }

  /** Makes a message printable that may quote file names or arguments. */
  static String printable(Exception failure) {
    return String.valueOf(failure.getMessage())
        .lines()
        .map(SafeText::of)
        .collect(Collectors.joining("\n"));
  }

  /** Returns a progress bar, which shows nothing if output doesn't go to a terminal. */
  ProgressBar progress(LogStream log, Console console) {
    return new ProgressBar(log, console, progress || console.isInteractive());
  }
}
