/** Policies that are equivalent to the configurations of other rate limiters. */
@NullMarked
package io.penstock.policy.migration;

import org.jspecify.annotations.NullMarked;
