/**
 * HTTP requests as policies see them, and verdicts as HTTP responses: status, headers and problem
 * details.
 */
@NullMarked
package io.penstock.policy.http;

import org.jspecify.annotations.NullMarked;
