/** The admin door: health, figures, and tools for people who run the process. */
@NullMarked
package io.penstock.server.admin;

import org.jspecify.annotations.NullMarked;
