package io.penstock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.policy.http.Json;
import io.penstock.policy.load.Fields;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Node;
import io.penstock.server.database.RuleDraft;
import io.penstock.server.database.RuleFile;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The rules of a running server, accessed through its admin listener. */
final class ServerTarget implements RuleTarget {
  private static final int PAGE_SIZE = 1_000;

  private final AdminClient client;

  ServerTarget(AdminClient client) {
    this.client = client;
  }

  /** A rule and its position. */
  private record PositionedRule(long order, boolean forAll, long id, Node rule) {
    static final Comparator<PositionedRule> COMPARATOR =
        Comparator.comparingLong(PositionedRule::order)
            .thenComparing(PositionedRule::forAll)
            .thenComparingLong(PositionedRule::id);
  }

  @Override
  public List<Node> rules() {
    List<PositionedRule> rules = new ArrayList<>();
    String after = "0";
    while (after != null) {
      Fields page =
          client.send("GET", "/v1/rules?limit=" + PAGE_SIZE + "&after=" + after, "").fields();
      for (Located<Node> item : AdminClient.list(page, "rules")) {
        add(item, rules);
      }
      after = page.given("next") ? page.text("next") : null;
    }
    return rules.stream().sorted(PositionedRule.COMPARATOR).map(PositionedRule::rule).toList();
  }

  private static void add(Located<Node> item, List<PositionedRule> rules) {
    Fields stored = AdminClient.fields(item);
    Node rule = stored.node("rule");
    if (rule instanceof Node.Mapping mapping && stored.flag("active")) {
      Node.NodeField match = mapping.entries().get("match");
      boolean forAll =
          match == null
              || !(match.value() instanceof Node.Mapping conditions
                  && conditions.entries().containsKey("plan"));
      rules.add(
          new PositionedRule(
              AdminClient.number(stored, "tier_order"),
              forAll,
              AdminClient.number(stored, "id"),
              rule));
    }
  }

  @Override
  public List<String> put(List<RuleDraft> drafts, boolean alone, boolean dryRun) {
    List<Node> rules = drafts.stream().map(draft -> draft.rule().value()).toList();
    byte[] body =
        Json.bytes(
            json -> {
              json.writeStartObject();
              json.writeBooleanField("alone", alone);
              RuleFile.write(rules, json);
              json.writeEndObject();
            });
    Fields response =
        client.send("PUT", "/v1/rules?dry_run=" + dryRun, new String(body, UTF_8)).fields();
    return AdminClient.list(response, "changes").stream()
        .map(change -> RuleChangeText.of(change.value()))
        .toList();
  }

  @Override
  public void close() {}
}
