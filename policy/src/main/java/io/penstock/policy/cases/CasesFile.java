package io.penstock.policy.cases;

import io.penstock.policy.load.Document;
import io.penstock.policy.load.Fields;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file of cases. Immutable.
 *
 * @param location the file
 * @param policy the policy to test; null if the file names none
 * @param cases the cases without errors
 */
record CasesFile(Location location, @Nullable Path policy, List<PolicyCase> cases) {
  CasesFile {
    cases = List.copyOf(cases);
  }

  /** Reads a file as far as possible, and reports errors about the rest. */
  static CasesFile read(Path file, Problems problems) {
    Location location = Location.of(file.toString());
    Node document = Document.read(file, problems);
    Fields fields =
        document == null ? null : Fields.of(new Located<>(document, document.at(), ""), problems);
    if (fields == null) {
      return new CasesFile(location, null, List.of());
    }
    Path policy = fields.text("policy", text -> beside(file, text));
    List<PolicyCase> cases = cases(fields, problems);
    fields.done();
    return new CasesFile(location, policy, cases);
  }

  private static Path beside(Path file, String text) {
    try {
      return file.resolveSibling(text);
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("must be the path of a file: " + text, e);
    }
  }

  private static List<PolicyCase> cases(Fields fields, Problems problems) {
    List<PolicyCase> cases = new ArrayList<>();
    CaseReader reader = new CaseReader(problems);
    for (Located<Node> item : CaseReader.items(fields, "cases")) {
      PolicyCase read = reader.read(item);
      if (read != null) {
        cases.add(read);
      }
    }
    return cases;
  }
}
