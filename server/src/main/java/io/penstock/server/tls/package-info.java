/** TLS of listeners: certificates, client authentication and reloads. */
@NullMarked
package io.penstock.server.tls;

import org.jspecify.annotations.NullMarked;
