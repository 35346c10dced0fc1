/**
 * Reads access logs of web servers, proxies and load balancers as requests with times. Lines are
 * parsed from bytes, and memory does not depend on the size of a log.
 *
 * <p>Start with {@link io.penstock.policy.accesslog.LogStream}.
 */
@NullMarked
package io.penstock.policy.accesslog;

import org.jspecify.annotations.NullMarked;
