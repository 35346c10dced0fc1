/** What all doors share: bodies, problems, tokens. */
@NullMarked
package io.penstock.server.http;

import org.jspecify.annotations.NullMarked;
