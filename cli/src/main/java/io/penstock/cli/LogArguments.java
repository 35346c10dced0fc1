package io.penstock.cli;

import io.penstock.policy.Attribute;
import io.penstock.policy.accesslog.LogFields;
import io.penstock.policy.accesslog.LogFormat;
import io.penstock.policy.accesslog.LogOptions;
import io.penstock.policy.accesslog.LogSource;
import io.penstock.policy.accesslog.LogStream;
import io.penstock.policy.accesslog.SafeText;
import io.penstock.policy.report.HtmlPage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The arguments of commands that read access logs. */
final class LogArguments {
  private static final String STANDARD_INPUT = "-";
  private static final int MAX_WINDOW_SECONDS = 86_400;

  @Parameters(
      paramLabel = "LOG",
      arity = "0..*",
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
      description = "Shows the progress on standard error. Default: if that is a terminal")
  private boolean progress;

  /**
   * Returns the logs, which are not opened yet.
   *
   * @throws IllegalArgumentException if an argument is invalid
   */
  LogStream open(Collection<Attribute> wanted, InputStream in) {
    return open(wanted, sources(in));
  }

  /** Returns a log that is none of the arguments. */
  LogStream open(Collection<Attribute> wanted, LogSource source) {
    return open(wanted, List.of(source));
  }

  private LogStream open(Collection<Attribute> wanted, List<LogSource> sources) {
    if (!(windowSeconds >= 0 && windowSeconds <= MAX_WINDOW_SECONDS)) {
      throw new IllegalArgumentException(
          "--window must be from 0 to " + MAX_WINDOW_SECONDS + " seconds: " + windowSeconds);
    }
    LogFields logFields = parsed("--field", fields, each -> new LogFields(wanted, each));
    Duration window = Duration.ofMillis(Math.round(windowSeconds * 1_000));
    return new LogStream(sources, new LogOptions(logFormat, logFields, window));
  }

  /**
   * Checks that there are logs, or that there are none because another option replaces them.
   *
   * @throws IllegalArgumentException if not
   */
  void checkSources(boolean isReplaced, String option) {
    if (isReplaced && !logs.isEmpty()) {
      throw new IllegalArgumentException(option + " can't be combined with logs: " + logs.get(0));
    }
    if (!isReplaced && logs.isEmpty()) {
      throw new IllegalArgumentException("name a log, or - to read standard input");
    }
  }

  private List<LogSource> sources(InputStream in) {
    List<LogSource> sources = new ArrayList<>();
    Set<Object> given = new HashSet<>();
    for (String log : logs) {
      sources.add(
          log.equals(STANDARD_INPUT)
              ? LogSource.of("standard input", in)
              : LogSource.of(Path.of(log)));
      if (!given.add(log.equals(STANDARD_INPUT) ? log : identity(Path.of(log)))) {
        throw new IllegalArgumentException(
            log + " is given twice, so all of its requests would count twice");
      }
    }
    return sources;
  }

  /** Returns an object that is equal for all names of a file. */
  private static Object identity(Path file) {
    try {
      Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
      return key == null ? file.toRealPath() : key;
    } catch (IOException e) {
      throw new IllegalArgumentException(file + ": cannot be read: " + e.getMessage(), e);
    }
  }

  /** Parses the value of an option and names it in the message if the value is invalid. */
  static <T, R> R parsed(String option, T value, Function<T, R> parser) {
    try {
      return parser.apply(value);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(option + " " + e.getMessage(), e);
    }
  }

  /**
   * Checks that a report can be written and replaces no file but a previous report.
   *
   * @param html the report; may be null
   * @param others further files that the report must not replace
   * @throws IllegalArgumentException if it can't be written
   */
  void checkReport(@Nullable Path html, Stream<Path> others) {
    if (html == null) {
      return;
    }
    checkOutput("--html", html, others);
    try {
      if (Files.isRegularFile(html) && Files.size(html) > 0 && !HtmlPage.isPage(html)) {
        throw new IllegalArgumentException(
            "--html would overwrite " + html + ", which is not a report");
      }
    } catch (IOException e) {
      throw new IllegalArgumentException("--html: cannot read " + html, e);
    }
  }

  /**
   * Checks, before a log is read, that a file can be written and is none of those that are read.
   *
   * @param others further files that must not be replaced
   * @throws IllegalArgumentException if it can't be written
   */
  void checkOutput(String option, Path output, Stream<Path> others) {
    Path folder = output.toAbsolutePath().getParent();
    if (Files.isDirectory(output)) {
      throw new IllegalArgumentException(option + ": " + output + " is a directory");
    }
    if (folder != null && !Files.isDirectory(folder)) {
      throw new IllegalArgumentException(option + ": there is no directory " + folder);
    }
    if (!Files.isWritable(Files.exists(output) || folder == null ? output : folder)) {
      throw new IllegalArgumentException(option + ": " + output + " is not writable");
    }
    Stream<Path> read = logs.stream().filter(log -> !log.equals(STANDARD_INPUT)).map(Path::of);
    Stream.concat(read, others)
        .filter(file -> isSame(file, output))
        .findFirst()
        .ifPresent(
            file -> {
              throw new IllegalArgumentException(option + " would overwrite " + file);
            });
  }

  private static boolean isSame(Path a, Path b) {
    return a.toAbsolutePath().normalize().equals(b.toAbsolutePath().normalize())
        || (Files.exists(a) && Files.exists(b) && identity(a).equals(identity(b)));
  }

  /** Makes a message printable that may quote file names or arguments. */
  static String printable(Exception failure) {
    return String.valueOf(failure.getMessage())
        .lines()
        .map(SafeText::of)
        .collect(Collectors.joining("\n"));
  }

  /**
   * Returns a progress bar, which shows nothing if standard error is not a terminal.
   *
   * @param after describes what happens once the log is read; empty as long as it isn't
   */
  ProgressBar progress(LogStream log, Console console, Supplier<String> after) {
    return new ProgressBar(log, console, progress || console.isErrorShown(), after);
  }
}
