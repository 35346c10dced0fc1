package io.penstock.cli;

import io.penstock.policy.SamplePolicy;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code penstock sample}. */
@Command(
    name = "sample",
    description = "Prints a commented sample policy.",
    footerHeading = "%nExample:%n",
    footer = "  penstock sample > policy.yaml")
final class SampleCommand implements Callable<Integer> {
  private final Console console;

  SampleCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    console.out().println(SamplePolicy.text().stripTrailing());
    return console.exitStatus(Console.OK);
  }
}
