/**
 * HTTP requests as policies see them, and verdicts as HTTP responses: status, headers and problem
 * details.
 *
 * <p>Start with {@link io.penstock.policy.http.Gate}, which all listeners and filters call, and
 * {@link io.penstock.policy.http.VerdictResponses}, which writes the headers.
 */
@NullMarked
package io.penstock.policy.http;

import org.jspecify.annotations.NullMarked;
