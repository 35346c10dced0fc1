/**
 * Answers as HTTP has them: status, headers and problem bodies, and a request as HTTP brings it.
 */
@NullMarked
package io.penstock.policy.http;

import org.jspecify.annotations.NullMarked;
