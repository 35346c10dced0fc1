/**
 * PostgreSQL: rules that can be changed at runtime, and a log of denied requests. All SQL is in
 * this package. Start at {@link io.penstock.server.database.Database}.
 */
@NullMarked
package io.penstock.server.database;

import org.jspecify.annotations.NullMarked;
