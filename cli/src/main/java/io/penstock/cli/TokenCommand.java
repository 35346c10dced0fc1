package io.penstock.cli;

import io.penstock.server.http.AccessTokens;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code penstock token}. */
@Command(
    name = "token",
    description = {
      "Creates a token for the admin listener. Prints the token, for its user, and the line for the"
          + " setting admin_tokens, which contains only a hash."
    },
    footerHeading = "%nExample:%n",
    footer = "  penstock token --name deploy --role write")
final class TokenCommand implements Callable<Integer> {
  private static final int BYTES = 32;

  private final Console console;

  @Option(
      names = "--name",
      required = true,
      paramLabel = "NAME",
      description = "The name of its user, which the history of rules records.")
  private String name = "";

  @Option(names = "--role", paramLabel = "ROLE", description = "read or write. Default: read")
  private AccessTokens.Role role = AccessTokens.Role.READ;

  TokenCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    byte[] random = new byte[BYTES];
    new SecureRandom().nextBytes(random);
    String token = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    String line =
        role.name().toLowerCase(Locale.ROOT) + ":" + name + ":" + AccessTokens.hashOf(token);
    try {
      AccessTokens.parse(line);
    } catch (IllegalArgumentException e) {
      console.err().println("--name must consist of 1 to 64 letters, digits or _.@-: " + name);
      return Console.INVALID;
    }
    console.out().println("token         " + token);
    console.out().println("admin_tokens  " + line);
    return console.exitStatus(Console.OK);
  }
}
