/** Code that all listeners share: connections, bodies, error responses, tokens. */
@NullMarked
package io.penstock.server.http;

import org.jspecify.annotations.NullMarked;
