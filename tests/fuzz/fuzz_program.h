/* SPDX-License-Identifier: MIT */
/*
 * An input as the program that a writer converts: its symbols, and its DWARF. Memory stays within the promise.
 *
 *	fuzz_program(data, size, convert);
 */
#ifndef CAIRN_TESTS_FUZZ_FUZZ_PROGRAM_H
#define CAIRN_TESTS_FUZZ_FUZZ_PROGRAM_H

#include "fuzz.h"
#include "held.h"

#include "debuginfo/program.h"

typedef void fuzz_convert(struct program *program, struct aliases *aliases,
                          struct cairn_bytes bytes);

static inline void fuzz_program(const uint8_t *data, size_t size, fuzz_convert *convert)
{
	struct cairn_bytes bytes = { data, size };
	struct aliases aliases = { .entry = NULL };
	struct program_input input = { .debug = bytes, .aliases = &aliases };
	struct program_damage damage = { .section = NULL };
	struct cairn_fault fault;
	struct program *program;

	held_begin();
	if (aliases_read(&aliases, bytes, ALIASES_SYMTAB, &fault) != CAIRN_OK)
		ALWAYS(fault.what);
	aliases_sort(&aliases);
	enum cairn_status status = program_open(&input, &program, &damage);
	if (status == CAIRN_OK) {
		convert(program, &aliases, bytes);
		program_close(program);
	} else {
		ALWAYS(status == CAIRN_NOT_FOUND || damage.fault.what);
	}
	aliases_finish(&aliases);
	held_end(size, HELD_PACKED);
}

#endif
