/** Normalization of request paths, for rules and origins alike. */
@NullMarked
package io.penstock.policy.path;

import org.jspecify.annotations.NullMarked;
