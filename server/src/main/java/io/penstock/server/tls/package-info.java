/**
 * TLS of listeners: certificates, client authentication and reloads. Start with {@link
 * io.penstock.server.tls.TlsReloader}.
 */
@NullMarked
package io.penstock.server.tls;

import org.jspecify.annotations.NullMarked;
