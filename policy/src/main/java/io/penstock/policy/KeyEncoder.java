package io.penstock.policy;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.policy.address.ClientAddress;
import io.penstock.policy.address.IpAddress;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Writes the keys of buckets, such as {@code user_id=42&path=/search}. Not thread-safe.
 *
 * <p>Different values have different keys: characters that the key format or a store treats
 * specially are escaped. Long values and values that may be secrets appear only as a 128-bit hash
 * after a {@code #}.
 */
final class KeyEncoder {
  private static final String HASH = "SHA-256";
  private static final String KEYED_HASH = "HmacSHA256";
  private static final int HASH_BYTES = 16;
  private static final int MAX_VALUE_LENGTH = 64;
  private static final int MAX_KEY_LENGTH = 512;
  private static final boolean[] PLAIN = plain();
  private static final int MAX_REUSED_BYTES = 4096;
  private static final char[] HEX = "0123456789ABCDEF".toCharArray();
  private static final String BASE64 =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

  private final int ipv6Prefix;
  private final MessageDigest hash;
  private final @Nullable Mac keyedHash;
  private final StringBuilder key = new StringBuilder();
  private byte[] reusable = new byte[2 * MAX_VALUE_LENGTH];
  private final byte[] digest = new byte[32];

  /**
   * The characters that are not escaped: printable ASCII without those that have a meaning in keys
   * or in a store.
   */
  private static boolean[] plain() {
    boolean[] plain = new boolean[0x7f];
    for (char c = '!'; c < plain.length; c++) {
      plain[c] = "%&=#{}\"\\".indexOf(c) < 0;
    }
    return plain;
  }

  KeyEncoder(@Nullable String secret) {
    this(secret, ClientAddress.DEFAULT_IPV6_PREFIX);
  }

  /**
   * @param secret the secret of keyed hashes; null for hashes without a secret
   * @param ipv6Prefix how many bits of an IPv6 address are significant
   */
  KeyEncoder(@Nullable String secret, int ipv6Prefix) {
    this.ipv6Prefix = ipv6Prefix;
    try {
      this.hash = MessageDigest.getInstance(HASH);
      if (secret == null) {
        this.keyedHash = null;
      } else {
        this.keyedHash = Mac.getInstance(KEYED_HASH);
        keyedHash.init(new SecretKeySpec(secret.getBytes(UTF_8), KEYED_HASH));
      }
    } catch (GeneralSecurityException everyJdkHasThese) {
      throw new IllegalStateException(everyJdkHasThese);
    }
  }

  void begin() {
    key.setLength(0);
  }

  /** Adds the value of an attribute. */
  void add(Attribute attribute, String value) {
    separate();
    name(attribute);
    key.append('=');
    if (value.length() > MAX_VALUE_LENGTH || attribute.source().isPrivate()) {
      key.append('#');
      hash(value);
    } else {
      escape(value);
    }
  }

  /** Adds an address as the value of an attribute. Addresses need no escaping. */
  void add(Attribute attribute, IpAddress address) {
    separate();
    name(attribute);
    key.append('=');
    address.appendSubscriber(key, ipv6Prefix);
  }

  /** Marks a part of the key as missing, in a form that no value can have. */
  void addMissing(KeyPart part) {
    separate();
    for (int i = 0; i < part.alternatives().size(); i++) {
      if (i > 0) {
        key.append('|');
      }
      name(part.alternatives().get(i));
    }
  }

  /**
   * Adds the client's address in place of claims that cannot be verified, in a form that no value
   * can have. Requests without an address share one bucket, as if the claims were missing.
   */
  void addUnverified(KeyPart part, @Nullable IpAddress address) {
    addMissing(part);
    if (address != null) {
      key.append("|=");
      address.appendSubscriber(key, ipv6Prefix);
    }
  }

  /** Returns the key, hashed if it is too long. */
  String end() {
    if (key.length() > MAX_KEY_LENGTH) {
      String longKey = key.toString();
      begin();
      key.append('#');
      hash(longKey);
    }
    return key.toString();
  }

  /** Encodes a text for use in a store; long texts are hashed. */
  String encode(String prefix, String text) {
    begin();
    key.append(prefix);
    if (text.length() > MAX_VALUE_LENGTH) {
      key.append('#');
      hash(text);
    } else {
      escape(text);
    }
    return key.toString();
  }

  private void separate() {
    if (key.length() > 0) {
      key.append('&');
    }
  }

  private void name(Attribute attribute) {
    key.append(attribute.source().prefix());
    escape(attribute.name());
  }

  private void escape(String value) {
    if (isPlain(value)) {
      key.append(value);
      return;
    }
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (isPlain(c)) {
        key.append(c);
      } else if (c < 0x100) {
        key.append('%').append(HEX[c >> 4]).append(HEX[c & 15]);
      } else {
        key.append("%u").append(HEX[c >> 12]).append(HEX[(c >> 8) & 15]);
        key.append(HEX[(c >> 4) & 15]).append(HEX[c & 15]);
      }
    }
  }

  private static boolean isPlain(String value) {
    for (int i = 0; i < value.length(); i++) {
      if (!isPlain(value.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  private static boolean isPlain(char c) {
    return c < PLAIN.length && PLAIN[c];
  }

  private void hash(String value) {
    int size = 2 * value.length();
    byte[] characters = buffer(size);
    for (int i = 0; i < value.length(); i++) {
      characters[2 * i] = (byte) (value.charAt(i) >> 8);
      characters[2 * i + 1] = (byte) value.charAt(i);
    }
    try {
      if (keyedHash != null) {
        keyedHash.update(characters, 0, size);
        keyedHash.doFinal(digest, 0);
      } else {
        hash.update(characters, 0, size);
        hash.digest(digest, 0, digest.length);
      }
    } catch (GeneralSecurityException tooShort) {
      throw new IllegalStateException(tooShort);
    }
    base64();
  }

  /** Returns a buffer of at least {@code size} bytes. It is reused unless it is unusually large. */
  private byte[] buffer(int size) {
    if (size > MAX_REUSED_BYTES) {
      return new byte[size];
    }
    if (reusable.length < size) {
      reusable = new byte[size];
    }
    return reusable;
  }

  /** Appends the hash in Base64. */
  private void base64() {
    long bits = 0;
    int count = 0;
    for (int i = 0; i < HASH_BYTES; i++) {
      bits = (bits << 8) | (digest[i] & 0xff);
      count += 8;
      for (; count >= 6; count -= 6) {
        key.append(BASE64.charAt((int) (bits >> (count - 6)) & 63));
      }
    }
    key.append(BASE64.charAt((int) (bits << (6 - count)) & 63));
  }
}
