package io.penstock.servlet;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;

/**
 * Says what an application knows of a request that HTTP doesn't: who sent it, on which plan. Asked
 * at most once a request, and only if a rule names such an attribute. Thread-safe.
 */
@FunctionalInterface
public interface AttributeResolver {
  /** Attributes by name, such as {@code plan}; what is unknown is left out. */
  Map<String, String> attributes(HttpServletRequest request);
}
