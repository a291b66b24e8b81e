/* SPDX-License-Identifier: MIT */
/* Return addresses and memory words of the machines in base/machine.h. */
#ifndef CAIRN_UNWIND_TARGET_ARCH_H
#define CAIRN_UNWIND_TARGET_ARCH_H

#include "base/machine.h"

/*
 * Strip a return address of its signature (aarch64), the Thumb bit (arm) or the 31-bit mode bit
 * (s390). The signature is in bits 48 and up and in the bits of `signature`, which is 0 if unknown.
 */
uint64_t arch_strip(enum cairn_machine machine, uint64_t address, uint64_t signature);

bool arch_read_word(const struct arch *arch, const struct cairn_target *target, bool big,
                    uint64_t address, uint64_t *word);

#endif
