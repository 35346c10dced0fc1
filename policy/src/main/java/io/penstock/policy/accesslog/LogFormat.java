package io.penstock.policy.accesslog;

import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The formats of access logs. */
public enum LogFormat {
  JSON("JSON objects with a time, as nginx, Envoy and Caddy write them", JsonFormat::new),
  CLOUDFRONT("CloudFront or another log with a #Fields line", ColumnFormat::extended),
  ALB("AWS Application Load Balancer", LoadBalancerFormat::new),
  HAPROXY("HAProxy (option httplog)", fields -> new HaproxyFormat()),
  COMBINED("common or combined log", CommonFormat::new),
  CSV("CSV whose first line names the columns, one of them time", ColumnFormat::csv);

  private final String description;

  @SuppressWarnings("ImmutableEnumChecker") // All factories are stateless.
  private final Function<LogFields, LineFormat> factory;

  LogFormat(String description, Function<LogFields, LineFormat> factory) {
    this.description = description;
    this.factory = factory;
  }

  LineFormat create(LogFields fields) {
    return factory.apply(fields);
  }

  /** Returns whether lines can be read without a header before them. */
  boolean isStateless() {
    return this != CLOUDFRONT && this != CSV;
  }

  /** Returns a list of all formats with their descriptions. */
  public static String list() {
    return Arrays.stream(values())
        .map(format -> "  " + format + ": " + format.description)
        .collect(Collectors.joining("\n"));
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
