/* SPDX-License-Identifier: MIT */
/*
 * A program that writes symbolizer markup of itself, in a crash handler too: where its modules are
 * loaded, of which build they are, and the addresses of a backtrace.  `cairn markup` turns it into
 * names, later and elsewhere; the program needs no symbols for it.
 *
 *	static struct cairn_modules modules;
 *	cairn_modules_collect(&modules);                        at the start, and after dlopen()
 *	...
 *	cairn_emit_context(STDERR_FILENO, &modules);         in the handler
 *	cairn_emit_bt(STDERR_FILENO, 0, pc, CAIRN_EMIT_PC);
 *	cairn_emit_bt(STDERR_FILENO, 1, caller, CAIRN_EMIT_RA);
 *
 * What it does not do is walk the stack: docs/examples/crash.c shows one way.
 *
 * All functions but cairn_modules_collect() may be called in a signal handler: no memory is allocated,
 * nothing of stdio or of the locale is used, errno is left as it is.  Each line is one write().
 * This header stands alone, and the library is one object, libcairn-markup.a.
 */
#ifndef CAIRN_MARKUP_H
#define CAIRN_MARKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	CAIRN_MODULES_MAX = 256,   /* more are left out */
	CAIRN_SEGMENTS_MAX = 1024, /* of all of them */
	CAIRN_MODULE_ID = 64,      /* bytes of a build ID; modules with a longer one are left out */
	CAIRN_MODULE_NAME = 120,   /* longer names lose their beginning */
};

/* A loaded file with a build ID. */
struct cairn_module_info {
	uint8_t id[CAIRN_MODULE_ID];
	size_t id_size;
	char name[CAIRN_MODULE_NAME];
};

/* What is mapped of it, in whole pages.  `va`: where `start` is as linked. */
struct cairn_segment {
	uint64_t start, size, va;
	uint16_t module;
	bool readable, writable, executable;
};

/* Some 80 kB, for static memory. */
struct cairn_modules {
	size_t count, segments;
	struct cairn_module_info module[CAIRN_MODULES_MAX];
	struct cairn_segment segment[CAIRN_SEGMENTS_MAX];
};

/* What is loaded now, by dl_iterate_phdr().  Not for signal handlers. */
void cairn_modules_collect(struct cairn_modules *modules);

/*
 * These return false when the descriptor does not take a line.  Names lose what the format has no
 * place for: colons, closing braces and control characters become '_'.
 */
bool cairn_emit_reset(int descriptor);
bool cairn_emit_module(int descriptor, uint64_t number, const struct cairn_module_info *module);
bool cairn_emit_mmap(int descriptor, const struct cairn_segment *segment);

/* The three together, for all modules. */
bool cairn_emit_context(int descriptor, const struct cairn_modules *modules);

/* What an address is; it is written as it is, whoever reads it goes one back to find a call. */
enum cairn_emit_pc {
	CAIRN_EMIT_PC, /* the instruction that ran: of a signal, or interrupted by one */
	CAIRN_EMIT_RA, /* a return address */
};

bool cairn_emit_bt(int descriptor, uint64_t number, uint64_t address, enum cairn_emit_pc kind);

#ifdef __cplusplus
}
#endif

#endif
