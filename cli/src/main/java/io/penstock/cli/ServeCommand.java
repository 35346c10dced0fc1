package io.penstock.cli;

import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.ProblemPrinter;
import io.penstock.server.PenstockServer;
import io.penstock.server.Setting;
import io.penstock.server.Settings;
import io.penstock.server.SettingsReader;
import io.penstock.server.StartException;
import io.penstock.server.log.Logs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code penstock serve}. */
@Command(
    name = "serve",
    description = "Starts the decision service. Without settings, it serves a sample policy.",
    synopsisHeading = "Usage: penstock serve [SETTING]...%n",
    customSynopsis = "",
    sortOptions = false,
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:SIGTERM or SIGINT was received, and requests in flight were completed",
      "1:a port can't be opened",
      "2:a setting or the policy is invalid; all errors are printed",
      "3:the JVM is out of memory"
    },
    footer = {
      "",
      "Each setting can also be an environment variable, such as PENSTOCK_ADMIN_PORT=9090, or a"
          + " line in a file, such as admin_port: 9090. Flags override variables, and variables"
          + " override the file. Put secrets into variables or the file: all users of a machine can"
          + " see flags.",
      "",
      "SIGHUP reloads the policy and the certificates, like a change of their files,",
      "and reopens the access log.",
      "",
      "Example:",
      "  penstock serve --policy policy.yaml --redis redis://localhost"
    })
final class ServeCommand implements Callable<Integer> {
  private static final Path DEFAULT_FILE = Path.of("penstock.yaml");
  private static final Path MISNAMED_FILE = Path.of("penstock.yml");
  private static final String FILE_VARIABLE = "PENSTOCK_CONFIG";
  private static final Logger LOG = LoggerFactory.getLogger(ServeCommand.class);

  private final Console console;

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "A file of settings. Default: penstock.yaml, if it exists.")
  private @Nullable Path file;

  @Option(
      names = "--print-config",
      description = "Prints the active settings and the source of each, and exits.")
  private boolean printConfig;

  private ServeCommand(Console console) {
    this.console = console;
  }

  static CommandLine commandLine(Console console) {
    CommandLine commandLine = new CommandLine(new ServeCommand(console));
    for (Setting setting : Setting.values()) {
      commandLine
          .getCommandSpec()
          .addOption(
              OptionSpec.builder(setting.flag())
                  .paramLabel(setting.placeholder())
                  .type(String.class)
                  .description(description(setting))
                  .build());
    }
    return commandLine;
  }

  private static String description(Setting setting) {
    String help = setting.help().replace("%", "%%");
    return setting.otherwise() == null ? help : help + " Default: " + setting.otherwise();
  }

  @Override
  public Integer call() {
    Settings settings;
    try {
      settings = SettingsReader.read(flags(), System.getenv(), file());
    } catch (SettingsReader.SettingsException e) {
      // Without the lines, which may contain tokens and passwords.
      e.problems().forEach(console.err()::println);
      return Console.INVALID;
    }
    List<String> warnings = warnings(settings);
    if (printConfig) {
      warnings.forEach(console.err()::println);
      console.out().print(settings.print());
      return console.exitStatus(Console.OK);
    }
    OutOfMemory.watch();
    Logs.configure(settings.logsJson(), settings.logLevel(), OutOfMemory::exitIfOutOfMemory);
    warnings.forEach(warning -> LOG.warn("{}", warning));
    try {
      serve(settings);
      return Console.OK;
    } catch (PolicyException e) {
      new ProblemPrinter(console.err()::println, console.isColored()).print(e.problems());
      return Console.INVALID;
    } catch (StartException e) {
      console.err().println(e.getMessage());
      return Console.FAILED;
    } finally {
      Logs.close();
    }
  }

  private Map<Setting, String> flags() {
    CommandLine commandLine = Objects.requireNonNull(spec).commandLine();
    Map<Setting, String> flags = new EnumMap<>(Setting.class);
    for (Setting setting : Setting.values()) {
      String value = commandLine.getParseResult().matchedOptionValue(setting.flag(), null);
      if (value != null) {
        flags.put(setting, value);
      }
    }
    return flags;
  }

  private @Nullable Path file() {
    if (file != null) {
      return file;
    }
    String variable = System.getenv(FILE_VARIABLE);
    if (variable != null) {
      return Path.of(variable);
    }
    return Files.exists(DEFAULT_FILE) ? DEFAULT_FILE : null;
  }

  private List<String> warnings(Settings settings) {
    List<String> warnings = new ArrayList<>();
    settings.warnings().forEach(warning -> warnings.add(warning.toString()));
    if (file() == null && Files.exists(MISNAMED_FILE)) {
      warnings.add(MISNAMED_FILE + " is ignored; settings are read from " + DEFAULT_FILE);
    }
    return warnings;
  }

  /** Prints on a separate thread: blocked output must not keep the process from shutting down. */
  private void print(List<String> lines) {
    Thread printer = new Thread(() -> lines.forEach(console.out()::println), "penstock-banner");
    printer.setDaemon(true);
    printer.start();
  }

  /** Serves until the process receives SIGTERM or SIGINT. */
  private void serve(Settings settings) {
    CountDownLatch stopRequested = new CountDownLatch(1);
    try (PenstockServer server = PenstockServer.start(settings)) {
      Signals.handle("HUP", server::reload);
      // By default, these signals exit with a status that supervisors treat as a failure.
      Signals.handle("TERM", stopRequested::countDown);
      Signals.handle("INT", stopRequested::countDown);
      print(StartupBanner.lines(settings, server));
      stopRequested.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
