/** What all pages have in common: links that lead somewhere, commands that are run. */
@NullMarked
package io.penstock.cli.docs;

import org.jspecify.annotations.NullMarked;
