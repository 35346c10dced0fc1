package io.penstock.cli;

import io.penstock.policy.load.PolicyException;
import io.penstock.server.PenstockServer;
import io.penstock.server.Setting;
import io.penstock.server.Settings;
import io.penstock.server.SettingsReader;
import io.penstock.server.StartException;
import io.penstock.server.log.Logs;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code penstock serve}. */
@Command(
    name = "serve",
    description = "Starts the decision service.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "Each of these can also be set by a variable, such as PENSTOCK_ADMIN_PORT, or in a file, such"
          + " as admin_port: 9090. Flags count before variables, these before the file. Secrets"
          + " belong into variables or the file: everybody on a machine sees flags.",
      "",
      "Exit status: 0 after SIGTERM or SIGINT; 2 if a setting or the policy can't be used, with all"
          + " that is wrong; 1 if a port can't be opened. SIGHUP reloads the policy."
    })
final class ServeCommand implements Callable<Integer> {
  private static final Path USUAL_FILE = Path.of("penstock.yaml");
  private static final String FILE_VARIABLE = "PENSTOCK_CONFIG";

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "A file of settings; penstock.yaml without it, if that is there.")
  private @Nullable Path file;

  @Option(
      names = "--print-config",
      description = "Shows the settings in force and where each is from, and ends.")
  private boolean printConfig;

  private ServeCommand() {}

  static CommandLine commandLine() {
    CommandLine commandLine = new CommandLine(new ServeCommand());
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
    return setting.otherwise() == null ? help : help + " Unless set: " + setting.otherwise() + ".";
  }

  @Override
  public Integer call() {
    CommandLine commandLine = Objects.requireNonNull(spec).commandLine();
    PrintWriter err = commandLine.getErr();
    Settings settings;
    try {
      settings = SettingsReader.read(flags(commandLine), System.getenv(), file());
    } catch (SettingsReader.SettingsException e) {
      e.problems().forEach(err::println);
      return CommandLine.ExitCode.USAGE;
    }
    if (printConfig) {
      commandLine.getOut().print(settings.print());
      commandLine.getOut().flush();
      return CommandLine.ExitCode.OK;
    }
    Logs.configure(settings.logsJson(), settings.logLevel());
    try {
      serve(settings, commandLine.getOut());
      return CommandLine.ExitCode.OK;
    } catch (PolicyException e) {
      e.problems().forEach(err::println);
      return CommandLine.ExitCode.USAGE;
    } catch (StartException e) {
      err.println(e.getMessage());
      return CommandLine.ExitCode.SOFTWARE;
    }
  }

  private static Map<Setting, String> flags(CommandLine commandLine) {
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
    return Files.exists(USUAL_FILE) ? USUAL_FILE : null;
  }

  private static void serve(Settings settings, PrintWriter out) {
    PenstockServer server = PenstockServer.start(settings);
    CountDownLatch ended = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  server.close();
                  ended.countDown();
                },
                "penstock-shutdown"));
    Hangup.handle(server::reload);
    Greeting.lines(settings, server).forEach(out::println);
    out.flush();
    try {
      ended.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
