/* SPDX-License-Identifier: MIT */
/*
 * Readers for the header, the segments and the notes of a core, one part at a time and in the order
 * of a core: for cores that are in memory as a whole and for those that are read as a stream.
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

#include "formats/corenotes.h"
#include "formats/elf/elf.h"
#include "model/snapshot.h"

struct core_notes {
	struct snapshot *snapshot;
	struct corenotes_layout layout;
	struct snapshot_thread *thread; /* latest thread; NULL before the first */
	uint64_t thread_pointer;        /* thread pointer of `thread`; 0 if unknown */
	uint64_t start;
	/* Problem already reported about foreign notes (corenotes_name_foreign). */
	const char *foreign;
};

void core_parts_describe(struct snapshot *snapshot, const struct elf *elf);

/* Add a segment as a mapping. Ignores segments that wrap around the end of the address space. */
void core_parts_add_segment(struct snapshot *snapshot, const struct elf_segment *segment);

static inline struct core_notes core_notes_begin(struct snapshot *snapshot, const struct elf *elf,
                                                 uint64_t start)
{
	return (struct core_notes){ .snapshot = snapshot,
		                    .layout = { snapshot->machine, elf->wide, elf->big },
		                    .start = start };
}

/*
 * Add a note to the snapshot, which borrows the bodies of notes for the process, the auxiliary
 * vector, the files and the register sets.
 */
void core_notes_take(struct core_notes *reading, const struct corenote *note);

/* Report once that the notes are not from a program under Linux. `what` may be NULL. */
void core_notes_report_foreign(struct core_notes *reading, const char *what);

/*
 * Return the index of the thread that the program ended in, once all notes are read. The kernel and
 * gcore write it first; QEMU's user mode writes the threads in the order of their creation, and
 * does not write a note with details of the signal.
 */
size_t core_parts_crashed_thread(const struct snapshot *snapshot);

/* Find the thread that the program ended in and the signal, once all notes are read. */
void core_parts_find_crash(struct snapshot *snapshot);

#endif
