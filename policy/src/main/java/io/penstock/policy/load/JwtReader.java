package io.penstock.policy.load;

import io.penstock.InvalidValueException;
import io.penstock.policy.AttributeMap;
import io.penstock.policy.jwt.JwtSettings;
import io.penstock.policy.jwt.KeySource;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the {@code jwt} section, which states how tokens are verified. */
final class JwtReader {
  private static final List<String> SOURCES =
      List.of("secret", "secret_file", "public_key", "public_key_file", "jwks_file", "jwks_url");
  private static final int DEFAULT_LEEWAY_SECONDS = 10;
  private static final int DEFAULT_REFRESH_SECONDS = 300;
  private static final int MAX_LEEWAY_SECONDS = 3_600;
  private static final int MAX_REFRESH_SECONDS = 86_400;

  private final DocumentSource origin;
  private final Problems problems;

  JwtReader(DocumentSource origin, Problems problems) {
    this.origin = origin;
    this.problems = problems;
  }

  /** Returns the settings, or {@link JwtSettings#NONE} if they have errors. */
  JwtSettings read(Located<Node> node) {
    if (node.value() instanceof Node.Scalar scalar) {
      boolean isText = scalar.kind() == Node.NodeKind.TEXT;
      if (isText && scalar.text().equals("trusted")) {
        return JwtSettings.TRUSTED;
      }
      if (isText && scalar.text().equals(AttributeMap.CALLER)) {
        return JwtSettings.CALLER;
      }
      problems.error(
          node.at(),
          node.path(),
          "must be trusted, caller, or a mapping with the keys to verify tokens");
      return JwtSettings.NONE;
    }
    Fields fields = Fields.of(node, problems);
    return fields == null ? JwtSettings.NONE : verified(fields);
  }

  private JwtSettings verified(Fields fields) {
    fields.declareKnown(SOURCES);
    KeySource keys = keys(fields);
    List<String> algorithms = texts(fields, "algorithms");
    String issuer = fields.text("issuer");
    List<String> audience = texts(fields, "audience");
    int leeway = fields.whole("leeway_seconds", 0, MAX_LEEWAY_SECONDS, DEFAULT_LEEWAY_SECONDS);
    fields.done();
    if (keys == null) {
      return JwtSettings.NONE;
    }
    try {
      return new JwtSettings(
          JwtSettings.Trust.VERIFY,
          keys,
          algorithms.isEmpty() ? keys.defaultAlgorithms() : algorithms,
          issuer,
          audience,
          Duration.ofSeconds(leeway));
    } catch (IllegalArgumentException e) {
      String wrong = e instanceof InvalidValueException invalid ? invalid.name() : "";
      String field = wrong.equals("algorithm") ? "algorithms" : wrong;
      if (fields.has(field)) {
        fields.invalid(field, e);
      } else {
        problems.error(fields.at(), "jwt", String.valueOf(e.getMessage()));
      }
      return JwtSettings.NONE;
    }
  }

  private @Nullable KeySource keys(Fields fields) {
    int refresh = fields.whole("refresh_seconds", 1, MAX_REFRESH_SECONDS, DEFAULT_REFRESH_SECONDS);
    List<String> given = SOURCES.stream().filter(fields::has).toList();
    if (given.size() != 1) {
      problems.error(
          fields.at(),
          "jwt",
          "must have exactly one of "
              + String.join(", ", SOURCES)
              + (given.isEmpty() ? "" : ", not " + String.join(" and ", given)));
      given.forEach(source -> read(fields, source, refresh));
      return null;
    }
    String source = given.get(0);
    if (!source.equals("jwks_url")) {
      fields.reject("refresh_seconds", "needs a jwks_url");
    }
    return read(fields, source, refresh);
  }

  private @Nullable KeySource read(Fields fields, String source, int refreshSeconds) {
    try {
      return keys(fields, source, Duration.ofSeconds(refreshSeconds));
    } catch (IllegalArgumentException e) {
      fields.invalid(source, e);
      return null;
    }
  }

  private @Nullable KeySource keys(Fields fields, String source, Duration refresh) {
    switch (source) {
      case "secret", "secret_file" -> {
        String secret = Secrets.read(fields, "secret", origin);
        return secret == null ? null : new KeySource.Secret(secret);
      }
      case "public_key", "public_key_file" -> {
        String pem =
            source.equals("public_key") ? fields.text(source) : origin.content(fields, source);
        return pem == null ? null : new KeySource.PublicKey(pem);
      }
      case "jwks_file" -> {
        Path file = origin.file(fields, source);
        return file == null ? null : KeySource.JwksFile.checked(file);
      }
      default -> {
        URI url = fields.text(source, JwtReader::url);
        return url == null ? null : new KeySource.JwksUrl(url, refresh);
      }
    }
  }

  /** Messages don't quote the URL because it may contain a password. */
  private static URI url(String text) {
    try {
      URI url = new URI(text);
      String scheme = url.getScheme();
      if (!"https".equalsIgnoreCase(scheme) && !"http".equalsIgnoreCase(scheme)) {
        throw new IllegalArgumentException("must begin with https:// or http://");
      }
      if (url.getHost() == null) {
        throw new IllegalArgumentException("must name a host: https://…");
      }
      return url;
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("must be a URL such as https://example.com/keys", e);
    }
  }

  /** Reads a text or a list of texts. */
  private List<String> texts(Fields fields, String name) {
    Located<Node> located = fields.located(name);
    if (located == null) {
      return List.of();
    }
    List<Located<Node>> items =
        located.value() instanceof Node.Sequence ? fields.list(name) : List.of(located);
    List<String> texts = new ArrayList<>();
    if (items != null && items.isEmpty()) {
      fields.error(name, "must not be empty");
    }
    for (Located<Node> item : items == null ? List.<Located<Node>>of() : items) {
      String text = fields.text(item);
      if (text != null) {
        texts.add(text);
      }
    }
    return texts;
  }
}
