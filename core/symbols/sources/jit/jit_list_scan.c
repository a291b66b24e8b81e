/* SPDX-License-Identifier: MIT */
/* Looks for the list where no symbol table says where it is: a descriptor whose first entry has an ELF object is one. */
#include "jit_list.h"

#include "base/bytes.h"
#include "formats/elf/elf.h"

#include <stdlib.h>
#include <string.h>

enum {
	WORD = 8,
	ACTIONS = 3, /* none, registered, unregistered */
	ELF_HEADER = 64,
	STEP = 1 << 16, /* bytes that are read at once */
	PAGE = 1 << 12,
};

static bool has_object(const struct cairn_target *target, uint64_t object, uint64_t size)
{
	uint8_t begin[4];

	return size >= ELF_HEADER && size <= JIT_LIST_OBJECT &&
	       jit_list_read_memory(target, object, begin, sizeof(begin)) &&
	       elf_has_magic((struct cairn_bytes){ begin, sizeof(begin) });
}

/* The bytes are those of a descriptor of a list that is not empty. */
static bool is_first_entry(const struct cairn_target *target, uint64_t entry, bool big)
{
	uint8_t bytes[JIT_LIST_ENTRY];

	if (entry == 0 || entry % WORD != 0 ||
	    !jit_list_read_memory(target, entry, bytes, sizeof(bytes)))
		return false;
	return bytes_unsigned(bytes + WORD, WORD, big) == 0 &&
	       bytes_unsigned(bytes, WORD, big) % WORD == 0 &&
	       has_object(target, bytes_unsigned(bytes + 2 * WORD, WORD, big),
	                  bytes_unsigned(bytes + 3 * WORD, WORD, big));
}

static bool is_list(const struct cairn_target *target, const uint8_t *bytes, bool big)
{
	return bytes_unsigned(bytes, 4, big) == JIT_LIST_VERSION &&
	       bytes_unsigned(bytes + 4, 4, big) < ACTIONS &&
	       is_first_entry(target, bytes_unsigned(bytes + 2 * WORD, WORD, big), big);
}

/* Descriptors that begin in the first `size` bytes; JIT_LIST_DESCRIPTOR more are there. */
static bool scan_bytes(const struct cairn_target *target, const uint8_t *bytes, size_t size,
                       bool big, size_t *at)
{
	for (*at = 0; *at < size; *at += WORD)
		if (is_list(target, bytes + *at, big))
			return true;
	return false;
}

/* Reads in steps, or where that fails in pages: a capture may have one, and nothing around it.  Returns how many bytes. */
static size_t read_step(const struct cairn_target *target, struct cairn_range range, uint8_t *bytes,
                        uint64_t *step)
{
	static const size_t steps[] = { STEP, PAGE };
	const uint64_t left = range.high - range.low;

	for (size_t i = 0; i < 2; i++) {
		const uint64_t wanted = steps[i] + JIT_LIST_DESCRIPTOR;
		const size_t size = (size_t)(left < wanted ? left : wanted);
		*step = left < steps[i] ? left : steps[i];
		if (jit_list_read_memory(target, range.low, bytes, size))
			return size;
	}
	*step = left < PAGE ? left : PAGE - range.low % PAGE;
	return *step >= JIT_LIST_DESCRIPTOR &&
	                       jit_list_read_memory(target, range.low, bytes, (size_t)*step)
	               ? (size_t)*step
	               : 0;
}

bool jit_list_scan(const struct cairn_target *target, struct cairn_range range, bool big,
                   uint64_t *descriptor)
{
	uint8_t *bytes = calloc(1, STEP + JIT_LIST_DESCRIPTOR);
	bool found = false;
	size_t at;

	range.low = range.low <= UINT64_MAX - WORD ? (range.low + WORD - 1) & ~(uint64_t)(WORD - 1)
	                                           : UINT64_MAX;
	while (bytes && !found && range.low < range.high &&
	       range.high - range.low >= JIT_LIST_DESCRIPTOR) {
		uint64_t step;
		const size_t size = read_step(target, range, bytes, &step);

		found = size > 0 &&
		        scan_bytes(target, bytes, size - JIT_LIST_DESCRIPTOR + 1, big, &at);
		*descriptor = found ? range.low + at : *descriptor;
		range.low += step;
	}
	free(bytes);
	return found;
}
