package io.penstock.cli;

import io.penstock.policy.ExplicitRequest;
import io.penstock.policy.load.Document;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.Problems;
import io.penstock.policy.request.CheckRequest;
import io.penstock.policy.request.CheckRequestReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A request on the command line: JSON, {@code @FILE}, or {@code -} for standard input. */
final class RequestArgument {
  /** The file name in error messages. The extension selects the JSON parser. */
  private static final String NAME = "request.json";

  private RequestArgument() {}

  /**
   * Returns the request.
   *
   * @throws PolicyException if it is invalid
   */
  static ExplicitRequest read(String argument, InputStream in) {
    Problems problems = new Problems();
    Node document = document(argument, in, problems);
    CheckRequest check = document == null ? null : CheckRequestReader.read(document, problems);
    problems.throwIfErrors();
    return Objects.requireNonNull(check).request();
  }

  private static @Nullable Node document(String argument, InputStream in, Problems problems) {
    try {
      if (argument.startsWith("@")) {
        return Document.read(Path.of(argument.substring(1)), problems);
      }
      String text =
          argument.equals("-") ? new String(in.readAllBytes(), StandardCharsets.UTF_8) : argument;
      return Document.parse(text, NAME, problems);
    } catch (InvalidPathException e) {
      problems.error(Location.of(argument), "", "must be the path of a file");
    } catch (IOException e) {
      problems.error(Location.of("-"), "", "cannot be read: " + e.getMessage());
    }
    return null;
  }
}
