package io.penstock.cli;

import java.util.List;
import picocli.CommandLine.Command;

/** {@code penstock version}. */
@Command(name = "version", description = "Prints the versions of Penstock and of the JVM.")
final class VersionCommand implements Runnable {
  private final Console console;

  VersionCommand(Console console) {
    this.console = console;
  }

  @Override
  public void run() {
    List.of(new Version().getVersion()).forEach(console.out()::println);
  }
}
