/**
 * The decision listener, for programs and proxies that ask whether a request may pass. Start with
 * {@link io.penstock.server.decision.DecisionListener}, which lists the endpoints.
 */
@NullMarked
package io.penstock.server.decision;

import org.jspecify.annotations.NullMarked;
