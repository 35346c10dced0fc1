package io.penstock.server.http;

import io.vertx.core.http.HttpServerOptions;

/**
 * What the guards of a listener's connections need.
 *
 * @param unhandled records the responses that the guards send
 */
record GuardedListener(
    Connections connections, HttpServerOptions options, UnhandledRequests unhandled) {}
