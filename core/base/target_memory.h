/* SPDX-License-Identifier: MIT */
/*
 * Reads target memory, and words and return addresses in the format of each machine in
 * base/machine.h. The host may throw a C++ exception from any read, so a caller must not hold
 * memory across a read unless the space owns it.
 */
#ifndef CAIRN_BASE_TARGET_MEMORY_H
#define CAIRN_BASE_TARGET_MEMORY_H

#include "base/machine.h"

#include <cairn.h>

/*
 * Read `size` bytes. Return false if any byte is unreadable. Reject a range that wraps without
 * calling the host.
 */
bool memory_read(const struct cairn_target *target, uint64_t address, void *buffer, size_t size);

bool memory_word(const struct cairn_target *target, uint64_t address, bool big, uint64_t *word);

/*
 * Read up to `size` bytes with one or more host calls. Return the number of bytes before the first
 * unreadable one.
 */
size_t memory_read_some(const struct cairn_target *target, uint64_t address, void *buffer,
                        size_t size);

/* Strip the signature from an aarch64 return address. See arch_strip() for `signature`. */
uint64_t arch_strip_signature(uint64_t address, uint64_t signature);

/*
 * Strip the signature (aarch64), the Thumb bit (arm) or the 31-bit mode bit (s390) from a return
 * address. The signature consists of bits 48 and up and of the bits in `signature`, which is 0 if
 * unknown.
 */
static inline uint64_t arch_strip(const struct arch *arch, uint64_t address, uint64_t signature)
{
	return arch->signs ? arch_strip_signature(address, signature) : address & ~arch->return_tag;
}

bool arch_read_word(const struct arch *arch, const struct cairn_target *target, bool big,
                    uint64_t address, uint64_t *word);

#endif
