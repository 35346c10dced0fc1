package io.penstock.cli;

import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.Explanation;
import io.penstock.policy.ExplicitRequest;
import io.penstock.policy.Policy;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.http.ExplainJson;
import io.penstock.policy.http.ExplainText;
import io.penstock.policy.jwt.JwtSettings;
import io.penstock.policy.jwt.TokenCheck;
import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.policy.load.ProblemPrinter;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code penstock explain}. */
@Command(
    name = "explain",
    description =
        "Explains for each rule of a policy why it does or doesn't apply to a request, and what the"
            + " decision is while all buckets are full.",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:the request was explained, whatever the verdict",
      "2:the policy or the request is invalid"
    },
    footerHeading = "%nExample:%n",
    footer =
        "  penstock explain policy.yaml \\%n"
            + "    --request '{\"ip\": \"192.0.2.1\", \"method\": \"POST\", \"path\": \"/login\"}'")
final class ExplainCommand implements Callable<Integer> {
  private final Console console;

  @Parameters(paramLabel = "POLICY", description = "A policy file, or a folder of policy files.")
  private @Nullable Path policyPath;

  @Option(
      names = "--request",
      required = true,
      paramLabel = "JSON",
      description = "The request, as in POST /v1/check; @FILE reads a file, - standard input.")
  private String request = "";

  @Option(names = "--format", paramLabel = "FORM", description = Format.HELP)
  private Format format = Format.TEXT;

  ExplainCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    Policy policy;
    ExplicitRequest parsed;
    try {
      policy = PolicyLoader.load(Objects.requireNonNull(policyPath)).policy();
      parsed = RequestArgument.read(request, console.in());
    } catch (PolicyException e) {
      new ProblemPrinter(console.err()::println, console.isColored()).print(e.problems());
      return Console.INVALID;
    }
    Explanation explanation = explain(policy, parsed);
    if (format == Format.JSON) {
      console.out().println(JsonText.of(json -> ExplainJson.write(explanation, json)));
    } else {
      if (parsed.hasToken()
          && policy.jwt().acceptTokens()
          && explanation.token() == TokenCheck.Result.ABSENT) {
        console.out().println("token absent: Authorization is not a Bearer token");
      }
      ExplainText.lines(explanation).forEach(console.out()::println);
    }
    return console.exitStatus(Console.OK);
  }

  /** Drops the JWT settings if the request has no token, so that no keys are fetched. */
  private static Explanation explain(Policy policy, ExplicitRequest request) {
    Policy applied = request.hasToken() ? policy : policy.withJwt(JwtSettings.NONE);
    try (InProcessStore store = InProcessStore.create();
        PolicyEngine engine = new PolicyEngine(store, applied)) {
      return engine.explain(request.verifiedBy(engine.jwt())).toCompletableFuture().join();
    }
  }
}
