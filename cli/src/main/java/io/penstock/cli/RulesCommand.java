package io.penstock.cli;

import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.ProblemPrinter;
import io.penstock.server.database.DatabaseAddress;
import io.penstock.server.database.RuleDraft;
import io.penstock.server.database.RuleFile;
import io.penstock.server.log.Logs;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code penstock rules}. */
@Command(
    name = "rules",
    description = {
      "Moves rules between a policy file and a database or a running server.",
      "",
      "  import  adds the rules of FILE and updates those that exist by name",
      "  apply   like import, and deletes all other active rules",
      "  diff    prints what apply would change",
      "  export  writes the active rules to FILE, or to standard output"
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:success; for diff, no differences",
      "1:the database or server is unreachable or rejects the rules; for diff, differences",
      "2:the file or an argument is invalid"
    },
    footerHeading = "%nExample:%n",
    footer = "  penstock rules apply rules.yaml --postgres postgres://me@localhost/limits")
final class RulesCommand implements Callable<Integer> {
  private static final String POSTGRES_VARIABLE = "PENSTOCK_POSTGRES";

  private enum RulesAction {
    IMPORT,
    EXPORT,
    DIFF,
    APPLY
  }

  private final Console console;
  private final Map<String, String> variables;

  @Spec private @Nullable CommandSpec spec;

  @Parameters(index = "0", paramLabel = "ACTION", description = "import, export, diff or apply.")
  private RulesAction action = RulesAction.DIFF;

  @Parameters(index = "1", paramLabel = "FILE", arity = "0..1", description = "A policy file.")
  private @Nullable Path file;

  @Option(
      names = "--postgres",
      paramLabel = "URL",
      description = "The database. Default: the variable " + POSTGRES_VARIABLE)
  private @Nullable String postgres;

  @Option(
      names = "--server",
      paramLabel = "URL",
      description =
          "The admin listener of a running server, such as http://localhost:9090, instead of the"
              + " database. The variable "
              + AdminClient.TOKEN_VARIABLE
              + " holds its token.")
  private @Nullable URI server;

  RulesCommand(Console console, Map<String, String> variables) {
    this.console = console;
    this.variables = variables;
  }

  @Override
  public Integer call() {
    Logs.configure(false, "error");
    try (RuleTarget target = target()) {
      return action == RulesAction.EXPORT ? export(target) : put(target);
    } catch (PolicyException e) {
      new ProblemPrinter(console.err()::println, console.isColored()).print(e.problems());
      return Console.INVALID;
    } catch (RuleTarget.FailedException e) {
      console.err().println(e.getMessage());
      return Console.FAILED;
    } catch (IOException e) {
      console.err().println(file + ": cannot be written: " + e.getMessage());
      return Console.FAILED;
    } finally {
      Logs.close();
    }
  }

  private RuleTarget target() {
    if (server != null) {
      if (postgres != null) {
        throw usageError("--postgres and --server are mutually exclusive");
      }
      return target(server, Optional.ofNullable(variables.get(AdminClient.TOKEN_VARIABLE)));
    }
    String url = postgres != null ? postgres : variables.get(POSTGRES_VARIABLE);
    if (url == null) {
      throw usageError("requires --postgres or --server");
    }
    String error = DatabaseAddress.wrong(url);
    if (error != null) {
      throw usageError("--postgres " + error);
    }
    return new DatabaseTarget(url, variables);
  }

  private RuleTarget target(URI address, Optional<String> token) {
    String error = AdminClient.addressError(address);
    if (error != null) {
      throw usageError("--server " + error);
    }
    String tokenError = token.map(AdminClient::tokenError).orElse(null);
    if (tokenError != null) {
      throw usageError(AdminClient.TOKEN_VARIABLE + " " + tokenError);
    }
    return new ServerTarget(new AdminClient(address, token));
  }

  private int export(RuleTarget target) throws IOException {
    String text = RuleFile.text(target.rules());
    if (file == null) {
      console.out().print(text);
    } else {
      Files.writeString(file, text);
    }
    return console.exitStatus(Console.OK);
  }

  private int put(RuleTarget target) {
    if (file == null) {
      throw usageError("requires a FILE");
    }
    List<RuleDraft> drafts = RuleFile.read(file);
    boolean dryRun = action == RulesAction.DIFF;
    List<String> changes = target.put(drafts, action != RulesAction.IMPORT, dryRun);
    changes.forEach(console.out()::println);
    console
        .out()
        .println(
            Plurals.of(drafts.size(), "rule")
                + ", "
                + Plurals.of(changes.size(), "change")
                + (dryRun ? " to make" : ""));
    return console.exitStatus(dryRun && !changes.isEmpty() ? Console.FAILED : Console.OK);
  }

  private ParameterException usageError(String message) {
    return new ParameterException(Objects.requireNonNull(spec).commandLine(), message);
  }
}
