/* SPDX-License-Identifier: MIT */
/*
 * Names of symbols as symbfiles have them: without what compilers put after the name of a copy or
 * part of a function, readable, and for C++ without template arguments.
 *
 * What makes C++ and Rust's newer names readable is symbols/names/demangle.h, which the caller asks; Rust's
 * older names are done here.
 */
#ifndef CAIRN_SYMBOLS_NAMES_SYMBOL_NAME_H
#define CAIRN_SYMBOLS_NAMES_SYMBOL_NAME_H

#include <cairn.h>

enum symbol_language {
	SYMBOL_OTHER, /* stays as it is */
	SYMBOL_CPP, /* "_Z..." and "___Z...": to be demangled, then symbol_name_strip_templates() */
	SYMBOL_RUST,      /* "_R...": to be demangled */
	SYMBOL_RUST_HASH, /* "_ZN...17h<16 digits>E": symbol_name_rust() */
};

enum symbol_language symbol_name_language(struct cairn_bytes name);

/*
 * Takes away .clone.N .constprop.N .llvm.N .isra.N .part.N, each once, and then a final .cold.
 * `out` has room for name.size bytes.  Never leaves nothing.
 */
size_t symbol_name_strip_suffixes(struct cairn_bytes name, char *out);

/* The readable form of a SYMBOL_RUST_HASH; `out` has room for name.size bytes.  0: it is none. */
size_t symbol_name_rust(struct cairn_bytes name, char *out);

/*
 * How many bytes at the beginning of a text, which is not empty, are a sign whose '<' and '>' are not brackets: "->",
 * "operator<<".  0: none.
 */
size_t symbol_name_sign_size(struct cairn_bytes text);

/* A demangled C++ name without template arguments; `out` has room for name.size bytes. */
size_t symbol_name_strip_templates(struct cairn_bytes name, char *out);

#endif
