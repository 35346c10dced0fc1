/** TLS of listeners: certificates, who may connect, and reloading both. */
@NullMarked
package io.penstock.server.tls;

import org.jspecify.annotations.NullMarked;
