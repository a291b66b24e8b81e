/* SPDX-License-Identifier: MIT */
/*
 * What a debugger asks of a core and a minidump does not have: the list of the dynamic linker, the program's dynamic
 * section that leads to it, the files that were mapped, the auxiliary vector, first pages of modules. It is made of the
 * minidump's modules and of their files, as far as these are here.
 */
#ifndef CAIRN_PROCESS_CAPTURE_REOPENED_H
#define CAIRN_PROCESS_CAPTURE_REOPENED_H

#include "base/byte_buffer.h"
#include "process/stacks/stacks.h"
#include "segment_map.h"
#include "vector_records.h"

struct reopened {
	struct cairn_stacks *stacks;
	const struct vector_records *vectors; /* of which the memory is left out */
	size_t program; /* number of the program's module; past the last: not known */
	struct segment_map map;
	struct core_mapped_file *files;
	size_t file_count, file_room;
	struct byte_buffer list;    /* the linker's list, as it is at `list_at` */
	struct byte_buffer dynamic; /* the program's dynamic section */
	struct byte_buffer auxv;
	uint64_t list_at;
	bool program_made; /* its file is one of placeholders.h */
	bool scarce;       /* memory is short */
};

/*
 * The caller has set stacks, vectors, and program_made: a file of placeholders.h stands in for that of the program. False: memory is short. It
 * has to be finished all the same.
 */
bool reopened_make(struct reopened *reopened);
void reopened_finish(struct reopened *reopened);

/* Makes the linker's list, and the section that leads to it. */
void reopened_link(struct reopened *reopened);

/* The auxiliary vector of the minidump, or what is known of it. */
void reopened_make_auxv(struct reopened *reopened);

/* Returns the bits of an address that may hold a signature; 0: by the auxiliary vector the processor does not sign. */
uint64_t reopened_signature_bits(const struct reopened *reopened);

/* The file of a module as ELF; false: it is not here. */
bool reopened_open_elf(const struct snapshot_module *module, struct elf *elf);

/* The first segment of this type in a module's file; false: it has none, or the file is not here. */
bool reopened_find_segment(const struct snapshot_module *module, uint32_t type,
                           struct elf_segment *segment);

/* Is it a module of its own that the linker loaded? */
bool reopened_is_linked(const struct snapshot *snapshot, const struct snapshot_module *module);

/* Where a debugger finds its file: here, or else where the program had it. */
struct cairn_bytes reopened_path(const struct snapshot_module *module);

#endif
