/* SPDX-License-Identifier: MIT */
/*
 * For programs that write symbolizer markup about themselves, even in a crash handler: the load
 * addresses and build IDs of their modules, and the addresses of a backtrace. `cairn markup` turns
 * the addresses into names, later and elsewhere; the program itself needs no symbols. LLVM's
 * "Symbolizer Markup Format" defines the text.
 *
 *	static struct cairn_modules modules;
 *	cairn_modules_collect(&modules);                        at the start, and after dlopen()
 *	...
 *	cairn_emit_context(STDERR_FILENO, &modules);         in the handler
 *	cairn_emit_bt(STDERR_FILENO, 0, pc, CAIRN_EMIT_PC);
 *	cairn_emit_bt(STDERR_FILENO, 1, caller, CAIRN_EMIT_RA);
 *
 * It does not walk the stack: docs/examples/crash.c shows one way to do that.
 *
 * All functions except cairn_modules_collect() are safe in signal handlers: they allocate no
 * memory, use neither stdio nor the locale, and leave errno as it is. Each line is one write().
 * This header does not include <cairn.h>, and the library is one object, libcairn-markup.a.
 */
#ifndef CAIRN_EMIT_H
#define CAIRN_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	CAIRN_MODULES_MAX = 256,   /* modules beyond it are left out */
	CAIRN_SEGMENTS_MAX = 1024, /* segments of all modules; segments beyond it are left out */
	CAIRN_MODULE_ID = 64,      /* bytes of a build ID; modules with a longer one are left out */
	CAIRN_MODULE_NAME =
		120, /* bytes of a name with the NUL; longer names lose their beginning */
};

/* A loaded file with a build ID. */
struct cairn_module_info {
	uint8_t id[CAIRN_MODULE_ID];
	size_t id_size;
	char name[CAIRN_MODULE_NAME];
};

/*
 * A mapped part of a module, in whole pages. `start` is a pc, and `va` is the same address as
 * linked.
 */
struct cairn_segment {
	uint64_t start, size, va;
	uint16_t module; /* index in cairn_modules.module */
	bool readable, writable, executable;
};

/* All modules of the process. The struct takes some 80 kB, so keep it in static memory. */
struct cairn_modules {
	size_t count, segments;
	struct cairn_module_info module[CAIRN_MODULES_MAX];
	struct cairn_segment segment[CAIRN_SEGMENTS_MAX];
};

/*
 * Fill *modules with the modules that are loaded now, using dl_iterate_phdr(). Not safe in signal
 * handlers.
 */
void cairn_modules_collect(struct cairn_modules *modules);

/*
 * Write one element to the file descriptor. Returns false if the descriptor does not accept the
 * whole line. The format cannot express colons, closing braces and control characters in names, so
 * they become '_'.
 */
bool cairn_emit_reset(int descriptor);
bool cairn_emit_module(int descriptor, uint64_t number, const struct cairn_module_info *module);
bool cairn_emit_mmap(int descriptor, const struct cairn_segment *segment);

/* Write a reset, then each module with its segments. Returns false as above. */
bool cairn_emit_context(int descriptor, const struct cairn_modules *modules);

/*
 * Kind of an address. The address is written unchanged: the reader of a return address subtracts
 * one to find the call.
 */
enum cairn_emit_pc {
	CAIRN_EMIT_PC, /* instruction that raised a signal or was interrupted by one */
	CAIRN_EMIT_RA, /* a return address */
};

/* Write frame `number` (0 is the innermost) of a backtrace. Returns false as above. */
bool cairn_emit_bt(int descriptor, uint64_t number, uint64_t address, enum cairn_emit_pc kind);

#ifdef __cplusplus
}
#endif

#endif
