package io.penstock.policy.load;

import static io.penstock.policy.load.Schema.quoted;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * The schema accepts what the loader accepts, and rejects structural errors. If the loader rejects
 * a policy that the schema accepts, a schema can't express the error.
 */
class PolicySchemaPropertiesTest {
  private static void check(String json) {
    Schema.check(json, "p.json");
  }

  @Property(tries = 500)
  void validate_generatedPolicy_agreesWithTheLoader(@ForAll long seed) {
    check(new PolicyMutations(new Random(seed)).policy().toString());
  }

  @Property(tries = 700)
  void validate_mutatedPolicy_agreesWithTheLoader(@ForAll long seed) {
    Random random = new Random(seed);
    PolicyMutations mutations = new PolicyMutations(random);
    ObjectNode policy = mutations.policy();
    for (int i = random.nextInt(3); i >= 0; i--) {
      mutations.mutate(policy);
    }
    check(policy.toString());
  }

  @Property(tries = 700)
  void validate_anyRate_agreesWithTheLoader(@ForAll("rates") String text) {
    check(rule("\"rate\": " + quoted(text)));
  }

  @Property(tries = 300)
  void validate_anyWindow_agreesWithTheLoader(@ForAll("rates") String text) {
    check(rule("\"algorithm\": \"fixed_window\", \"limit\": 5, \"window\": " + quoted(text)));
  }

  @Provide
  Arbitrary<String> rates() {
    return salad(
        "5",
        "0",
        "10",
        "1000000000",
        "5".repeat(35),
        ".",
        "+",
        "-",
        "/",
        "/",
        "/s",
        "s",
        "sec",
        "second",
        "m",
        "min",
        "minute",
        "h",
        "hour",
        "d",
        "day",
        "ms",
        " ",
        "\t",
        "\n",
        "\u00a0",
        "e3",
        "٣");
  }

  @Property(tries = 700)
  void validate_anyAttribute_agreesWithTheLoader(@ForAll("attributes") String text) {
    check(rule("\"rate\": \"5/s\", \"cost_source\": " + quoted(text)));
    check(rule("\"rate\": \"5/s\", \"match\": {" + quoted(text) + ": \"/x\"}"));
    check(rule("\"rate\": \"5/s\", \"match\": {" + quoted(text) + ": [\"10.0.0.1\"]}"));
    check("{\"name\": \"r\", \"rate\": \"5/s\", \"limit_keys\": [" + quoted(text) + "]}");
  }

  @Provide
  Arbitrary<String> attributes() {
    return salad(
        "header:",
        "query:",
        "cookie:",
        "jwt:",
        "ip:",
        "ip:address",
        "path",
        "method",
        "host",
        "fixed",
        "user_id",
        "a",
        "K",
        "b".repeat(63),
        "|",
        "|",
        " ",
        "\t",
        "\n",
        "\u00a0",
        "\u2003",
        "\u001c",
        ",",
        "\"",
        "\\",
        ":",
        "é",
        "\u212a",
        "\u007f",
        "~",
        "{",
        "\ud83d\ude00");
  }

  @Property(tries = 300)
  void validate_anyName_agreesWithTheLoader(@ForAll("namesOfRules") String text) {
    check("{\"limit_keys\": [], \"rate\": \"5/s\", \"name\": " + quoted(text) + "}");
    check(rule("\"rate\": \"5/s\", \"group\": " + quoted(text)));
  }

  @Provide
  Arbitrary<String> namesOfRules() {
    return salad(
        "a",
        "/",
        " ",
        "\"",
        "\\",
        "[",
        "]",
        "~",
        "\u007f",
        "é",
        "\n",
        "\t",
        "\u0085",
        "n".repeat(49),
        "\ud83d\ude00",
        "{}",
        "#");
  }

  @Property(tries = 700)
  void validate_anyNetwork_agreesWithTheLoader(@ForAll("networks") String text) {
    check(rule("\"rate\": \"5/s\", \"match\": {\"ip:address\": " + quoted(text) + "}"));
  }

  @Provide
  Arbitrary<String> networks() {
    return salad(
        "10.0.0.1",
        "255.255.",
        "256",
        "0",
        "1",
        "01",
        ".",
        ":",
        "::",
        "ffff",
        "::1",
        "2001:db8:",
        "/",
        "/8",
        "/32",
        "/33",
        "/128",
        "/129",
        "/08",
        "[",
        "]",
        "%eth0",
        "g",
        " ",
        "\n");
  }

  private static Arbitrary<String> salad(String... words) {
    return Arbitraries.of(words).list().ofMaxSize(8).map(list -> String.join("", list));
  }

  private static String rule(String fields) {
    return "{\"name\": \"r\", \"limit_keys\": [], " + fields + "}";
  }
}
