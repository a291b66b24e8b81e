/* SPDX-License-Identifier: MIT */
/*
 * cairn-dwarf: adds DWARF to the symbolizer in <cairn.h>. It is a separate library (libcairn-dwarf,
 * cairn-dwarf.pc), because it needs decompression libraries for compressed sections, and libcairn
 * must not depend on them.
 *
 *	cairn_symbolizer_add(symbolizer, cairn_dwarf_source());
 *
 * Like libcairn it treats every file as hostile, and it installs no signal handlers.
 */
#ifndef CAIRN_INCLUDE_DWARF_H
#define CAIRN_INCLUDE_DWARF_H

#include <cairn/symbolizer.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Return the source "dwarf", of rank 200. It provides functions, inlined calls, files, lines and
 * columns from the DWARF in the module's separate debug file or own file, and names from the symbol
 * tables of both files and from the compressed symbol table in .gnu_debugdata. The amount of data
 * that it reads is bounded in proportion to the size of the files; flaw() reports files that exceed
 * the bound. The struct is a constant.
 */
CAIRN_API const struct cairn_symbol_source *cairn_dwarf_source(void);

#ifdef __cplusplus
}
#endif

#endif
