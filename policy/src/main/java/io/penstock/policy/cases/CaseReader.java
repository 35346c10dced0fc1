package io.penstock.policy.cases;

import io.penstock.policy.load.Fields;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import io.penstock.policy.request.CheckRequest;
import io.penstock.policy.request.CheckRequestReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the cases of a file. */
final class CaseReader {
  private static final int MAX_NAME_LENGTH = 200;
  private static final int MAX_TIMES = 1_000_000;
  private static final Duration MAX_TIME = Duration.ofDays(36_500);

  private final Problems problems;
  private final Map<String, Location> names = new HashMap<>();

  CaseReader(Problems problems) {
    this.problems = problems;
  }

  /** Returns the items of a required list, which must not be empty. */
  static List<Located<Node>> items(Fields fields, String name) {
    List<Located<Node>> items = fields.require(name) ? fields.list(name) : null;
    if (items == null) {
      return List.of();
    }
    if (items.isEmpty()) {
      fields.error(name, "must not be empty: nothing would be tested");
    }
    return items;
  }

  /** Returns the case; null if it has errors. */
  @Nullable PolicyCase read(Located<Node> node) {
    Fields fields = Fields.of(node, problems);
    if (fields == null) {
      return null;
    }
    int before = problems.errorCount();
    String name = name(fields);
    List<CaseStep> steps = new ArrayList<>();
    Duration now = Duration.ZERO;
    for (Located<Node> item : items(fields, "requests")) {
      Fields request = Fields.of(item, problems);
      if (request != null) {
        now = time(request, now);
        add(request, now, steps);
      }
    }
    fields.done();
    return name == null || problems.errorCount() > before
        ? null
        : new PolicyCase(name, node.at(), steps);
  }

  private @Nullable String name(Fields fields) {
    String name = fields.require("name") ? fields.text("name", CaseReader::checkedName) : null;
    Location other = name == null ? null : names.putIfAbsent(name, fields.at());
    if (other != null) {
      fields.error("name", "must be unique: " + name + " is also at " + other);
    }
    return name;
  }

  private static String checkedName(String name) {
    if (name.isBlank()
        || name.length() > MAX_NAME_LENGTH
        || name.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          "must be a line of 1 to " + MAX_NAME_LENGTH + " characters: " + name);
    }
    return name;
  }

  /** Returns when a request is sent, which must not be before the previous one. */
  private static Duration time(Fields request, Duration before) {
    Duration at = request.time("at");
    if (at == null) {
      return before;
    }
    if (at.compareTo(before) < 0) {
      request.error("at", "must not be before the request above, at " + before.toMillis() + "ms");
      return before;
    }
    if (at.compareTo(MAX_TIME) > 0) {
      request.error("at", "must be at most " + MAX_TIME.toDays() + "d");
      return before;
    }
    return at;
  }

  private void add(Fields fields, Duration at, List<CaseStep> steps) {
    Located<Node> stated = fields.require("request") ? fields.located("request") : null;
    CheckRequest checkRequest = stated == null ? null : CheckRequestReader.read(stated, problems);
    int times = fields.whole("times", 1, MAX_TIMES, 1);
    Located<Node> expected = fields.require("expect") ? fields.located("expect") : null;
    Expectation expectation =
        expected == null ? null : new ExpectationReader(problems).read(expected);
    fields.done();
    if (checkRequest != null && expectation != null) {
      steps.add(new CaseStep(fields.at(), at, checkRequest, times, expectation));
    }
  }
}
