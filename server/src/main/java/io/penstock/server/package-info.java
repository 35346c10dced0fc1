/**
 * The process: its settings, its stores and its doors. Start at {@link
 * io.penstock.server.PenstockServer}.
 */
@NullMarked
package io.penstock.server;

import org.jspecify.annotations.NullMarked;
