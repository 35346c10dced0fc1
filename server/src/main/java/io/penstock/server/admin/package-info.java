/**
 * The admin listener: health, metrics, and endpoints for operators. Start with {@link
 * io.penstock.server.admin.AdminListener}, which lists the endpoints.
 */
@NullMarked
package io.penstock.server.admin;

import org.jspecify.annotations.NullMarked;
