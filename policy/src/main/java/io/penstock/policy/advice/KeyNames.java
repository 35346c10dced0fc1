package io.penstock.policy.advice;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.policy.Attribute;
import io.penstock.policy.Attribute.AttributeSource;
import io.penstock.policy.KeyPart;
import io.penstock.policy.accesslog.LogEntry;
import io.penstock.policy.address.ClientAddress;
import io.penstock.policy.address.IpAddress;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Determines the key of a request as a rule with the same {@code limit_keys} does. */
final class KeyNames {
  private static final int HASH_BYTES = 6;
  private static final int MAX_LENGTH = 64;

  private final List<KeyPart> parts;
  private final StringBuilder key = new StringBuilder();
  private boolean isPartial;

  KeyNames(List<KeyPart> parts) {
    this.parts = parts;
  }

  /** Returns the key; null if a rule would not apply because a part is missing. */
  @Nullable String of(LogEntry entry) {
    key.setLength(0);
    isPartial = false;
    for (KeyPart part : parts) {
      Attribute attribute = part.in(entry);
      if (attribute == null && !part.isOmittable()) {
        return null;
      }
      if (key.length() > 0) {
        key.append('&');
      }
      if (attribute == null) {
        isPartial = true;
        key.append("no ").append(part);
      } else {
        append(attribute, entry);
      }
    }
    return key.toString();
  }

  /** Returns whether the last request lacks a part of its key, as all requests of that key do. */
  boolean isPartial() {
    return isPartial;
  }

  private void append(Attribute attribute, LogEntry entry) {
    IpAddress address = entry.address();
    String value = String.valueOf(attribute.of(entry));
    if (attribute.source() == AttributeSource.ADDRESS && address != null) {
      address.appendSubscriber(key, ClientAddress.DEFAULT_IPV6_PREFIX);
    } else if (attribute.source().isPrivate() || value.length() > MAX_LENGTH) {
      key.append(attribute).append('#').append(hash(value));
    } else {
      key.append(value);
    }
  }

  /** Values of headers may be secrets, and long ones take memory, so only hashes are kept. */
  private static String hash(String value) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(value.getBytes(UTF_8));
      return HexFormat.of().formatHex(hash, 0, HASH_BYTES);
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
