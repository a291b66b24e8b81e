/* SPDX-License-Identifier: MIT */
/*
 * Finds unwind rules for code in the calling process, for cairn_backtrace(). Everything here is
 * async-signal-safe: it takes no locks, allocates nothing with malloc(), and reads memory only
 * after the kernel has confirmed that it is readable.
 *
 *	struct own_code own = { .count = 0 };
 *	const struct own_module *module = own_code_module(&own, pc);
 *	if (module && own_code_find_row(&own, module, pc))
 *		... own.scratch->walk.row
 *	own_code_finish(&own);
 */
#ifndef CAIRN_UNWIND_OWN_OWN_CODE_H
#define CAIRN_UNWIND_OWN_OWN_CODE_H

#include "formats/ehframe/cfi.h"
#include "formats/ehframe/ehframe.h"

#include <cairn.h>

enum {
	OWN_PAGE = 4096, /* smallest page size of the supported machines */
	OWN_RANGES = 8,
	OWN_MODULES = 8,
	OWN_SINGLE_PAGES = 4,    /* number of pages tested one by one; later ones in pairs */
	OWN_ENTRY_MAX = 1 << 16, /* maximum size of a CIE or FDE in bytes */
	OWN_JIT_MAX = 4096,      /* maximum size of a JIT function's CIE and FDE in bytes */
};

struct own_module {
	uint64_t low, high;
	uint64_t header; /* address of .eh_frame_hdr; 0 if there is none, and for JIT code */
	uint64_t stamp;  /* 40 bits that change if different code may be at the same addresses */
};

/* Buffers that are too large for a signal handler's stack. */
struct own_scratch {
	struct cfi_walk walk;
	struct ehframe_cie cie;
	struct ehframe_fde fde;
	uint8_t jit[OWN_JIT_MAX];
};

/* State of one call. Zero-initialize it. */
struct own_code {
	/* memory known to be readable; the first range is the stack */
	struct cairn_range readable[OWN_RANGES];
	struct own_module modules[OWN_MODULES];
	struct own_module jit; /* stands for all JIT code */
	bool jit_known;
	unsigned range_count, count, next_range, next_module, tested;
	struct own_scratch *scratch;
};

bool own_code_readable(struct own_code *own, uint64_t address, size_t size);

/* Return a target that reads the process's memory through `own`. */
struct cairn_target own_code_target(struct own_code *own);

/*
 * Return the module that contains `pc`. For code in no module, return &own->jit if the process has
 * libcairn-jit, otherwise NULL.
 */
const struct own_module *own_code_module(struct own_code *own, uint64_t pc);

/*
 * Find the row for `pc`, and store it and its CIE and FDE in own->scratch. Return false if there is
 * no valid row, or if memory for the buffers cannot be mapped.
 */
bool own_code_find_row(struct own_code *own, const struct own_module *module, uint64_t pc);

void own_code_finish(struct own_code *own);

#endif
