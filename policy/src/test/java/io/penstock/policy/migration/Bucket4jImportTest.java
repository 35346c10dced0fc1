package io.penstock.policy.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.Rule;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.policy.load.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class Bucket4jImportTest {
  private static final String BAND = "bandwidths: [{capacity: 5, time: 1, unit: seconds}]";

  @TempDir private Path folder;

  private ImportedPolicy imported(String name, String text) throws IOException {
    return Bucket4jImport.of(List.of(Files.writeString(folder.resolve(name), text)));
  }

  private ImportedPolicy limit(String fields) throws IOException {
    return imported("a.yml", "bucket4j: {filters: [{rate-limits: [{" + fields + "}]}]}");
  }

  private static List<String> messages(ImportedPolicy imported) {
    return imported.problems().stream()
        .map(Problem::message)
        .map(message -> message.replace("has no equivalent in a policy: ", ""))
        .toList();
  }

  @Test
  void of_properties_areAPolicyWithComments() throws IOException {
    ImportedPolicy imported =
        imported(
            "application.properties",
            """
            # limits
            server.port=8080
            bucket4j.enabled=true
            bucket4j.filters[0].id=hello
            bucket4j.filters[0].url=^(/hello|/api/v1).*
            bucket4j.filters[0].strategy=first
            bucket4j.filters[0].rate-limits[0].cache-key=@securityService.username() ?: getRemoteAddr()
            bucket4j.filters[0].rate-limits[0].execute-predicates[0]=METHOD=GET,POST
            bucket4j.filters[0].rateLimits[0].numTokens=2
            bucket4j.filters[0].rate-limits[0].bandwidths[0].capacity=10
            bucket4j.filters[0].rate-limits[0].bandwidths[0].refill-capacity=3
            bucket4j.filters[0].rate-limits[0].bandwidths[0].time=1
            bucket4j.filters[0].rate-limits[0].bandwidths[0].unit=\\
                MINUTES
            bucket4j.filters[0].rate-limits[0].bandwidths[1].capacity=1000
            bucket4j.filters[0].rate-limits[0].bandwidths[1].time=1
            bucket4j.filters[0].rate-limits[0].bandwidths[1].unit=days
            bucket4j.filters[0].rate-limits[1].bandwidths[0].capacity=5
            bucket4j.filters[0].rate-limits[1].bandwidths[0].time=10
            bucket4j.filters[0].rate-limits[1].bandwidths[0].unit=seconds
            """);

    assertThat(imported.problems()).isEmpty();
    assertThat(imported.policy())
        .isEqualTo(
            """
            # From %1$s, for bucket4j-spring-boot-starter.
            # The caller states these, or map them to parts of the request.
            attributes: {"user_id": caller}
            rules:
              # %1$s:7:1
              - name: "hello-1"
                limit_keys: ["user_id|ip:address"]
                match: {method: ["GET", "POST"], path: ["/hello*", "/api/v1*"]}
                group: "hello"
                on_missing_key: share
                limits: [{rate: 3/1m, burst: 10}, {rate: 1000/1d, burst: 1000}]
                fixed_cost: 2
              # %1$s:18:1
              - name: "hello-2"
                limit_keys: []
                match: {path: ["/hello*", "/api/v1*"]}
                group: "hello"
                rate: 5/10s
                burst: 5
            """
                .formatted(folder.resolve("application.properties")));
  }

  @Test
  void of_yaml_hasTheSameForm() throws IOException {
    ImportedPolicy imported =
        imported(
            "application.yml",
            """
            spring: {application: {name: shop}}
            ---
            bucket4j:
              filters:
                - url: .*
                  strategy: all
                  rate-limits:
                    - cache-key: getRemoteAddr()
                      bandwidths: [{capacity: 5, time: 10, unit: seconds, refill-speed: interval}]
                    - execute-predicates: [{name: "PATH=/a/**,/b"}]
                      bandwidths: [{capacity: 7, time: 1, unit: hours}]
              methods:
                - name: save
                  rate-limit:
                    bandwidths: [{capacity: 2, time: 1, unit: minutes}]
            """);

    assertThat(imported.policy())
        .contains(
            "    algorithm: fixed_window\n    limit: 5\n    window: 10s\n",
            "match: {path: [\"/a\", \"/a/*\", \"/b\"]}",
            "    manual: true\n")
        .contains("application.yml:8:");
    assertThat(messages(imported))
        .containsExactly(
            "intervals from the first request on: windows start with the clock",
            "the conditions and keys of @RateLimiting(name = \"save\"); @RateLimited names the"
                + " rule");
    assertThat(PolicyLoader.parse(imported.policy(), "p.yaml").policy().rules())
        .extracting(Rule::group)
        .doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "getRemoteAddr(); [\"ip:address\"]",
        "getRemoteAddress().getHostString(); [\"ip:address\"]",
        "getHeader('X-Api-Key'); [\"header:x-api-key\"]",
        "getHeaders().getFirst('X-Api-Key'); [\"header:x-api-key\"]",
        "getParameter('user') + '-' + getRemoteAddr(); [\"query:user\", \"ip:address\"]",
        "getUserPrincipal()?.getName(); [\"user_id\"]",
        "'all'; []",
        "1; []"
      })
  void of_keys_areAttributes(String expression, String keys) throws IOException {
    ImportedPolicy imported = limit("cache-key: " + PolicyText.quote(expression) + ", " + BAND);

    assertThat(imported.policy()).contains("limit_keys: " + keys + "\n");
    assertThat(imported.problems()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "cache-key: '@bean.key(#this)'; a limit with the key @bean.key(#this)",
        "execute-condition: '@me.isAdmin()'; a limit with execute-condition: @me.isAdmin()",
        "skip-condition: 'getMethod() eq ''GET'''; a limit with skip-condition: getMethod() eq 'GET'",
        "post-execute-condition: 'getStatus() eq 401';"
            + " a limit with post-execute-condition: getStatus() eq 401",
        "skip-predicates: ['PATH=/x']; a limit with skip-predicates: [PATH=/x]",
        "execute-predicates: ['QUERY=q']; a limit with execute-predicates: QUERY=q",
        "execute-predicates: ['PATH=/a/{id}']; a limit with execute-predicates: PATH=/a/{id}"
      })
  void of_limitsThatRulesCannotExpress_areReportedAndLeftOut(String field, String message)
      throws IOException {
    ImportedPolicy imported = limit(field + ", " + BAND);

    assertThat(messages(imported)).containsExactly(message);
    assertThat(imported.policy()).endsWith("rules: []\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "/a[0-9]+; a filter for the URL /a[0-9]+",
        "^/(?!b).*$; a filter for the URL ^/(?!b).*$"
      })
  void of_urlsThatRulesCannotExpress_areReported(String url, String message) throws IOException {
    ImportedPolicy imported =
        imported("a.properties", "bucket4j.filters[0].url=" + url.replace("\\", "\\\\"));

    assertThat(messages(imported)).containsExactly(message);
  }

  @Test
  void of_otherProperties_areReportedOnce() throws IOException {
    ImportedPolicy imported =
        imported(
            "a.yml",
            """
            bucket4j:
              filter-config-caching-enabled: true
              filters:
                - cache-name: buckets
                  http-response-body: no
                  rate-limits:
                    - bandwidths: [{capacity: 5, time: 1, unit: seconds, initial-capacity: 1}]
                - cache-name: buckets
                  rate-limits:
                    - bandwidths: [{capacity: 5, time: 1, unit: centuries}]
            """);

    assertThat(messages(imported))
        .containsExactly(
            "initial-capacity: a bucket starts full",
            "filters.cache-name",
            "filters.http-response-body",
            "a limit with the bandwidth 5 in 1 centuries",
            "filters.cache-name",
            "filter-config-caching-enabled");
  }
}
