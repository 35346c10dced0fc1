package io.penstock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.ProblemPrinter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code penstock init}. */
@Command(
    name = "init",
    description = {
      "Writes a policy and cases that test it. Asks for what the options don't set, if standard"
          + " input is a terminal; otherwise, uses the defaults."
    },
    sortOptions = false,
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:the files are written",
      "1:a file can't be written",
      "2:an answer is invalid, or a file exists"
    },
    footerHeading = "%nExample:%n",
    footer = "  penstock init --caller api-key --limit '100/min burst 20' --paths '/api/*'")
final class InitCommand implements Callable<Integer> {
  private static final String LIMIT = "100/min burst 20";
  private static final Pattern LIMIT_FORM =
      Pattern.compile("(\\S+)(?:\\s*,)?(?:\\s+(?:burst\\s+)?(\\S+))?");

  private final Console console;

  @Spec private @Nullable CommandSpec spec;

  @Parameters(paramLabel = "FILE", arity = "0..1", description = "Default: policy.yaml")
  private Path file = Path.of("policy.yaml");

  @Option(
      names = "--caller",
      paramLabel = "KIND",
      description = "What identifies a caller: address, api-key or jwt. Default: address")
  private @Nullable String caller;

  @Option(
      names = "--header",
      paramLabel = "NAME",
      description = "The header with the API key. Default: X-API-Key")
  private String header = "X-API-Key";

  @Option(
      names = "--jwks-url",
      paramLabel = "URL",
      description = "The keys that verify JWTs; required for --caller jwt.")
  private @Nullable String jwksUrl;

  @Option(
      names = "--limit",
      paramLabel = "LIMIT",
      description = "Requests per time and how many at once. Default: " + LIMIT)
  private @Nullable String limit;

  @Option(
      names = "--paths",
      paramLabel = "PATTERNS",
      description = "The paths to limit, separated by spaces, such as /api/*. Default: all")
  private @Nullable String paths;

  @Option(
      names = {"-y", "--yes"},
      description = "Uses the defaults without asking.")
  private boolean yes;

  @Option(names = "--force", description = "Overwrites existing files.")
  private boolean force;

  InitCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    Path cases = casesFile(file);
    if (!force) {
      for (Path each : List.of(file, cases)) {
        if (Files.exists(each)) {
          console.err().println(each + " exists; --force overwrites it");
          return Console.INVALID;
        }
      }
    }
    ProblemPrinter problems = new ProblemPrinter(console.err()::println, console.isColored());
    try {
      if (console.isInteractive() && !yes) {
        ask(new BufferedReader(new InputStreamReader(console.in(), UTF_8)));
      }
      NewPolicy policy = policy();
      String name = file.getFileName().toString();
      problems.source(name, policy.text());
      String casesText = policy.cases(name);
      Files.writeString(file, policy.text());
      Files.writeString(cases, casesText);
    } catch (PolicyException e) {
      problems.print(e.problems());
      return Console.INVALID;
    } catch (IOException e) {
      console.err().println("cannot write " + file + " and " + cases + ": " + e.getMessage());
      return Console.FAILED;
    }
    console.out().println("Wrote " + file + " and " + cases + ". To test and to serve the policy:");
    console.out().println("  penstock test " + file + " " + cases);
    console.out().println("  penstock serve --policy " + file);
    return console.exitStatus(Console.OK);
  }

  /** Returns the name of the file with the cases of a policy. */
  static Path casesFile(Path file) {
    String name = file.getFileName().toString();
    int dot = name.lastIndexOf('.');
    return file.resolveSibling((dot > 0 ? name.substring(0, dot) : name) + "-cases.yaml");
  }

  private void ask(BufferedReader in) throws IOException {
    if (caller == null) {
      caller = ask(in, "What identifies a caller: address, api-key or jwt?", "address");
    }
    if (jwksUrl == null && callerKind() == NewPolicy.CallerIdentity.JWT) {
      jwksUrl = ask(in, "Which URL has the keys (JWKS) that verify the tokens?", "");
    }
    if (limit == null) {
      limit = ask(in, "How many requests per time, and how many at once?", LIMIT);
    }
    if (paths == null) {
      paths = ask(in, "Which paths are limited, such as /api/*?", "all");
    }
  }

  private String ask(BufferedReader in, String question, String otherwise) throws IOException {
    console.out().print(question + (otherwise.isEmpty() ? " " : " [" + otherwise + "] "));
    console.out().flush();
    String answer = in.readLine();
    return answer == null || answer.isBlank() ? otherwise : answer.strip();
  }

  private NewPolicy policy() {
    NewPolicy.CallerIdentity kind = callerKind();
    if (kind == NewPolicy.CallerIdentity.JWT && (jwksUrl == null || jwksUrl.isEmpty())) {
      throw usageError("--caller jwt requires --jwks-url");
    }
    Matcher form = LIMIT_FORM.matcher(limit == null ? LIMIT : limit);
    if (!form.matches()) {
      throw usageError("--limit must be of the form " + LIMIT + ": " + limit);
    }
    return new NewPolicy(
        kind,
        header,
        jwksUrl == null ? "" : jwksUrl,
        form.group(1),
        form.group(2) == null ? "" : form.group(2),
        paths == null || paths.equals("all")
            ? List.of()
            : Stream.of(paths.split("[\\s,]+", -1)).filter(path -> !path.isEmpty()).toList());
  }

  private NewPolicy.CallerIdentity callerKind() {
    String kind = caller == null ? NewPolicy.CallerIdentity.ADDRESS.toString() : caller;
    return Arrays.stream(NewPolicy.CallerIdentity.values())
        .filter(each -> each.toString().equalsIgnoreCase(kind))
        .findFirst()
        .orElseThrow(() -> usageError("--caller must be address, api-key or jwt: " + kind));
  }

  private ParameterException usageError(String message) {
    return new ParameterException(Objects.requireNonNull(spec).commandLine(), message);
  }
}
