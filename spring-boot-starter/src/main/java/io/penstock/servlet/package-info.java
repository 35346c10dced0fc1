/**
 * A filter for servlet applications, with or without Spring. Start with {@link
 * io.penstock.servlet.RateLimitFilter}.
 */
@NullMarked
package io.penstock.servlet;

import org.jspecify.annotations.NullMarked;
