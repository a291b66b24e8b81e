/* SPDX-License-Identifier: MIT */
/*
 * Reads target memory through the host's callback. Retries a failed read page by page, and in
 * smaller steps within the last page.
 */
#include "target_memory.h"

#include "base/bytes.h"

enum {
	/*
	 * maximum number of bytes per host call, because hosts use int for lengths and check for
	 * Ctrl-C between calls
	 */
	STEP = 1 << 18,
	PAGE = 4096,
};

bool memory_read(const struct cairn_target *target, uint64_t address, void *buffer, size_t size)
{
	if (size == 0 || address + (size - 1) < address)
		return false;
	return target->read_memory(target->context, address, buffer, size) == CAIRN_OK;
}

bool memory_word(const struct cairn_target *target, uint64_t address, bool big, uint64_t *word)
{
	uint8_t bytes[8];

	if (!memory_read(target, address, bytes, sizeof(bytes)))
		return false;
	*word = bytes_u64(bytes, big);
	return true;
}

/*
 * Read up to the end of readable memory within a page. A capture may contain only the beginning of
 * a page of stack or code.
 */
static size_t read_beginning(const struct cairn_target *target, uint64_t address, uint8_t *buffer,
                             size_t size)
{
	size_t done = 0;

	if (!memory_read(target, address, buffer, 1))
		return 0;
	for (size_t part = PAGE / 2; part > 0; part /= 2)
		if (part <= size - done && memory_read(target, address + done, buffer + done, part))
			done += part;
	return done;
}

/* Read page by page after a larger read has failed, to find the end of the mapping. */
static size_t read_pages(const struct cairn_target *target, uint64_t address, uint8_t *buffer,
                         size_t size)
{
	size_t done = 0;

	while (done < size) {
		size_t part = PAGE - (size_t)((address + done) % PAGE);
		part = part < size - done ? part : size - done;
		if (!memory_read(target, address + done, buffer + done, part))
			return done + read_beginning(target, address + done, buffer + done, part);
		done += part;
	}
	return done;
}

size_t memory_read_some(const struct cairn_target *target, uint64_t address, void *buffer,
                        size_t size)
{
	uint8_t *out = buffer;
	size_t done = 0;

	while (done < size) {
		size_t part = size - done < STEP ? size - done : STEP;
		if (!memory_read(target, address + done, out + done, part))
			return done + read_pages(target, address + done, out + done, part);
		done += part;
	}
	return done;
}

enum {
	AARCH64_ADDRESS_BITS = 48,
	/*
	 * number of the bit that distinguishes user from kernel addresses, and thus is never part
	 * of the signature
	 */
	AARCH64_SELECT_BIT = 55,
};

uint64_t arch_strip_signature(uint64_t address, uint64_t signature)
{
	const uint64_t code = ~(((uint64_t)1 << AARCH64_ADDRESS_BITS) - 1) | signature;

	return address >> AARCH64_SELECT_BIT & 1 ? address | code : address & ~code;
}

bool arch_read_word(const struct arch *arch, const struct cairn_target *target, bool big,
                    uint64_t address, uint64_t *word)
{
	uint8_t bytes[4];

	if (arch->word != sizeof(bytes))
		return memory_word(target, address, big, word);
	if (!memory_read(target, address, bytes, sizeof(bytes)))
		return false;
	*word = bytes_u32(bytes, big);
	return true;
}
