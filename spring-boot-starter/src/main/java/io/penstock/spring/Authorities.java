package io.penstock.spring;

import java.security.Principal;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;

/** The authorities of Spring Security as attributes: {@code match: {ROLE_PRO: true}}. */
final class Authorities {
  private Authorities() {}

  /** Returns an attribute with the value {@code true} for each authority. */
  static Map<String, String> of(@Nullable Principal principal) {
    if (!(principal instanceof Authentication authentication)) {
      return Map.of();
    }
    Map<String, String> granted = new HashMap<>();
    for (GrantedAuthority authority : authentication.getAuthorities()) {
      String name = authority.getAuthority();
      if (name != null) {
        granted.put(name, "true");
      }
    }
    return granted;
  }
}
