/* SPDX-License-Identifier: MIT */
/*
 * Readable names for symbols of Rust in its newer mangling, which is RFC 2603's: "_RNvC5crate4main" is
 * "crate::main".  Hashes of crates and types of numbers are left out, as rustfilt does.
 */
#ifndef CAIRN_FORMATS_RUST_H
#define CAIRN_FORMATS_RUST_H

#include <cairn.h>

enum {
	RUST_DEPTH = 128,       /* parts in parts; real names stay below 40 */
	RUST_NAME_MAX = 4096,   /* bytes of a name */
	RUST_CODE_POINTS = 256, /* of an identifier with other letters than ASCII's */
	RUST_STEPS = 1 << 12,   /* of printing: parts may be used again and again */
	RUST_STEPS_TIMES = 64,  /* more of them for each byte of the name */
};

/*
 * How many bytes were put in `out`, which has `room` of them.  0: the name, which has no suffix of a
 * compiler, is none of Rust, damaged, too large, or its text does not fit; *exhausted reports whether
 * such a bound ended it.
 */
size_t rust_demangle(struct cairn_bytes name, char *out, size_t room, bool *exhausted);

#endif
