package io.penstock.servlet;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;

/**
 * Resolves attributes of a request that only the application knows, such as the user or their plan.
 * Called at most once per request, and only if a rule uses such an attribute. Thread-safe.
 */
@FunctionalInterface
public interface AttributeResolver {
  /** Returns attributes by name, such as {@code plan}, without the unknown ones. */
  Map<String, String> attributes(HttpServletRequest request);
}
