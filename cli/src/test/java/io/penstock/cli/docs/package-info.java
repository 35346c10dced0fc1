/** Tests of the documentation: links, commands, and names in the text. */
@NullMarked
package io.penstock.cli.docs;

import org.jspecify.annotations.NullMarked;
