/* SPDX-License-Identifier: MIT */
/*
 * Reads the code that a program has registered through GDB's JIT interface: names, lines and unwind
 * rules, from the list in the program's memory.
 *
 *	struct registered_code code;
 *	struct cairn_fault fault;
 *	if (registered_code_read(&code, &target, descriptor, &program, &fault) == CAIRN_OK) {
 *		... jit_code_find(&code.code, pc)
 *		... registered_code_find_rule(&code.search, pc, &rule)
 *		registered_code_finish(&code);
 *	}
 */
#ifndef CAIRN_PROCESS_SNAPSHOT_REGISTERED_CODE_H
#define CAIRN_PROCESS_SNAPSHOT_REGISTERED_CODE_H

#include "symbols/jit_frames.h"

enum { REGISTERED_CODE_MAX = 1 << 26 };

/* JIT code from the list of GDB's JIT interface, a jitdump or a perf map. */
struct registered_code {
	struct cairn_bytes bytes;
	struct jit_code code;
	struct jit_frames_search search;
};

struct registered_program {
	enum cairn_machine machine;
	bool big_endian;
	size_t limit;
};

/*
 * Read the list at `descriptor`. Return the status of jit_list_read() or jit_code_read(); there is
 * nothing to finish unless it is CAIRN_OK. Don't move *code, because `search` points to `code`.
 */
CAIRN_MUST_USE enum cairn_status registered_code_read(struct registered_code *code,
                                                      const struct cairn_target *target,
                                                      uint64_t descriptor,
                                                      const struct registered_program *program,
                                                      struct cairn_fault *fault);
void registered_code_finish(struct registered_code *code);

/* Find the unwind rule for `pc` (amd64, aarch64). Return false if no rule covers `pc`. */
bool registered_code_find_rule(struct jit_frames_search *search, uint64_t pc,
                               struct cairn_rule *rule);

#endif
