/* SPDX-License-Identifier: MIT */
/*
 * Normalizes symbol names for symbfiles: demangled, without the suffixes of clones and partial
 * functions, and for C++ without template arguments. The caller demangles C++ and Rust v0 names
 * (symbols/demangle.h); legacy Rust names are demangled here.
 */
#ifndef CAIRN_SYMBOLS_SYMBOL_NAME_H
#define CAIRN_SYMBOLS_SYMBOL_NAME_H

#include <cairn.h>

enum symbol_language {
	SYMBOL_OTHER,
	/* "_Z..." or "___Z...": demangle, then symbol_name_strip_templates() */
	SYMBOL_CPP,
	SYMBOL_RUST, /* "_R...": demangle only */
	SYMBOL_RUST_HASH,
};

enum symbol_language symbol_name_language(struct cairn_bytes name);

/*
 * Remove .clone.N .constprop.N .llvm.N .isra.N .part.N, each at most once, and then a final .cold.
 * `out` has a capacity of name.size bytes. The result is never empty.
 */
size_t symbol_name_strip_suffixes(struct cairn_bytes name, char *out);

/*
 * Demangle a SYMBOL_RUST_HASH name. `out` has a capacity of name.size bytes. Returns 0 if the name
 * is invalid.
 */
size_t symbol_name_rust(struct cairn_bytes name, char *out);

/*
 * Return the size of the operator at the start of `text` ("->", "operator<<" etc.) whose '<' and
 * '>' are not brackets, or 0 if `text` does not begin with one. `text` must not be empty.
 */
size_t symbol_name_sign_size(struct cairn_bytes text);

/* Remove template arguments from a demangled C++ name. `out` has a capacity of name.size bytes. */
size_t symbol_name_strip_templates(struct cairn_bytes name, char *out);

#endif
