package io.penstock.cli;

import io.penstock.policy.Attribute;
import io.penstock.policy.Policy;
import io.penstock.policy.accesslog.AccessLogException;
import io.penstock.policy.accesslog.LogStream;
import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.policy.load.ProblemPrinter;
import io.penstock.policy.replay.Replay;
import io.penstock.policy.replay.ReplayHtml;
import io.penstock.policy.replay.ReplayJson;
import io.penstock.policy.replay.ReplayReport;
import io.penstock.policy.replay.ReplayText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code penstock replay}. */
@Command(
    name = "replay",
    description =
        "Runs an access log through a policy on a virtual clock and reports which requests each rule"
            + " would have denied.",
    sortOptions = false,
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:the log was replayed, whatever was denied",
      "1:the report can't be written",
      "2:a policy, a log or an argument is invalid"
    },
    footerHeading = "%nExample:%n",
    footer =
        "  penstock replay --policy policy.yaml --compare tighter.yaml access.log.1.gz access.log")
final class ReplayCommand implements Callable<Integer> {
  private final Console console;

  @Option(
      names = "--policy",
      required = true,
      paramLabel = "POLICY",
      description = "A policy file, or a folder of policy files.")
  private @Nullable Path policyPath;

  @Option(
      names = "--compare",
      paramLabel = "POLICY",
      description = "Another policy, to show what a change to it would do.")
  private @Nullable Path otherPath;

  @Option(names = "--json", description = "Prints the report as JSON.")
  private boolean json;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Also writes the report as a page with plots, which needs no other files.")
  private @Nullable Path html;

  @Mixin private LogArguments arguments = new LogArguments();

  ReplayCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    try {
      arguments.checkSources(false, "");
      arguments.checkReport(
          html, Stream.concat(Stream.ofNullable(policyPath), Stream.ofNullable(otherPath)));
      ReplayReport report = replay();
      if (json) {
        console.out().println(JsonText.of(out -> ReplayJson.write(report, out)));
      } else {
        ReplayText.lines(report).forEach(console.out()::println);
      }
      if (html != null) {
        Files.writeString(html, ReplayHtml.of(report));
      }
      return console.exitStatus(Console.OK);
    } catch (PolicyException e) {
      new ProblemPrinter(console.err()::println, console.isColored()).print(e.problems());
      return Console.INVALID;
    } catch (AccessLogException | IllegalArgumentException e) {
      console.err().println(LogArguments.printable(e));
      return Console.INVALID;
    } catch (IOException e) {
      console.err().println("cannot write the report: " + LogArguments.printable(e));
      return Console.FAILED;
    }
  }

  private ReplayReport replay() {
    Path path = Objects.requireNonNull(policyPath);
    Policy policy = PolicyLoader.load(path).policy();
    Set<Attribute> attributes = new LinkedHashSet<>(Replay.attributes(policy));
    Replay replay;
    if (otherPath == null) {
      replay = new Replay(path.toString(), policy);
    } else {
      Policy other = PolicyLoader.load(otherPath).policy();
      attributes.addAll(Replay.attributes(other));
      replay = new Replay(path.toString(), policy, otherPath.toString(), other);
    }
    LogStream log = arguments.open(attributes, console.in());
    try (ProgressBar bar = arguments.progress(log, console, () -> "")) {
      bar.start();
      return replay.run(log);
    }
  }
}
