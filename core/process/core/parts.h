/* SPDX-License-Identifier: MIT */
/*
 * What the header, the segments and the notes of a core tell, one part at a time, in the order of a
 * core: for cores that lie in memory as a whole, and for those that come as a stream.
 *
 *	core_parts_describe(&snapshot, &elf);
 *	core_parts_add_segment(&snapshot, &segment);             each PT_LOAD
 *	snapshot_sort_mappings(&snapshot);
 *	struct core_notes reading = core_notes_begin(&snapshot, &elf, offset);
 *	core_notes_take(&reading, &note);                        each note
 *	core_parts_find_crash(&snapshot);
 */
#ifndef CAIRN_PROCESS_CORE_PARTS_H
#define CAIRN_PROCESS_CORE_PARTS_H

#include "formats/corenotes/corenotes.h"
#include "formats/elf/elf.h"
#include "model/snapshot.h"

/* Notes on their way into the snapshot. */
struct core_notes {
	struct snapshot *snapshot;
	struct corenotes_layout layout;
	struct snapshot_thread *thread; /* the last one; NULL: none yet */
	uint64_t thread_pointer;        /* of that one; 0: not known */
	uint64_t start;                 /* offset of the notes in the file */
	const char *foreign; /* what has been reported of them (corenotes_name_foreign) */
};

/* Fills an empty snapshot with what the header holds. */
void core_parts_describe(struct snapshot *snapshot, const struct elf *elf);

/* One that goes round the end of memory is left out. */
void core_parts_add_segment(struct snapshot *snapshot, const struct elf_segment *segment);

static inline struct core_notes core_notes_begin(struct snapshot *snapshot, const struct elf *elf,
                                                 uint64_t start)
{
	return (struct core_notes){ .snapshot = snapshot,
		                    .layout = { snapshot->machine, elf->wide, elf->big },
		                    .start = start };
}

/* Bodies of the process, the auxiliary vector, the files and the sets of registers stay borrowed. */
void core_notes_take(struct core_notes *reading, const struct corenote *note);

/* Reports, once, that they are of something else than a program under Linux; `what` may be NULL. */
void core_notes_report_foreign(struct core_notes *reading, const char *what);

/*
 * Return the index of the thread that the program ended in, when all notes are in. The kernel and gcore write it first; QEMU's
 * user mode writes the threads as they began, and no note of the signal's details.
 */
size_t core_parts_crashed_thread(const struct snapshot *snapshot);

/* Find out which thread the program ended in, and by which signal, when all notes are in. */
void core_parts_find_crash(struct snapshot *snapshot);

#endif
