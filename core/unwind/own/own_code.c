/* SPDX-License-Identifier: MIT */
/* Finds modules of the calling process, their .eh_frame, and the frames of registered JIT code. */
#define _GNU_SOURCE
#include "own_code.h"

#include "base/target_memory.h"

#include <cairn_jit.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Weak, because musl, older versions of glibc and programs without libcairn-jit lack them. */
struct dl_find_object;
extern int _dl_find_object(void *pc, struct dl_find_object *result) __attribute__((weak));
#pragma weak cairn_jit_rules

/* Layout of glibc's struct dl_find_object, which headers before version 2.35 do not declare. */
struct found_object {
	uint64_t flags;
	void *low, *high, *link_map, *header;
	uint64_t reserved[8];
};

enum {
	SIGNAL_SET = 8,
	WORD = 8,
	STAMPED = 64, /* number of bytes of .eh_frame_hdr that identify a module */
	STAMP_BITS = 40,
	ENTRY_HEAD = 16, /* size of the length and ID of a CIE or FDE; no entry is smaller */
};

/*
 * Buffers released by an earlier call, or NULL. A call takes them, or maps new ones if a concurrent
 * call has taken them.
 */
static _Atomic(struct own_scratch *) spare;

static bool take_scratch(struct own_code *own)
{
	if (own->scratch)
		return true;
	own->scratch = atomic_exchange(&spare, NULL);
	if (own->scratch)
		return true;
	void *memory = mmap(NULL, sizeof(*own->scratch), PROT_READ | PROT_WRITE,
	                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	own->scratch = memory == MAP_FAILED ? NULL : memory;
	return own->scratch != NULL;
}

void own_code_finish(struct own_code *own)
{
	struct own_scratch *old = own->scratch ? atomic_exchange(&spare, own->scratch) : NULL;

	if (old)
		munmap(old, sizeof(*old));
}

/*
 * Test memory by making the kernel read a signal set from it. The operation is unknown, but the
 * kernel rejects it only after reading the set. The signal mask does not change.
 */
static bool probe(uint64_t address)
{
	const int unknown_operation = -1;

	return syscall(SYS_rt_sigprocmask, unknown_operation, (uintptr_t)address, NULL,
	               SIGNAL_SET) != 0 &&
	       errno == EINVAL;
}

/*
 * Test memory with probe(), unless it accepts the first page, which is never mapped. Emulators and
 * filters of system calls may reject the operation before reading the set.
 */
static bool can_read(uint64_t address)
{
	static _Atomic int works; /* 0 unknown, 1 yes, -1 no */

	if (works == 0)
		works = probe(SIGNAL_SET) ? -1 : 1;
	return works > 0 && probe(address);
}

static void add_range(struct own_code *own, struct cairn_range range)
{
	for (unsigned i = 0; i < own->range_count; i++) {
		struct cairn_range *old = &own->readable[i];
		if (old->high == range.low) {
			old->high = range.high;
			return;
		}
		if (old->low == range.high) {
			old->low = range.low;
			return;
		}
	}
	/* keep the first range, which is the stack */
	const unsigned at = own->range_count < OWN_RANGES
	                            ? own->range_count++
	                            : 1 + own->next_range++ % (OWN_RANGES - 1);
	own->readable[at] = range;
}

bool own_code_readable(struct own_code *own, uint64_t address, size_t size)
{
	const uint64_t last = address + (size - 1);

	if (last < address)
		return false;
	for (uint64_t page = address & ~(uint64_t)(OWN_PAGE - 1); page <= last; page += OWN_PAGE) {
		bool known = false;
		for (unsigned i = 0; i < own->range_count && !known; i++)
			known = page - own->readable[i].low <
			        own->readable[i].high - own->readable[i].low;
		if (known)
			continue;
		/*
		 * A set that straddles two pages tests both with one system call. Test the first
		 * pages one by one, however, because most stacks are small, and a failed test
		 * beyond the end of a stack costs more than two calls.
		 */
		const uint64_t end = page + OWN_PAGE;
		if (own->tested++ >= OWN_SINGLE_PAGES && can_read(end - SIGNAL_SET / 2))
			add_range(own, (struct cairn_range){ page, end + OWN_PAGE });
		else if (can_read(page + SIGNAL_SET)) /* the kernel ignores a set at NULL */
			add_range(own, (struct cairn_range){ page, end });
		else
			return false;
		if (end == 0)
			return false;
	}
	return true;
}

/* AddressSanitizer does not know which words of a frame are saved registers. */
__attribute__((no_sanitize_address)) static enum cairn_status read_memory(void *context,
                                                                          uint64_t address,
                                                                          void *buffer, size_t size)
{
	if (!own_code_readable(context, address, size))
		return CAIRN_UNREADABLE;
	const volatile uint8_t *from = (const volatile uint8_t *)(uintptr_t)address;
	for (size_t i = 0; i < size; i++)
		((uint8_t *)buffer)[i] = from[i];
	return CAIRN_OK;
}

struct cairn_target own_code_target(struct own_code *own)
{
	return (struct cairn_target){ read_memory, own };
}

static bool borrow(struct own_code *own, uint64_t address, size_t size, struct cairn_bytes *bytes)
{
	*bytes = (struct cairn_bytes){ (const uint8_t *)(uintptr_t)address, size };
	return own_code_readable(own, address, size);
}

static int match_module(struct dl_phdr_info *info, size_t size, void *context)
{
	struct own_module *module = context;
	struct own_module found = { .header = 0 };
	bool contains = false;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		const uint64_t low = info->dlpi_addr + segment->p_vaddr;
		if (segment->p_type == PT_GNU_EH_FRAME)
			found.header = low;
		if (segment->p_type != PT_LOAD)
			continue;
		contains |= module->low - low < segment->p_memsz;
		found.low = found.high ? found.low : low;
		found.high = low + segment->p_memsz;
	}
	if (contains)
		*module = found;
	return contains;
}

/*
 * Compute a module's stamp from its addresses and the start of .eh_frame_hdr, which contains the
 * number of functions and the locations of the first ones.
 */
static uint64_t compute_stamp(const struct own_module *module)
{
	const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
	const uint64_t left = OWN_PAGE - module->header % OWN_PAGE;
	uint64_t sum = (module->low * 3 + module->high) * factor + module->header;

	for (uint64_t at = 0; at + WORD <= STAMPED && at + WORD <= left; at += WORD) {
		uint64_t word;
		memcpy(&word, (const void *)(uintptr_t)(module->header + at), WORD);
		sum = (sum ^ word) * factor;
	}
	return sum >> (64 - STAMP_BITS);
}

static bool look_up_module(uint64_t pc, struct own_module *module)
{
	struct found_object object;

	if (_dl_find_object) {
		if (_dl_find_object((void *)(uintptr_t)pc, (struct dl_find_object *)&object) != 0)
			return false;
		*module = (struct own_module){ (uintptr_t)object.low, (uintptr_t)object.high,
			                       (uintptr_t)object.header, 0 };
	} else {
		*module = (struct own_module){ .low = pc };
		if (dl_iterate_phdr(match_module, module) == 0)
			return false;
	}
	if (module->header)
		module->stamp = compute_stamp(module);
	return true;
}

const struct own_module *own_code_module(struct own_code *own, uint64_t pc)
{
	struct own_module module = { .header = 0 };

	for (unsigned i = 0; i < own->count; i++)
		if (pc - own->modules[i].low < own->modules[i].high - own->modules[i].low)
			return &own->modules[i];
	if (look_up_module(pc, &module)) {
		const unsigned at =
			own->count < OWN_MODULES ? own->count++ : own->next_module++ % OWN_MODULES;
		own->modules[at] = module;
		return &own->modules[at];
	}
	if (!cairn_jit_rules)
		return NULL;
	if (!own->jit_known)
		cairn_jit_rules(0, NULL, 0, &own->jit.stamp);
	own->jit_known = true;
	return &own->jit;
}

static bool find_fde(struct own_code *own, const struct own_module *module, uint64_t pc,
                     uint64_t *fde)
{
	struct ehframe_header header;
	struct cairn_bytes bytes, entry;
	uint64_t start;

	if (module->header - module->low >= module->high - module->low ||
	    !borrow(own, module->header, EHFRAME_HEADER, &bytes) ||
	    ehframe_read_header(bytes, module->header, false, WORD, &header) != CAIRN_OK ||
	    !header.has_table)
		return false;
	const uint64_t table = module->header + EHFRAME_HEADER;
	uint64_t low = 0, high = header.count;
	if (high > (module->high - module->header) / EHFRAME_TABLE_ENTRY)
		return false;
	*fde = 0;
	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;
		uint64_t found;
		if (!borrow(own, table + middle * EHFRAME_TABLE_ENTRY, EHFRAME_TABLE_ENTRY, &entry))
			return false;
		ehframe_table_entry(entry.data, module->header, false, &start, &found);
		if (start > pc) {
			high = middle;
		} else {
			low = middle + 1;
			*fde = found;
		}
	}
	return *fde != 0;
}

/* Borrow a whole CIE or FDE. Set *cie to the address of an FDE's CIE. */
static bool borrow_entry(struct own_code *own, uint64_t address, struct ehframe_source *source,
                         uint64_t *cie)
{
	struct ehframe_entry entry;

	*source = (struct ehframe_source){ .address = address, .section = address, .word = WORD };
	if (!borrow(own, address, ENTRY_HEAD, &source->bytes) ||
	    ehframe_read_entry(source->bytes, address, false, &entry) != CAIRN_OK ||
	    entry.size < ENTRY_HEAD || entry.size > OWN_ENTRY_MAX)
		return false;
	*cie = entry.cie;
	return borrow(own, address, (size_t)entry.size, &source->bytes);
}

/* Copy a JIT function's CIE and FDE to the scratch buffer. Return the FDE's address, or 0. */
static uint64_t copy_jit_frame(struct own_code *own, uint64_t pc)
{
	uint8_t *buffer = own->scratch->jit;
	struct ehframe_entry cie;
	uint64_t changes;
	const size_t size = cairn_jit_rules(pc, buffer, OWN_JIT_MAX, &changes);
	const struct cairn_bytes bytes = { buffer, size };

	if (size == 0 || ehframe_read_entry(bytes, 0, false, &cie) != CAIRN_OK || cie.size >= size)
		return 0;
	own->jit.stamp = changes;
	return (uintptr_t)buffer + cie.size;
}

bool own_code_find_row(struct own_code *own, const struct own_module *module, uint64_t pc)
{
	struct ehframe_source source;
	struct cairn_fault fault;
	uint64_t fde, cie, none;

	if (!take_scratch(own))
		return false;
	struct own_scratch *scratch = own->scratch;
	if (module == &own->jit)
		fde = copy_jit_frame(own, pc);
	else if (!find_fde(own, module, pc, &fde))
		return false;
	if (fde == 0 || !borrow_entry(own, fde, &source, &cie))
		return false;
	struct ehframe_source common;
	if (!borrow_entry(own, cie, &common, &none) ||
	    ehframe_read_cie(&common, &scratch->cie, &fault) != CAIRN_OK ||
	    ehframe_read_fde(&source, &scratch->cie, &scratch->fde, &fault) != CAIRN_OK ||
	    pc - scratch->fde.start >= scratch->fde.size ||
	    cfi_walk_open(&scratch->walk, &scratch->cie, &scratch->fde, &fault) != CAIRN_OK)
		return false;
	do
		if (cfi_walk_next(&scratch->walk, &fault) != CAIRN_OK)
			return false;
	while (pc - scratch->walk.row.start >= scratch->walk.row.end - scratch->walk.row.start);
	return true;
}
