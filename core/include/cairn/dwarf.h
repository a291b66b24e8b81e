/* SPDX-License-Identifier: MIT */
/*
 * cairn-dwarf: DWARF for the symbolizer of <cairn.h>.  It is a library of its own (libcairn-dwarf, cairn-dwarf.pc), because
 * it needs the libraries that unpack compressed sections; libcairn needs none of them.
 *
 *	cairn_symbolizer_add(symbolizer, cairn_dwarf_source());
 *
 * It trusts no byte of a file, as libcairn does, and installs no handler.
 */
#ifndef CAIRN_INCLUDE_DWARF_H
#define CAIRN_INCLUDE_DWARF_H

#include <cairn/symbolizer.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Returns the source "dwarf", of rank 200: functions, inlined calls, files, lines and columns from the DWARF of the
 * module's separate debug file or of its own file, and names from the symbol tables of both and from the packed one in
 * .gnu_debugdata.  What it reads is bounded in proportion to the size of the files; flaw() says what a file wanted
 * beyond that.  The struct is a constant.
 */
CAIRN_API const struct cairn_symbol_source *cairn_dwarf_source(void);

#ifdef __cplusplus
}
#endif

#endif
