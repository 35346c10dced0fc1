/** The admin listener: health, metrics, and endpoints for operators. */
@NullMarked
package io.penstock.server.admin;

import org.jspecify.annotations.NullMarked;
