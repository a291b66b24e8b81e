/* SPDX-License-Identifier: MIT */
/*
 * Describes the cause of a crash: the codes of Linux signals, and the memory at a faulting address.
 */
#include "stacks.h"

#include "base/machine.h"
#include "base/names.h"
#include "base/path.h"
#include "unwind/target/memory.h"

#include <inttypes.h>
#include <stdio.h>

enum {
	NULL_PAGE = 4096,
	NEAR_STACK = 1 << 20, /* bytes below a stack pointer: a large frame may not have fit */
	NEAR_MODULE = 1 << 16,
	SIGNAL_ILL = 4,
	SIGNAL_BUS = 7,
	SIGNAL_FPE = 8,
	SIGNAL_SEGV = 11,
	MAPERR = 1, /* SEGV_MAPERR: nothing is mapped there */
	DESCRIPTION = 160,
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *find_code_name(uint32_t signal, int32_t code)
{
	static const char *const segv[] = { NULL, "SEGV_MAPERR", "SEGV_ACCERR", "SEGV_BNDERR",
		                            "SEGV_PKUERR" };
	static const char *const bus[] = { NULL,         "BUS_ADRALN",    "BUS_ADRERR",
		                           "BUS_OBJERR", "BUS_MCEERR_AR", "BUS_MCEERR_AO" };
	static const char *const fpe[] = { NULL,         "FPE_INTDIV", "FPE_INTOVF",
		                           "FPE_FLTDIV", "FPE_FLTOVF", "FPE_FLTUND",
		                           "FPE_FLTRES", "FPE_FLTINV", "FPE_FLTSUB" };
	static const char *const ill[] = { NULL,         "ILL_ILLOPC", "ILL_ILLOPN",
		                           "ILL_ILLADR", "ILL_ILLTRP", "ILL_PRVOPC",
		                           "ILL_PRVREG", "ILL_COPROC", "ILL_BADSTK" };
	const size_t at = code > 0 ? (size_t)code : 0;

	switch (signal) {
	case SIGNAL_SEGV:
		return at < COUNT(segv) ? segv[at] : NULL;
	case SIGNAL_BUS:
		return at < COUNT(bus) ? bus[at] : NULL;
	case SIGNAL_FPE:
		return at < COUNT(fpe) ? fpe[at] : NULL;
	case SIGNAL_ILL:
		return at < COUNT(ill) ? ill[at] : NULL;
	default:
		return NULL;
	}
}

/*
 * Return true if the address is in a guard within a mapping (MADV_GUARD_INSTALL). The kernel
 * reports writable memory as unmapped only in such guards.
 */
static bool is_guard(const struct snapshot *snapshot, const struct snapshot_mapping *mapping)
{
	return mapping && mapping->has_access && (mapping->access & SNAPSHOT_WRITE) &&
	       snapshot->crash.signal == SIGNAL_SEGV && snapshot->crash.code == MAPERR;
}

/*
 * Return the thread whose stack begins just above the address, so that it overflowed, or NULL. The
 * address may be in a guard, in the mapping of the stack, in one without access, or not mapped.
 */
static const struct snapshot_thread *find_overflow(const struct snapshot *snapshot,
                                                   uint64_t address)
{
	const struct snapshot_mapping *here = snapshot_find_mapping(snapshot, address);
	const bool guard = is_guard(snapshot, here);
	const struct snapshot_mapping *above =
		guard ? here : snapshot_next_mapping(snapshot, address);

	if ((!guard && here && here->has_access && (here->access & SNAPSHOT_WRITE)) || !above ||
	    (!guard && above->low - address > NEAR_STACK) || !(above->access & SNAPSHOT_WRITE))
		return NULL;
	for (size_t i = 0; i < snapshot->thread_count; i++) {
		const struct snapshot_thread *thread = &snapshot->threads[i];
		const uint64_t sp = registers_stack_pointer(&thread->registers);
		if (sp - (address - NEAR_STACK) < 2 * (uint64_t)NEAR_STACK && sp < above->high)
			return thread;
	}
	return NULL;
}

/* Return the nearest module that ends before the address, or NULL if none is near. */
static const struct snapshot_module *find_module_before(const struct snapshot *snapshot,
                                                        uint64_t address)
{
	const struct snapshot_module *best = NULL;

	for (size_t i = 0; i < snapshot->module_count; i++) {
		const struct snapshot_module *m = &snapshot->modules[i];
		if (m->high <= address && address - m->high < NEAR_MODULE &&
		    (!best || m->high > best->high))
			best = m;
	}
	return best;
}

/* Copy a name for use in a description, with blanks and everything but printable ASCII replaced. */
static const char *make_plain(struct cairn_bytes text, char out[DESCRIPTION])
{
	size_t size = text.size < DESCRIPTION - 1 ? text.size : DESCRIPTION - 1;

	for (size_t i = 0; i < size; i++)
		out[i] = text.data[i] > ' ' && text.data[i] < 0x7f ? (char)text.data[i] : '?';
	out[size] = '\0';
	return out;
}

/*
 * Describe the mapping of an address. Its access mode is of interest only if the program accessed
 * the address.
 */
static void describe_mapping(const struct snapshot_mapping *mapping, bool is_accessed, char *text,
                             size_t size)
{
	char name[DESCRIPTION];
	const bool readable = (mapping->access & SNAPSHOT_READ) != 0;
	const bool writable = (mapping->access & SNAPSHOT_WRITE) != 0;

	snprintf(text, size, "in %s%s%s",
	         mapping->path.size ? make_plain(base_name(mapping->path), name)
	                            : "memory without a file",
	         is_accessed ? ", which is " : "",
	         !is_accessed           ? ""
	         : !mapping->has_access ? "mapped"
	         : writable             ? "writable"
	         : readable             ? "read-only"
	                                : "without access");
}

static void describe_address(const struct snapshot *snapshot, char *text, size_t size)
{
	const uint64_t address = snapshot->crash.fault_address;
	const struct snapshot_mapping *mapping = snapshot_find_mapping(snapshot, address);
	const struct snapshot_crash *crash = &snapshot->crash;
	char name[DESCRIPTION];
	uint8_t byte;

	if (address < NULL_PAGE) {
		snprintf(text, size, "null pointer");
		return;
	}
	const struct snapshot_thread *thread = find_overflow(snapshot, address);
	if (thread) {
		snprintf(text, size, "just below the stack of thread %" PRIu64 ", which overflowed",
		         thread->tid);
		return;
	}
	if (is_guard(snapshot, mapping)) {
		snprintf(text, size, "in a guard within writable memory");
		return;
	}
	if (mapping) {
		describe_mapping(mapping,
		                 crash->signal != SIGNAL_ILL && crash->signal != SIGNAL_FPE, text,
		                 size);
		return;
	}
	/* Minidumps list modules, but may not list mappings or all memory. */
	const bool is_dump = snapshot->kind == CAIRN_STACKS_MINIDUMP;
	const struct snapshot_module *module =
		is_dump ? snapshot_find_module(snapshot, address) : NULL;
	if (module && module->path.size) {
		snprintf(text, size, "in %s", make_plain(base_name(module->path), name));
		return;
	}
	if (module || (is_dump && memory_read(&snapshot->memory, address, &byte, sizeof(byte)))) {
		snprintf(text, size, "mapped");
		return;
	}
	if (snapshot->mapping_count == 0 &&
	    (crash->signal != SIGNAL_SEGV || crash->code != MAPERR)) {
		snprintf(text, size, "in no module, and other mappings are not listed");
		return;
	}
	module = find_module_before(snapshot, address);
	if (module && module->path.size)
		snprintf(text, size, "not mapped, %" PRIu64 " bytes past %s",
		         address - module->high, make_plain(base_name(module->path), name));
	else
		snprintf(text, size, "not mapped");
}

void cairn_stacks_crash(const struct cairn_stacks *stacks, struct cairn_crash *crash)
{
	const struct snapshot_crash *from = &stacks->snapshot.crash;

	*crash = (struct cairn_crash){ .known = from->known,
		                       .signal = from->signal,
		                       .code = from->code,
		                       .name = cairn_signal_name(from->signal),
		                       .code_name = find_code_name(from->signal, from->code),
		                       .exception = from->exception,
		                       .has_address = from->has_address,
		                       .address = from->fault_address,
		                       .has_sender = from->has_sender,
		                       .sender = from->sender,
		                       .sender_user = from->sender_user };
	crash->text = signal_phrase(from->signal);
	if (crash->has_address && (crash->code_name || crash->exception))
		describe_address(&stacks->snapshot, crash->accessed, sizeof(crash->accessed));
}
