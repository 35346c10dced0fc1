package io.penstock.cli;

import io.penstock.policy.PolicySchema;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code penstock schema}. */
@Command(
    name = "schema",
    description = "Prints the JSON Schema of policy files, for editors.",
    footerHeading = "%nExample:%n",
    footer = "  penstock schema > policy.schema.json")
final class SchemaCommand implements Callable<Integer> {
  private final Console console;

  SchemaCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    console.out().println(PolicySchema.text().stripTrailing());
    return console.exitStatus(Console.OK);
  }
}
