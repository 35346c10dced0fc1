package io.penstock.policy.load;

import io.penstock.policy.AttributeMap;
import io.penstock.policy.Match;
import io.penstock.policy.Mode;
import io.penstock.policy.Policy;
import io.penstock.policy.Rule;
import io.penstock.policy.address.Cidr;
import io.penstock.policy.address.ClientAddress;
import io.penstock.policy.jwt.JwtSettings;
import io.penstock.policy.path.PathSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A policy that is being assembled from one or more documents. Not thread-safe. */
final class PolicyDraft {
  /** Fields that only editors use. */
  static final List<String> EDITOR_FIELDS = List.of("$schema");

  private final Problems problems;
  private final Set<String> supplied;
  private final List<WrittenRule> writtenRules = new ArrayList<>();
  private final List<Located<Node>> writtenExempt = new ArrayList<>();
  private final List<Located<Rule>> rules = new ArrayList<>();
  private final List<Located<Match>> exempt = new ArrayList<>();
  private final Map<String, Location> sections = new HashMap<>();
  private final Map<String, Location> names = new HashMap<>();
  private Mode mode = Mode.ENFORCE;
  private ClientAddress clientAddress = ClientAddress.PEER;
  private JwtSettings jwt = JwtSettings.NONE;
  private @Nullable String keySecret;
  private PathSettings paths = PathSettings.DEFAULT;
  private @Nullable Fields declared;
  private AttributeMap attributes = AttributeMap.NONE;

  /**
   * A rule that is read once all sections are known.
   *
   * @param bare whether the rule is a document by itself
   */
  private record WrittenRule(Located<Node> node, String prefix, boolean bare) {}

  /**
   * @param supplied the attributes that the application supplies without a declaration
   */
  PolicyDraft(Set<String> supplied, Problems problems) {
    this.supplied = supplied;
    this.problems = problems;
  }

  /** Adds a document: rules with their settings, or a single rule. */
  void add(Node document, DocumentSource origin) {
    Located<Node> whole = new Located<>(document, document.at(), "");
    if (document instanceof Node.Mapping mapping
        && mapping.entries().containsKey("limit_keys")
        && !mapping.entries().containsKey("rules")) {
      writtenRules.add(new WrittenRule(whole, origin.prefix(), true));
      return;
    }
    Fields fields = Fields.of(whole, problems);
    if (fields == null) {
      return;
    }
    for (Located<Node> rule : items(fields, "rules")) {
      writtenRules.add(new WrittenRule(rule, origin.prefix(), false));
    }
    writtenExempt.addAll(items(fields, "exempt"));
    addSections(fields, origin);
    fields.declareKnown(EDITOR_FIELDS);
    rejectRuleFields(fields);
    fields.done();
  }

  /** Reports fields of a rule at the top level, once. */
  private static void rejectRuleFields(Fields fields) {
    List<String> misplaced =
        fields.names().stream()
            .filter(name -> RuleFields.NAMES.contains(name) && !fields.isKnown(name))
            .toList();
    if (!misplaced.isEmpty()) {
      fields.reject(
          misplaced.get(0),
          "is a field of a rule: move it into an entry of rules. A file has either rules, or the"
              + " fields of a single rule with limit_keys at the top level");
      fields.declareKnown(misplaced);
    }
  }

  /**
   * Returns the policy.
   *
   * @param whole the file or folder that the policy comes from
   * @throws PolicyException if there are errors
   */
  LoadedPolicy finish(Location whole) {
    readRules();
    if (rules.isEmpty() && problems.errorCount() == 0) {
      problems.error(whole, "", "has no rules");
    }
    new Reachability(exempt, paths, problems).check(rules);
    PatternCheck patterns = new PatternCheck(paths, problems);
    rules.forEach(rule -> patterns.check(rule.value().match(), rule));
    exempt.forEach(entry -> patterns.check(entry.value(), entry));
    ExemptCheck.check(exempt, problems);
    EnforcementCheck.check(rules, mode, sections.get("mode"), problems);
    problems.throwIfErrors();
    Policy policy =
        new Policy(
            rules.stream().map(Located::value).toList(),
            exempt.stream().map(Located::value).toList(),
            mode,
            clientAddress,
            jwt,
            keySecret,
            paths,
            attributes);
    return new LoadedPolicy(policy, problems.warnings(), names);
  }

  private void readRules() {
    AttributeCheck check =
        new AttributeCheck(attributes, supplied, sections.containsKey("jwt"), problems);
    if (declared != null) {
      check.checkSources(declared);
    }
    for (WrittenRule written : writtenRules) {
      RuleReader reader = new RuleReader(written.prefix, attributes, check, problems);
      add(written.bare ? reader.readBare(written.node) : reader.read(written.node));
    }
    writtenExempt.forEach(entry -> addExempt(entry, check));
  }

  private static List<Located<Node>> items(Fields fields, String name) {
    List<Located<Node>> items = fields.list(name);
    return items == null ? List.of() : items;
  }

  private void add(@Nullable Located<Rule> rule) {
    if (rule == null) {
      return;
    }
    String name = rule.value().name();
    Location other = names.putIfAbsent(name, rule.at());
    if (other != null) {
      problems.error(
          rule.at(),
          rule.path(),
          "must have a unique name: " + name + " is also " + other.reference());
      return;
    }
    rules.add(rule);
  }

  private void addExempt(Located<Node> entry, AttributeCheck check) {
    if (entry.value() instanceof Node.Scalar scalar) {
      problems.error(entry.at(), entry.path(), "must be a mapping: " + exemption(scalar.text()));
      return;
    }
    Fields fields = Fields.of(entry, problems);
    if (fields == null) {
      return;
    }
    if (!fields.has("match") && fields.names().stream().anyMatch(BuiltInNames::isBuiltIn)) {
      problems.error(
          entry.at(),
          entry.path(),
          "conditions must be in match, such as {match: {\"ip:address\": 10.0.0.0/8}}");
      return;
    }
    int before = problems.errorCount();
    fields.require("match");
    Match match = MatchReader.read(fields).under(attributes);
    check.checkMatch(fields);
    fields.done();
    if (problems.errorCount() > before) {
      return;
    }
    if (match.conditions().isEmpty()) {
      fields.error("match", "must not be empty: it would exempt every request");
      return;
    }
    exempt.add(new Located<>(match, entry.at(), entry.path()));
  }

  /** Returns the exemption that was probably meant by a text. */
  private static String exemption(String text) {
    return Cidr.parse(text) == null
        ? "{match: {\"ip:address\": 10.0.0.0/8}}, for example"
        : "{match: {\"ip:address\": " + text + "}}";
  }

  private void addSections(Fields fields, DocumentSource origin) {
    Located<Node> address = section(fields, "client_address", "client_address");
    if (address != null) {
      clientAddress = AddressReader.read(address, problems);
    }
    Located<Node> tokens = section(fields, "jwt", "jwt");
    if (tokens != null) {
      jwt = new JwtReader(origin, problems).read(tokens);
    }
    Located<Node> spelling = section(fields, "paths", "paths");
    if (spelling != null) {
      paths = PathsReader.read(spelling, problems);
    }
    Located<Node> names = section(fields, "attributes", "attributes");
    if (names != null) {
      declared = Fields.of(names, problems);
      attributes = declared == null ? AttributeMap.NONE : AttributesReader.read(declared);
    }
    if (section(fields, "mode", "mode") != null) {
      mode = fields.choice("mode", RuleFields.MODES, Mode.ENFORCE);
    }
    Located<Node> secret = section(fields, "key_secret", "key_secret");
    Located<Node> secretFile = section(fields, "key_secret_file", "key_secret");
    if (secret != null || secretFile != null) {
      keySecret = Secrets.read(fields, "key_secret", origin);
    }
  }

  /** Returns a section that may appear only once in a policy, even if it has several files. */
  private @Nullable Located<Node> section(Fields fields, String name, String key) {
    Located<Node> section = fields.located(name);
    if (section == null) {
      return null;
    }
    Location first = sections.putIfAbsent(key, section.at());
    if (first != null) {
      problems.error(section.at(), name, "must be set only once; it is also set at " + first);
    }
    return section;
  }
}
