/* SPDX-License-Identifier: MIT */
/* Return addresses and words of the machines in base/machine.h. */
#ifndef CAIRN_UNWIND_TARGET_ARCH_H
#define CAIRN_UNWIND_TARGET_ARCH_H

#include "base/machine.h"

/*
 * Returns a return address without its signature (aarch64), the mark of Thumb code (arm) or that of 31 bits (s390).
 * The signature is in the bits from 48 on, and in those of `signature`, which are 0 where nothing is known of them.
 */
uint64_t arch_strip(enum cairn_machine machine, uint64_t address, uint64_t signature);

/* A word of the machine in memory; false when it cannot be read. */
bool arch_read_word(const struct arch *arch, const struct cairn_target *target, bool big,
                    uint64_t address, uint64_t *word);

#endif
