/** Requests under the rules of a policy. */
@NullMarked
package io.penstock.bench.policy;

import org.jspecify.annotations.NullMarked;
