/** Simulates how a limit would decide requests, in virtual time. */
@NullMarked
package io.penstock.server.simulation;

import org.jspecify.annotations.NullMarked;
