/** Verification of tokens (JWT), whose claims rules can use. */
@NullMarked
package io.penstock.policy.jwt;

import org.jspecify.annotations.NullMarked;
