/* SPDX-License-Identifier: MIT */
/*
 * Lets a program write symbolizer markup about itself, even in a crash handler: the load addresses
 * and build IDs of its modules, and the addresses of a backtrace. Later, possibly on another
 * machine, `cairn markup` symbolizes the addresses, so the program needs no symbols. LLVM's
 * "Symbolizer Markup Format" defines the output.
 *
 *	static struct cairn_modules modules;
 *	cairn_modules_collect(&modules);                        at the start, and after dlopen()
 *	...
 *	cairn_emit_context(STDERR_FILENO, &modules);         in the handler
 *	cairn_emit_bt(STDERR_FILENO, 0, pc, CAIRN_EMIT_PC);
 *	cairn_emit_bt(STDERR_FILENO, 1, caller, CAIRN_EMIT_RA);
 *
 * These functions do not walk the stack: docs/examples/crash.c shows one way to do so.
 *
 * All functions except cairn_modules_collect() are safe to call from signal handlers: they allocate
 * no memory, use neither stdio nor the locale, and preserve errno. Each line is one write(). This
 * header does not include <cairn.h>, and the library is one object, libcairn-markup.a.
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
	CAIRN_MODULES_MAX = 256, /* maximum number of modules; further modules are skipped */
	/* maximum number of segments in all modules together; further segments are skipped */
	CAIRN_SEGMENTS_MAX = 1024,
	/* maximum size of a build ID; modules with a longer build ID are skipped */
	CAIRN_MODULE_ID = 64,
	CAIRN_MODULE_NAME =
		120, /* capacity for a name with its NUL; longer names lose their beginning */
};

/* A loaded file with a build ID. */
struct cairn_module_info {
	uint8_t id[CAIRN_MODULE_ID];
	size_t id_size;
	char name[CAIRN_MODULE_NAME];
};

/*
 * A range of a module that is mapped, in whole pages. `start` is the pc of its first byte, and `va`
 * is the link-time address of the same byte.
 */
struct cairn_segment {
	uint64_t start, size, va;
	uint16_t module; /* index in cairn_modules.module */
	bool readable, writable, executable;
};

/* All modules in the process. The struct takes about 80 kB, so put it in static memory. */
struct cairn_modules {
	size_t count, segments;
	struct cairn_module_info module[CAIRN_MODULES_MAX];
	struct cairn_segment segment[CAIRN_SEGMENTS_MAX];
};

/*
 * Find the currently loaded modules with dl_iterate_phdr(). Not safe to call from signal handlers.
 */
void cairn_modules_collect(struct cairn_modules *modules);

/*
 * Write one element to the file descriptor. Returns false if the descriptor does not accept the
 * whole line. Colons, closing braces and control characters in names become '_' because the format
 * cannot express them.
 */
bool cairn_emit_reset(int descriptor);
bool cairn_emit_module(int descriptor, uint64_t number, const struct cairn_module_info *module);
bool cairn_emit_mmap(int descriptor, const struct cairn_segment *segment);

/*
 * Write a reset, then each module with its segments. Returns false if the descriptor does not
 * accept all lines.
 */
bool cairn_emit_context(int descriptor, const struct cairn_modules *modules);

/*
 * Kinds of addresses. Addresses are written unchanged; readers must subtract one from a return
 * address to find the call.
 */
enum cairn_emit_pc {
	CAIRN_EMIT_PC, /* an instruction that has raised a signal or been interrupted by one */
	CAIRN_EMIT_RA, /* a return address */
};

/*
 * Write frame `number` of a backtrace; 0 is the innermost frame. Returns false if the descriptor
 * does not accept the whole line.
 */
bool cairn_emit_bt(int descriptor, uint64_t number, uint64_t address, enum cairn_emit_pc kind);

#ifdef __cplusplus
}
#endif

#endif
