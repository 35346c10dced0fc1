/**
 * The server process: settings, store, active policy and listeners. Start at {@link
 * io.penstock.server.PenstockServer}.
 */
@NullMarked
package io.penstock.server;

import org.jspecify.annotations.NullMarked;
