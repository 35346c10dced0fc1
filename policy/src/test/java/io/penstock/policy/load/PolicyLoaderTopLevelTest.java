package io.penstock.policy.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.policy.Mode;
import io.penstock.policy.Policy;
import io.penstock.policy.address.Cidr;
import io.penstock.policy.address.ClientAddress;
import io.penstock.policy.jwt.JwtSettings;
import io.penstock.policy.jwt.KeySource;
import io.penstock.policy.path.PathSettings;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PolicyLoaderTopLevelTest {
  private static final String RULE = "\nrules: [{name: r, limit_keys: [], rate: 1/s}]\n";
  private static final String SECRET = "a secret of more than thirty-two bytes";

  @TempDir Path folder;

  private Policy load(String yaml) throws IOException {
    return PolicyLoader.load(Files.writeString(folder.resolve("p.yaml"), yaml + RULE)).policy();
  }

  @Test
  void parse_mode_isForAll() throws IOException {
    assertThat(load("mode: shadow").mode()).isEqualTo(Mode.SHADOW);
    assertThat(load("mode: off").mode()).isEqualTo(Mode.OFF);
  }

  @Test
  void parse_clientAddress_isAsWritten() throws IOException {
    assertThat(
            load("client_address: {trusted_proxies: [10.0.0.0/8, '::1'], header: cf-connecting-ip}")
                .clientAddress())
        .isEqualTo(
            new ClientAddress(
                List.of(Cidr.parse("10.0.0.0/8"), Cidr.parse("::1")),
                ClientAddress.AddressSource.CF_CONNECTING_IP));
  }

  @Test
  void parse_jwtTrusted_isAskedForByName() throws IOException {
    assertThat(load("jwt: trusted").jwt()).isEqualTo(JwtSettings.TRUSTED);
  }

  @Test
  void parse_jwtWithSecret_hasDefaults() throws IOException {
    assertThat(load("jwt: {secret: " + SECRET + "}").jwt())
        .isEqualTo(
            new JwtSettings(
                JwtSettings.Trust.VERIFY,
                new KeySource.Secret(SECRET),
                List.of("HS256"),
                null,
                List.of(),
                Duration.ofSeconds(10)));
  }

  @Test
  void parse_jwtWithUrl_isAsWritten() throws IOException {
    JwtSettings jwt =
        load("jwt: {jwks_url: 'https://id.example.com/keys', algorithms: [RS256], issuer: me,"
                + " audience: [a, b], leeway_seconds: 0, refresh_seconds: 60}")
            .jwt();

    assertThat(jwt.keys())
        .isEqualTo(
            new KeySource.JwksUrl(
                URI.create("https://id.example.com/keys"), Duration.ofMinutes(1)));
    assertThat(jwt.algorithms()).containsExactly("RS256");
    assertThat(jwt.issuer()).isEqualTo("me");
    assertThat(jwt.audience()).containsExactly("a", "b");
    assertThat(jwt.leeway()).isZero();
  }

  @Test
  void load_filesOfSecrets_areRelativeToThePolicy() throws IOException {
    Files.writeString(folder.resolve("hmac"), SECRET + "\n");
    Files.writeString(folder.resolve("salt"), "pepper\r\n");

    Policy policy = load("jwt: {secret_file: hmac, audience: me}\nkey_secret_file: ./salt");

    assertThat(policy.jwt().keys()).isEqualTo(new KeySource.Secret(SECRET));
    assertThat(policy.jwt().audience()).containsExactly("me");
    assertThat(policy.keySecret()).isEqualTo("pepper");
  }

  @Test
  void load_jwksFile_isWhereThePolicyIs() throws IOException {
    Path keys =
        Files.copy(
            Path.of("src/test/resources/io/penstock/policy/keys.jwks"),
            folder.resolve("keys.jwks"));

    assertThat(load("jwt: {jwks_file: keys.jwks}").jwt().keys())
        .isEqualTo(new KeySource.JwksFile(keys.toAbsolutePath()));
  }

  @Test
  void load_jwksFileWithoutKeys_isRejected() throws IOException {
    Files.writeString(folder.resolve("keys.jwks"), "{\"keys\": []}");

    assertThatThrownBy(() -> load("jwt: {jwks_file: keys.jwks}"))
        .hasMessageContaining("jwt.jwks_file: must be a JWK set: ")
        .hasMessageContaining("no RSA or EC key");
  }

  @Test
  void parse_keySecret_isTaken() throws IOException {
    assertThat(load("key_secret: salt").keySecret()).isEqualTo("salt");
  }

  @Test
  void parse_schemaForEditors_isNoRule() throws IOException {
    assertThat(load("$schema: https://example.com/policy.json").rules()).hasSize(1);
  }

  @Test
  void parse_schemaForEditorsBesideABareRule_isNoField() {
    assertThat(Loading.rule("$schema: x, name: r, limit_keys: [], rate: 1/s").name())
        .isEqualTo("r");
    assertThat(Loading.errors("rules: [{$schema: x, name: r, limit_keys: [], rate: 1/s}]"))
        .containsExactly("p.yaml:1:10: rules[0].$schema: unknown field");
  }

  @Test
  void parse_jwtWithoutKeys_isOneError() {
    assertThat(Loading.errors("jwt: {refresh_seconds: 5}" + RULE)).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "client_address: {header: x-forwarded}; client_address.header: must be x-forwarded-for",
        "client_address: {trusted_proxies: [me]}; client_address.trusted_proxies[0]: must be an",
        "client_address: {proxies: []}; client_address.proxies: unknown field",
        "client_address: peer; client_address: must be a mapping, not text",
        "jwt: verified; jwt: must be trusted, caller, or a mapping",
        "jwt: [trusted]; jwt: must be a mapping, not a list",
        "jwt: {}; jwt: must have exactly one of secret, secret_file",
        "jwt: {issuer: x}; jwt: must have exactly one of secret, secret_file",
        "jwt: {secret: a, jwks_file: b}; jwks_url, not secret and jwks_file",
        "jwt: {secret: ''}; jwt.secret: must not be empty",
        "jwt: {secret_file: nowhere}; jwt.secret_file: no such file: ",
        "jwt: {jwks_file: .}; jwt.jwks_file: ",
        "jwt: {jwks_url: 'ftp://x/y'}; jwt.jwks_url: must begin with https:// or http://",
        "jwt: {jwks_url: 'https://a b'}; jwt.jwks_url: must be a URL such as"
            + " https://example.com/keys",
        "jwt: {secret: 0123456789abcdef0123456789abcdef, refresh_seconds: 5}; jwt.refresh_seconds:"
            + " needs a jwks_url",
        "jwt: {secret: 0123456789abcdef0123456789abcdef, leeway_seconds: -1}; jwt.leeway_seconds:"
            + " must be a whole number",
        "jwt: {secret: 0123456789abcdef0123456789abcdef, leeway_seconds: 3601}; jwt.leeway_seconds:"
            + " must be a whole number from 0 to 3600: 3601",
        "jwt: {secret: 0123456789abcdef0123456789abcdef, algorithms: []}; jwt.algorithms: must not"
            + " be empty",
        "jwt: {secret: 0123456789abcdef0123456789abcdef, isuer: y}; jwt.isuer: unknown field;"
            + " did you mean issuer?",
        "key_secret: ''; key_secret: must not be empty",
        "key_secret: [x]; key_secret: must be a single value",
        "{key_secret: 0123456789abcdef0123456789abcdef, key_secret_file: y}; must be set only"
            + " once",
        "exempt: {match: {a: b}}; exempt: must be a list",
        "exempt: [{}]; exempt[0].match: is required",
        "exempt: [{match: {}}]; exempt[0].match: must not be empty",
        "exempt: [{match: {a: ~}}]; exempt[0].match.a: must be a single value",
        "exempt: [{match: {a: b}, name: x}]; exempt[0].name: unknown field",
        "mode: [off]; mode: must be a single value",
        "ruls: []; ruls: unknown field; did you mean rules?"
      })
  void load_badSection_isAnErrorAtItsLocation(String yaml, String error) {
    String text = yaml.startsWith("{") ? yaml.substring(1, yaml.length() - 1) : yaml;
    String lines = yaml.startsWith("{") ? text.replace(", ", "\n") : text;

    assertThat(Loading.errors(lines + RULE)).first().asString().contains(error);
  }

  @ParameterizedTest
  @ValueSource(strings = {"mode: off", "rules: []", "exempt: [{match: {a: b}}]"})
  void parse_noRules_isAnError(String yaml) {
    assertThat(Loading.errors(yaml)).containsExactly("p.yaml: has no rules");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "[]; must be a mapping, not a list",
        "x; must be a mapping, not text",
        "rules: {a: b}; rules: must be a list, in brackets, not a mapping",
        "\"\"; must be a mapping, not text"
      })
  void parse_noPolicy_isAnError(String yaml, String error) {
    assertThat(Loading.errors(yaml)).singleElement().asString().endsWith(error);
  }

  @Test
  void toString_ofErrors_neverQuotesSecrets() {
    assertThat(Loading.errors("jwt: {secret: [hunter2], algorithms: 5}\nkey_secret: {a: hunter2}"))
        .isNotEmpty()
        .noneMatch(line -> line.contains("hunter2"));
  }

  @Test
  void load_paths_areThoseOfTheOrigin() {
    Policy policy =
        Loading.policy(
            """
            paths: {encoded_slashes: decode, parameters: keep, case: insensitive, trailing_slash: strip}
            exempt: [{match: {path: /Health}}]
            rules: [{name: r, limit_keys: [], match: {path: [/API/*, /caf%c3%a9, "/%40me"]}, rate: 1/s}]
            """);
    assertThat(policy.paths())
        .isEqualTo(new PathSettings(PathSettings.EncodedSlashes.DECODE, false, true, false, true));
    assertThat(policy.exempt().get(0).conditions().get(0).describe()).isEqualTo("/health");
    assertThat(policy.rules().get(0).match().conditions().get(0).describe())
        .isEqualTo("/@me or /api or /api/* or /caf%C3%A9");
    assertThat(Loading.policy("{name: r, limit_keys: [], rate: 1/s}").paths())
        .isEqualTo(PathSettings.DEFAULT);
  }

  @Test
  void load_patternWithParameters_isWarnedOf() {
    String rule = "rules: [{name: r, limit_keys: [], match: {path: '/a;b'}, rate: 1/s}]";
    assertThat(Loading.warnings(rule))
        .singleElement()
        .asString()
        .contains("rules[0].match.path: path parameters are stripped");
    assertThat(Loading.warnings("paths: {parameters: keep}\n" + rule)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "/a%2Fb, requests with such a path are rejected",
    "/a%5c*, requests with such a path are rejected",
    "/a\\b, requests with such a path are rejected",
    "/a%00b, requests with such a path are rejected",
    "/a%0Ab, requests with such a path are rejected",
    "/a%7f*, requests with such a path are rejected",
    "/login?x=1, a path has no query",
    "*?*, a path has no query",
    "/a#b, never matches",
    "//a, never matches",
    "/a/../b, never matches",
    "*/./b, never matches"
  })
  void load_patternThatNoPathMatches_isWarnedOf(String pattern, String warning) {
    String rule = "{name: r, limit_keys: [], match: {path: [/ok, '%s']}, rate: 1/s}";
    assertThat(Loading.warnings("rules: [" + rule.formatted(pattern) + "]"))
        .singleElement()
        .asString()
        .contains("rules[0].match.path: ")
        .contains(warning)
        .endsWith(": " + pattern);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "*", "/", "/*", "/a*b", "*.php", "/a/*/b", "/a/", "/a/%2E*", "/..a", "/%2A", "/a%3Fb",
        "/é/*", "/a+b", "/a%20b", "/100%", "/a..", "*/", "/A/*"
      })
  void load_patternThatMatches_isNotWarnedOf(String pattern) {
    String rule = "rules: [{name: r, limit_keys: [], match: {path: '%s'}, rate: 1/s}]\n";
    assertThat(Loading.warnings(rule.formatted(pattern))).isEmpty();
    assertThat(
            Loading.warnings(
                "paths: {case: insensitive, trailing_slash: strip, trailing_dots: strip}\n"
                    + rule.formatted(pattern)))
        .isEmpty();
  }

  @Test
  void load_encodedSlashInPattern_isFineWhereKept() {
    String rule = "rules: [{name: r, limit_keys: [], match: {path: '/a%2Fb'}, rate: 1/s}]";
    assertThat(Loading.warnings("paths: {encoded_slashes: keep}\n" + rule)).isEmpty();
    assertThat(Loading.warnings("paths: {encoded_slashes: decode}\n" + rule)).isEmpty();
  }

  @Test
  void load_pathsThatAreWrong_areErrors() {
    assertThat(Loading.errors("{paths: {case: any, dots: x}, rules: []}"))
        .anySatisfy(error -> assertThat(error).contains("paths.case: must be sensitive | insens"))
        .anySatisfy(error -> assertThat(error).contains("paths.dots: "));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"https://shop.example", "shop.example:443", "shop.example.", "shop.example/a"})
  void host_patternThatNeverMatches_isAWarning(String host) {
    assertThat(Loading.plainWarnings("rate: 1/s, match: {host: '" + host + "'}"))
        .containsExactly(
            "match.host: never matches, as hosts are compared without scheme, port, path and final"
                + " dot: "
                + host);
  }

  @ParameterizedTest
  @ValueSource(strings = {"shop.example", "SHOP.example", "*.example", "*", "[2001:db8::1]"})
  void host_patternThatMatches_isNotAWarning(String host) {
    assertThat(Loading.plainWarnings("rate: 1/s, match: {host: '" + host + "'}")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "path: '*'",
        "path: /*",
        "host: ['*', a]",
        "'ip:address': ['::/0', 0.0.0.0/0]",
        "path: '*', host: '*'"
      })
  void exempt_everyRequest_isAWarning(String match) {
    assertThat(exempting(match))
        .containsExactly(
            "p.yaml:1:10: warning: exempt[0].match: exempts every request, so that no rule"
                + " applies");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"path: /a/*", "path: '*', plan: staff", "'ip:address': 10.0.0.0/8", "host: a"})
  void exempt_someRequests_isNotAWarning(String match) {
    assertThat(exempting(match)).isEmpty();
  }

  private static List<String> exempting(String match) {
    return Loading.warnings(
        "exempt: [{match: {"
            + match
            + "}}]\nrules: [{name: r, limit_keys: [], rate: 1/s}]\nattributes: {plan: caller}");
  }
}
