/**
 * Verification of tokens (JWT), whose claims rules can use. Start with {@link
 * io.penstock.policy.jwt.JwtVerifier}.
 */
@NullMarked
package io.penstock.policy.jwt;

import org.jspecify.annotations.NullMarked;
