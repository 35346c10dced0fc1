/**
 * PostgreSQL: rules that others change while everything runs, and a log of denied requests. Only
 * this package knows SQL. Start at {@link io.penstock.server.database.Database}.
 */
@NullMarked
package io.penstock.server.database;

import org.jspecify.annotations.NullMarked;
