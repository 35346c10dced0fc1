/**
 * Normalization of request paths, for rules and origins alike. Start with {@link
 * io.penstock.policy.path.NormalPath}.
 */
@NullMarked
package io.penstock.policy.path;

import org.jspecify.annotations.NullMarked;
