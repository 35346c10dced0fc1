package io.penstock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URI;
import java.net.URLEncoder;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code penstock top}. */
@Command(
    name = "top",
    description = {
      "Shows the keys that a running server denied most within about the last 15 minutes. On a"
          + " terminal, the table is refreshed every two seconds until it is interrupted."
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:success",
      "1:the server is unreachable or rejects the request",
      "2:an argument is invalid"
    },
    footerHeading = "%nExample:%n",
    footer = "  penstock top --rule login")
final class TopCommand implements Callable<Integer> {
  private static final int MAX_LIMIT = 1_000;
  private static final String CLEAR_SCREEN = "\u001b[H\u001b[2J";

  /** Waits between two refreshes; returns false to stop. */
  @FunctionalInterface
  interface RefreshPause {
    boolean await();
  }

  private final Console console;
  private final Map<String, String> variables;
  private final RefreshPause pause;

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--url",
      paramLabel = "URL",
      description = "The admin listener of the server. Default: http://localhost:9090")
  private URI url = URI.create("http://localhost:9090");

  @Option(
      names = "--token",
      paramLabel = "TOKEN",
      description =
          "The token for the admin listener. Default: the variable "
              + AdminClient.TOKEN_VARIABLE
              + ", which other users of the machine can't see.")
  private @Nullable String token;

  @Option(names = "--rule", paramLabel = "RULE", description = "Shows only keys of this rule.")
  private @Nullable String rule;

  @Option(names = "--limit", paramLabel = "N", description = "The max number of keys. Default: 20")
  private int limit = 20;

  @Option(names = "--once", description = "Prints the table once.")
  private boolean once;

  @Option(names = "--json", description = "Prints the response of the server once, as JSON.")
  private boolean json;

  TopCommand(Console console, Map<String, String> variables) {
    this(console, variables, TopCommand::sleep);
  }

  TopCommand(Console console, Map<String, String> variables, RefreshPause pause) {
    this.console = console;
    this.variables = variables;
    this.pause = pause;
  }

  private static boolean sleep() {
    try {
      TimeUnit.SECONDS.sleep(2);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public Integer call() {
    AdminClient client = client();
    if (limit < 1 || limit > MAX_LIMIT) {
      throw usageError("--limit must be from 1 to " + MAX_LIMIT + ": " + limit);
    }
    try {
      AdminClient.AdminResponse response = client.send("GET", path(), "");
      if (json) {
        console.out().println(response.text());
      } else if (once || !console.isInteractive()) {
        TopTable.lines(response.fields()).forEach(console.out()::println);
      } else {
        refresh(client, response);
      }
      return console.exitStatus(Console.OK);
    } catch (RuleTarget.FailedException e) {
      console.err().println(e.getMessage());
      return Console.FAILED;
    }
  }

  /**
   * Shows the table until it is interrupted. A server that becomes unreachable is shown as such.
   */
  private void refresh(AdminClient client, AdminClient.AdminResponse first) {
    List<String> lines = TopTable.lines(first.fields());
    do {
      console
          .out()
          .print(
              CLEAR_SCREEN
                  + "penstock top, "
                  + url
                  + (rule == null ? "" : ", rule " + TopTable.printable(rule))
                  + System.lineSeparator()
                  + String.join(System.lineSeparator(), lines)
                  + System.lineSeparator());
      console.out().flush();
      if (console.out().checkError() || !pause.await()) {
        return;
      }
      lines = linesOrError(client);
    } while (true);
  }

  private List<String> linesOrError(AdminClient client) {
    try {
      return TopTable.lines(client.send("GET", path(), "").fields());
    } catch (RuleTarget.FailedException e) {
      return List.of(String.valueOf(e.getMessage()));
    }
  }

  private String path() {
    return "/v1/top?limit="
        + limit
        + (rule == null ? "" : "&rule=" + URLEncoder.encode(rule, UTF_8).replace("+", "%20"));
  }

  private AdminClient client() {
    String addressError = AdminClient.addressError(url);
    if (addressError != null) {
      throw usageError("--url " + addressError);
    }
    Optional<String> secret =
        Optional.ofNullable(token == null ? variables.get(AdminClient.TOKEN_VARIABLE) : token);
    String tokenError = secret.map(AdminClient::tokenError).orElse(null);
    if (tokenError != null) {
      throw usageError((token == null ? AdminClient.TOKEN_VARIABLE : "--token") + " " + tokenError);
    }
    return new AdminClient(url, secret);
  }

  private ParameterException usageError(String message) {
    return new ParameterException(Objects.requireNonNull(spec).commandLine(), message);
  }
}
