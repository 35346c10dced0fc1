package io.penstock.cli.deploy;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * {@code deploy/docker/compose.yaml}.
 *
 * @param services the services by name
 */
public record Compose(Map<String, Tree> services) {
  /** The value of {@code ${NAME:?message}} in tests. */
  private static final String SECRET = "a-secret-for-tests-only";

  public static Compose read() {
    return new Compose(DeployFile.yaml("docker/compose.yaml").get(0).at("services").entries());
  }

  /** Returns the names of the Penstock services. */
  public List<String> nodes() {
    return services.keySet().stream().filter(name -> name.startsWith("penstock-")).toList();
  }

  /** Returns the environment variables of a service. */
  public Map<String, String> variables(String service) {
    Map<String, String> variables = new TreeMap<>();
    services
        .get(service)
        .at("environment")
        .entries()
        .forEach(
            (name, value) ->
                variables.put(name, value.text().replaceAll("\\$\\{[A-Z_]+:\\?[^}]+}", SECRET)));
    return variables;
  }
}
