package io.penstock.server.figures;

import java.time.Instant;

/**
 * A key that was denied often.
 *
 * @param key the bucket within the rule's group, with private values hashed
 * @param denied the number of denied requests within the window, an upper bound
 * @param error by how much {@code denied} may be too large
 * @param last the time of the last denial, to about a second
 */
public record TopKey(String rule, String key, long denied, long error, Instant last) {}
