/* SPDX-License-Identifier: MIT */
/*
 * Readable names for C++ and Rust, whole ones with the arguments of templates, by our own readers
 * (formats/itanium, formats/rust): what is installed where cairn runs changes none.
 *
 * A linker's name of 267 bytes can stand for 738 MB of text, and one of 150 bytes for no text that
 * takes years to find.  So names, texts and the work are bounded.  A name above a bound has no readable
 * form: it stays as the linker knows it, and is never cut.
 */
#ifndef CAIRN_SYMBOLS_NAMES_DEMANGLE_H
#define CAIRN_SYMBOLS_NAMES_DEMANGLE_H

#include <cairn.h>

#include "base/allowance.h"

enum {
	DEMANGLE_NAME_MAX = 4096, /* bytes of a linker's name */
	/* Bytes of a text: three times the longest of libLLVM's 91,000 names and ceph-mds' 43,000. */
	DEMANGLE_TEXT_MAX = CAIRN_DEMANGLE_MAX,
};

enum demangle_style {
	DEMANGLE_GNU,  /* "f() [clone .cold]", as libstdc++ and binutils write */
	DEMANGLE_LLVM, /* "f() (.cold)" */
};

/*
 * How many bytes were put in `out`, which has `room` of them; no NUL is put.  0: the name has no
 * readable form, is above a bound, or its text does not fit.  Names that are read begin with "_Z",
 * "___Z" (blocks), "_R", or with a dot in front of these, which stays.
 */
size_t demangle_name(struct cairn_bytes name, enum demangle_style style, char *out, size_t room);

/* The same for what need not be an ELF symbol: names with one more underscore are read, too. */
size_t demangle_word(struct cairn_bytes word, enum demangle_style style, char *out, size_t room);

/* The same two, drawing the steps that they take; when these are used up no name has a readable form. */
size_t demangle_name_within(struct cairn_bytes name, enum demangle_style style, char *out,
                            size_t room, struct allowance *allowance);
size_t demangle_word_within(struct cairn_bytes word, enum demangle_style style, char *out,
                            size_t room, struct allowance *allowance);

/*
 * How long the text of "_Z..." or "_R..." is; 0: it has none; SIZE_MAX: it is above a bound, or would
 * keep a debugger's demangler busy, so that nobody should be asked for it.
 */
size_t demangled_size(struct cairn_bytes name);

#endif
