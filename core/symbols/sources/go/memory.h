/* SPDX-License-Identifier: MIT */
/* A program's memory as the dynamic linker leaves it, read from its file. */
#ifndef CAIRN_SYMBOLS_SOURCES_GO_MEMORY_H
#define CAIRN_SYMBOLS_SOURCES_GO_MEMORY_H

#include "go_program.h"

/* Sets segments, relocations and memory of program->elf. */
void go_memory_open(struct go_program *program);

/* The file's bytes from an address on, up to the end of their segment. */
bool go_memory_lend(void *program, uint64_t va, struct cairn_bytes *bytes);

/* Orders the relocations, for many questions.  False when memory is short. */
bool go_memory_sort(struct go_program *program);

/* The address of a pointer with this value, after *at, which begins with 0. */
bool go_memory_next_pointer(const struct go_program *program, uint64_t value, size_t *at,
                            uint64_t *va);

#endif
