package io.penstock.spring;

import java.security.Principal;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;

/** What somebody is allowed to do, as attributes: {@code match: {ROLE_PRO: true}}. */
final class Authorities {
  private Authorities() {}

  /** Each authority by its name, with the value {@code true}. */
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
