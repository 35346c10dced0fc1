package io.penstock.cli;

import io.penstock.policy.SamplePolicy;
import picocli.CommandLine.Command;

/** {@code penstock sample}. */
@Command(
    name = "sample",
    description = "Prints a policy to begin with, with comments.",
    footerHeading = "%nExample:%n",
    footer = "  penstock sample > policy.yaml")
final class SampleCommand implements Runnable {
  private final Console console;

  SampleCommand(Console console) {
    this.console = console;
  }

  @Override
  public void run() {
    console.out().println(SamplePolicy.text().stripTrailing());
  }
}
