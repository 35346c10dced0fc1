package io.penstock.cli;

import io.penstock.policy.load.PolicyException;
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
      "Moves rules between a policy file and a database, or a running server with one.",
      "",
      "  import  adds the rules of FILE, and changes those of the same names",
      "  apply   the same, and deletes all others that are active",
      "  diff    says what apply would change",
      "  export  writes the active rules to FILE, or to standard output"
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:done; for diff, nothing would change",
      "1:the database or server can't be asked or refuses; for diff, something would change",
      "2:the file or an argument can't be used"
    },
    footerHeading = "%nExample:%n",
    footer = "  penstock rules apply rules.yaml --postgres postgres://me@localhost/limits")
final class RulesCommand implements Callable<Integer> {
  private static final String POSTGRES_VARIABLE = "PENSTOCK_POSTGRES";
  private static final String TOKEN_VARIABLE = "PENSTOCK_ADMIN_TOKEN";

  private enum Action {
    IMPORT,
    EXPORT,
    DIFF,
    APPLY
  }

  private final Console console;
  private final Map<String, String> variables;

  @Spec private @Nullable CommandSpec spec;

  @Parameters(index = "0", paramLabel = "ACTION", description = "import, export, diff or apply.")
  private Action action = Action.DIFF;

  @Parameters(index = "1", paramLabel = "FILE", arity = "0..1", description = "A policy file.")
  private @Nullable Path file;

  @Option(
      names = "--postgres",
      paramLabel = "URL",
      description = "The database; " + POSTGRES_VARIABLE + " without it.")
  private @Nullable String postgres;

  @Option(
      names = "--server",
      paramLabel = "URL",
      description =
          "The admin door of a running server, such as http://localhost:9090, in place of the"
              + " database. Its token is in "
              + TOKEN_VARIABLE
              + ".")
  private @Nullable URI server;

  RulesCommand(Console console, Map<String, String> variables) {
    this.console = console;
    this.variables = variables;
  }

  @Override
  public Integer call() {
    Logs.configure(false, "error");
    try (RuleTarget target = target()) {
      return action == Action.EXPORT ? export(target) : put(target);
    } catch (PolicyException e) {
      e.problems().forEach(console.err()::println);
      return Console.UNUSABLE;
    } catch (RuleTarget.FailedException e) {
      console.err().println(e.getMessage());
      return Console.FAILED;
    } catch (IOException e) {
      console.err().println(file + ": can't be written: " + e.getMessage());
      return Console.FAILED;
    } finally {
      Logs.close();
    }
  }

  private RuleTarget target() {
    if (server != null) {
      if (postgres != null) {
        throw mistake("--postgres and --server can't be given together");
      }
      return target(server, Optional.ofNullable(variables.get(TOKEN_VARIABLE)));
    }
    String url = postgres != null ? postgres : variables.get(POSTGRES_VARIABLE);
    if (url == null) {
      throw mistake("needs --postgres or --server");
    }
    String wrong = DatabaseAddress.wrong(url);
    if (wrong != null) {
      throw mistake("--postgres " + wrong);
    }
    return new DatabaseTarget(url, variables);
  }

  private RuleTarget target(URI door, Optional<String> token) {
    String wrong = ServerTarget.wrong(door);
    if (wrong != null) {
      throw mistake("--server " + wrong);
    }
    String wrongToken = token.map(ServerTarget::wrongToken).orElse(null);
    if (wrongToken != null) {
      throw mistake(TOKEN_VARIABLE + " " + wrongToken);
    }
    return new ServerTarget(door, token);
  }

  private int export(RuleTarget target) throws IOException {
    String text = RuleFile.text(target.rules());
    if (file == null) {
      console.out().print(text);
    } else {
      Files.writeString(file, text);
    }
    return console.end(Console.GOOD);
  }

  private int put(RuleTarget target) {
    if (file == null) {
      throw mistake("needs a FILE");
    }
    List<RuleDraft> drafts = RuleFile.read(file);
    boolean dryRun = action == Action.DIFF;
    List<String> changes = target.put(drafts, action != Action.IMPORT, dryRun);
    changes.forEach(console.out()::println);
    console
        .out()
        .println(
            Plurals.of(drafts.size(), "rule")
                + ", "
                + Plurals.of(changes.size(), "change")
                + (dryRun ? " to make" : ""));
    return console.end(dryRun && !changes.isEmpty() ? Console.FAILED : Console.GOOD);
  }

  private ParameterException mistake(String message) {
    return new ParameterException(Objects.requireNonNull(spec).commandLine(), message);
  }
}
