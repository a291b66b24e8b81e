/* SPDX-License-Identifier: MIT */
/*
 * Demangles whole names: "_R", a path, and the path of the instantiating crate, which is not
 * printed.
 */
#include "parts.h"

size_t rust_demangle(struct cairn_bytes name, char *out, size_t room, bool *exhausted)
{
	*exhausted = name.size > RUST_NAME_MAX;
	if (name.size < 3 || *exhausted || memcmp(name.data, "_R", 2) != 0)
		return 0;
	struct rust_name r = { .name = { name.data + 2, name.size - 2 },
		               .out = out,
		               .room = room,
		               .steps = RUST_STEPS + RUST_STEPS_TIMES * (unsigned)name.size };
	rust_path(&r, true);
	if (!r.failed && r.at < r.name.size) {
		r.silent = true;
		rust_path(&r, false);
	}
	*exhausted = r.exhausted;
	return r.failed || r.at != r.name.size ? 0 : r.size;
}
