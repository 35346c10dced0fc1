package io.penstock.policy.jwt;

import io.penstock.policy.address.Headers;
import io.penstock.policy.address.IpAddress;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The token of a request, which is verified when the first claim is read. Used by one thread at a
 * time.
 */
public final class RequestToken {
  private static final String AUTHORIZATION = "authorization";

  /** Separates repeated values. Also the value of a claim if there are several tokens. */
  private static final String SEPARATOR = ", ";

  private final JwtVerifier jwt;
  private final @Nullable IpAddress client;
  private final Headers headers;
  private @Nullable TokenCheck check;
  private boolean several;

  /**
   * @param jwt verifies the token once, and only if a rule needs a claim
   * @param client the sender; null if unknown
   */
  public RequestToken(JwtVerifier jwt, @Nullable IpAddress client, Headers headers) {
    this.jwt = jwt;
    this.client = client;
    this.headers = headers;
  }

  /** Returns a claim; null if it is missing or the token is not accepted. */
  public @Nullable String claim(String name) {
    return isRepeated() ? SEPARATOR : check().claims().get(name);
  }

  /** If there are several tokens, none is verified until a rule chooses which one counts. */
  private boolean isRepeated() {
    return check().result() == TokenCheck.Result.ABSENT && several;
  }

  /** Returns whether the token cannot be verified because the keys are unavailable. */
  public boolean isUnverifiable() {
    return (check != null || jwt.mayLackKeys())
        && check().result() == TokenCheck.Result.UNVERIFIABLE;
  }

  /** Returns the result of verifying the token. */
  public TokenCheck.Result result() {
    return check().result();
  }

  private TokenCheck check() {
    if (check == null) {
      String sent = headers.get(AUTHORIZATION);
      several = sent != null && sent.contains(SEPARATOR) && headers.all(AUTHORIZATION).size() > 1;
      check = jwt.check(several ? null : sent, client);
    }
    return check;
  }

  /**
   * Returns the claim of the first and of the last token. Verification is expensive, and rules use
   * no other token.
   */
  public List<String> values(String name) {
    String value = claim(name);
    if (!isRepeated()) {
      return value == null ? List.of() : List.of(value);
    }
    List<String> tokens = headers.all(AUTHORIZATION);
    return Stream.of(tokens.get(0), tokens.get(tokens.size() - 1))
        .map(each -> jwt.check(each, client).claims().getOrDefault(name, ""))
        .toList();
  }
}
