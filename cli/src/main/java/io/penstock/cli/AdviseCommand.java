package io.penstock.cli;

import io.penstock.policy.Attribute;
import io.penstock.policy.KeyPart;
import io.penstock.policy.accesslog.AccessLogException;
import io.penstock.policy.accesslog.LogSource;
import io.penstock.policy.accesslog.LogStream;
import io.penstock.policy.advice.Advice;
import io.penstock.policy.advice.AdviceHtml;
import io.penstock.policy.advice.AdviceJson;
import io.penstock.policy.advice.AdviceOptions;
import io.penstock.policy.advice.AdvicePolicy;
import io.penstock.policy.advice.AdviceText;
import io.penstock.policy.advice.Advisor;
import io.penstock.policy.advice.PathFolding;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code penstock advise}. */
@Command(
    name = "advise",
    description =
        "Derives limits from an access log: the burst that callers need at each rate, and three"
            + " suggestions with the requests that they would have denied.",
    sortOptions = false,
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:limits are suggested",
      "1:a file can't be written, or a server is unreachable or rejects the request",
      "2:a log or an argument is invalid, the log has no requests, or a file exists"
    },
    footerHeading = "%nExample:%n",
    footer = "  penstock advise access.log --per endpoint --write limits.yaml")
final class AdviseCommand implements Callable<Integer> {
  private static final String ENDPOINT = "endpoint";

  private static final String ONLY_DENIALS =
      "note: violations contain only the requests that a rule would have denied, so a burst is what"
          + " the rule is short of: add it to the burst of the rule";

  private static final String AGGREGATED =
      "note: a record stands for the denials of a key within about a second, which count as"
          + " simultaneous";

  private final Console console;
  private final Map<String, String> variables;

  @Option(
      names = "--key",
      paramLabel = "KEY",
      description =
          "What identifies a caller, as in limit_keys. Can be repeated. Default: ip:address")
  private List<String> keys = new ArrayList<>();

  @Option(
      names = "--per",
      paramLabel = "ATTRIBUTE",
      description =
          "Suggests limits for each value of an attribute, such as method, path or host, or for each"
              + " endpoint (method and path). Can be repeated.")
  private List<String> per = new ArrayList<>();

  @Option(
      names = "--spare",
      paramLabel = "PERCENT",
      description = "The share of keys that the balanced suggestion never denies. Default: 99.9")
  private double spare = 99.9;

  @Option(
      names = "--fold",
      paramLabel = "PATTERN",
      description =
          "A path pattern that stands for all paths that it matches, such as /items/*. Can be"
              + " repeated.")
  private List<String> patterns = new ArrayList<>();

  @Option(names = "--no-fold", description = "Doesn't replace ids in paths by *.")
  private boolean noFold;

  @Option(
      names = "--violations",
      paramLabel = "URL",
      description =
          "Instead of logs, reads what rules in shadow mode would have denied from the admin listener"
              + " of a server, such as http://localhost:9090, at most 100,000 records. Its token is"
              + " that of the variable "
              + AdminClient.TOKEN_VARIABLE
              + ".")
  private @Nullable URI violations;

  @Option(
      names = "--rule",
      paramLabel = "RULE",
      description = "With --violations, reads only those of this rule.")
  private @Nullable String rule;

  @Option(
      names = "--top",
      paramLabel = "N",
      description = "How many values of --per to report, those with the most requests. Default: 10")
  private int top = 10;

  @Option(
      names = "--choose",
      paramLabel = "NAME",
      description = "The suggestion for the policy: tight, balanced or generous. Default: balanced")
  private String level = "balanced";

  @Option(
      names = "--write",
      paramLabel = "FILE",
      description = "Writes the policy to a file, and cases that test it next to it.")
  private @Nullable Path file;

  @Option(names = "--force", description = "Overwrites existing files.")
  private boolean force;

  @Option(names = "--json", description = "Prints the report as JSON.")
  private boolean json;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Also writes the report as a page with plots, which needs no other files.")
  private @Nullable Path html;

  @Mixin private LogArguments arguments = new LogArguments();

  AdviseCommand(Console console, Map<String, String> variables) {
    this.console = console;
    this.variables = variables;
  }

  @Override
  public Integer call() {
    try {
      checkFiles();
      Advice advice = advise();
      if (!advice.hasKeys()) {
        AdviceText.lines(advice).forEach(console.err()::println);
        console.err().println("no request has a key, so there is nothing to suggest");
        return Console.INVALID;
      }
      AdvicePolicy policy = new AdvicePolicy(advice, level);
      print(advice, policy);
      write(advice, policy);
      return console.exitStatus(Console.OK);
    } catch (RuleTarget.FailedException e) {
      console.err().println(LogArguments.printable(e));
      return Console.FAILED;
    } catch (AccessLogException | IllegalArgumentException e) {
      console.err().println(LogArguments.printable(e));
      return Console.INVALID;
    } catch (IOException | UncheckedIOException e) {
      console.err().println("cannot write the report: " + LogArguments.printable(e));
      return Console.FAILED;
    }
  }

  private void checkFiles() {
    arguments.checkSources(violations != null, "--violations");
    if (rule != null && violations == null) {
      throw new IllegalArgumentException("--rule requires --violations");
    }
    for (String pattern : patterns) {
      if (!pattern.startsWith("/") && !pattern.startsWith("*")) {
        throw new IllegalArgumentException("--fold must begin with / or *: " + pattern);
      }
    }
    if (!Advice.LEVELS.contains(level)) {
      throw new IllegalArgumentException("--choose must be tight, balanced or generous: " + level);
    }
    List<Path> written = file == null ? List.of() : List.of(file, InitCommand.casesFile(file));
    arguments.checkReport(html, written.stream());
    for (Path each : written) {
      arguments.checkOutput("--write", each, Stream.of());
      if (Files.exists(each) && !force) {
        throw new IllegalArgumentException(each + " exists; --force overwrites it");
      }
    }
  }

  private Advice advise() {
    AdviceOptions options =
        new AdviceOptions(
            (keys.isEmpty() ? List.of("ip:address") : keys)
                .stream()
                    .map(key -> LogArguments.parsed("--key", key, KeyPart::parse))
                    .distinct()
                    .toList(),
            per.stream()
                .flatMap(
                    name -> name.equals(ENDPOINT) ? Stream.of("method", "path") : Stream.of(name))
                .map(name -> LogArguments.parsed("--per", name, Attribute::parse))
                .distinct()
                .toList(),
            spare,
            top,
            new PathFolding(!noFold, patterns));
    URI server = violations;
    LogStream log =
        server == null
            ? arguments.open(options.attributes(), console.in())
            : arguments.open(options.attributes(), recorded(server));
    Advisor advisor = new Advisor(options);
    try (ProgressBar bar =
        arguments.progress(
            log, console, () -> ProgressBar.passes(advisor.passesDone(), advisor.passes()))) {
      bar.start();
      return advisor.run(log);
    }
  }

  private LogSource recorded(URI server) {
    String addressError = AdminClient.addressError(server);
    if (addressError != null) {
      throw new IllegalArgumentException("--violations " + addressError);
    }
    String token = variables.get(AdminClient.TOKEN_VARIABLE);
    String tokenError = token == null ? null : AdminClient.tokenError(token);
    if (tokenError != null) {
      throw new IllegalArgumentException(AdminClient.TOKEN_VARIABLE + " " + tokenError);
    }
    AdminClient client = new AdminClient(server, Optional.ofNullable(token));
    return LogSource.of("violations of " + server, new RecordedViolations(client, rule));
  }

  private void print(Advice advice, AdvicePolicy policy) {
    if (json) {
      console.out().println(JsonText.of(out -> AdviceJson.write(advice, policy, out)));
      return;
    }
    AdviceText.lines(advice).forEach(console.out()::println);
    if (violations != null) {
      console.out().println();
      console.out().println(ONLY_DENIALS);
      console.out().println(AGGREGATED);
    }
    if (file == null) {
      console.out().println();
      policy.text().lines().forEach(console.out()::println);
    }
  }

  private void write(Advice advice, AdvicePolicy policy) throws IOException {
    if (html != null) {
      Files.writeString(html, AdviceHtml.of(advice, policy.text()));
    }
    if (file != null && policy.isEmpty()) {
      throw new IllegalArgumentException(
          "nothing is written to " + file + ", because no suggestion can be written as a rule");
    }
    if (file != null) {
      Path cases = InitCommand.casesFile(file);
      Files.writeString(file, policy.text());
      Files.writeString(cases, policy.cases(file.getFileName().toString()));
      if (!json) {
        console.out().println();
        console.out().println("Wrote " + file + " and " + cases + ". To test the policy:");
        console.out().println("  penstock test " + file + " " + cases);
      }
    }
  }
}
