/* SPDX-License-Identifier: MIT */
/*
 * Demangles Rust symbols in the v0 mangling (RFC 2603): "_RNvC5crate4main" is "crate::main". Crate
 * hashes and the type suffixes of integer constants are omitted, as in rustfilt.
 */
#ifndef CAIRN_FORMATS_RUST_H
#define CAIRN_FORMATS_RUST_H

#include <cairn.h>

enum {
	RUST_DEPTH = 128, /* maximum nesting depth; names in real programs stay below 40 */
	RUST_NAME_MAX = 4096,
	/* maximum length of an identifier with non-ASCII letters, in code points */
	RUST_CODE_POINTS = 256,
	/*
	 * The number of printing steps is limited to RUST_STEPS plus RUST_STEPS_TIMES per byte of
	 * the name, because back references can repeat parts of the name.
	 */
	RUST_STEPS = 1 << 12,
	RUST_STEPS_TIMES = 64,
};

/*
 * Demangle `name` into `out` and return the number of bytes written, at most `capacity`. `name` must
 * not have a compiler suffix. Return 0 if it is not a Rust name, is damaged or too large, or the
 * output exceeds `capacity`; *exhausted is set if a limit was exceeded.
 */
size_t rust_demangle(struct cairn_bytes name, char *out, size_t capacity, bool *exhausted);

#endif
