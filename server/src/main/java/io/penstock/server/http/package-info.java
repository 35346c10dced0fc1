/**
 * Code that all listeners share: connections, bodies, error responses, tokens. Start with {@link
 * io.penstock.server.http.HttpListener}.
 */
@NullMarked
package io.penstock.server.http;

import org.jspecify.annotations.NullMarked;
