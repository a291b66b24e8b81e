/* SPDX-License-Identifier: MIT */
/*
 * Reads an ELF core file as a snapshot: its header, segments and notes, one at a time. Also owns
 * the memory that core_stream.c keeps while it reads a core as a stream.
 */
#include "core_snapshot.h"

#include "snapshot_modules.h"

#include "base/allowance.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/sort.h"
#include "process/snapshot/core_file.h"

#include <stdlib.h>

enum {
	SI_USER = 0, /* si_code values up to 0 mean that a process sent the signal */
	SIGNAL_TRAP = 5,
	FILE_PARTS_MAX = 16, /* maximum number of segments named after a single file mapping */
};

/* Names of machines without an unwinder in cairn, for 64-bit and for 32-bit programs. */
static const struct machine_name {
	uint16_t machine;
	const char *wide, *narrow;
} machine_names[] = {
	{ 2, "sparc", "sparc" },
	{ 4, "m68k", "m68k" },
	{ 8, "mips64", "mips" },
	{ 15, "hppa64", "hppa" },
	{ 18, "sparc", "sparc (32-bit, of version 9)" },
	{ 42, "sh", "sh" },
	{ 43, "sparc64", "sparc64" },
	{ 50, "ia64", "ia64" },
	{ 94, "xtensa", "xtensa" },
	{ ELF_EM_AARCH64, NULL, "aarch64 (ILP32)" },
	{ 189, "microblaze", "microblaze" },
	{ ELF_EM_RISCV, NULL, "riscv32" },
	{ 258, "loongarch64", "loongarch32" },
	{ 0x9026, "alpha", "alpha" },
};

static const char *name_machine(const struct elf *elf)
{
	for (size_t i = 0; i < sizeof(machine_names) / sizeof(*machine_names); i++) {
		const struct machine_name *name = &machine_names[i];
		if (name->machine == elf->machine && (!elf->wide || name->wide))
			return elf->wide ? name->wide : name->narrow;
	}
	const struct arch *arch = arch_of(machine_of_elf(elf->machine, elf->wide));
	if (!arch)
		arch = arch_of(machine_of_elf(elf->machine, !elf->wide));
	if (!arch)
		return "an unknown machine";
	return elf->wide && arch->little_name && !elf->big ? arch->little_name : arch->name;
}

void core_parts_describe(struct snapshot *snapshot, const struct elf *elf)
{
	*snapshot = (struct snapshot){ .kind = CAIRN_STACKS_CORE,
		                       .system = SNAPSHOT_SYSTEM_LINUX,
		                       .machine = elf_machine(elf),
		                       .machine_name = name_machine(elf),
		                       .big_endian = elf->big,
		                       .word = elf->wide ? 8 : 4 };
}

void core_parts_add_segment(struct snapshot *snapshot, const struct elf_segment *segment)
{
	struct snapshot_mapping *mapping;

	if (segment->memory_size > UINT64_MAX - segment->va)
		return;
	mapping = snapshot_add_mapping(snapshot);
	if (!mapping)
		return;
	mapping->low = segment->va;
	mapping->high = segment->va + segment->memory_size;
	mapping->access = snapshot_segment_access(segment);
	mapping->has_access = true;
}

static void note_problem(const struct core_notes *reading, const struct corenote *note,
                         struct cairn_fault fault)
{
	fault.offset += reading->start + note->offset;
	snapshot_add_problem(reading->snapshot, "notes", fault);
}

static void take_thread(struct core_notes *reading, const struct corenote *note)
{
	struct corenote_thread read;
	struct cairn_fault fault;

	reading->thread = NULL;
	if (corenote_thread(&reading->layout, note->body, &read, &fault) != CAIRN_OK) {
		note_problem(reading, note, fault);
		return;
	}
	reading->thread = snapshot_add_thread(reading->snapshot);
	if (!reading->thread)
		return;
	reading->thread->tid = read.tid;
	reading->thread->signal = read.signal;
	reading->thread->registers = read.registers;
	reading->thread->general = read.set;
	reading->thread_pointer = read.thread_pointer;
}

static void take_process(struct core_notes *reading, const struct corenote *note)
{
	struct corenote_process read;
	struct cairn_fault fault;

	if (corenote_process(&reading->layout, note->body, &read, &fault) != CAIRN_OK) {
		note_problem(reading, note, fault);
		return;
	}
	reading->snapshot->pid = read.pid;
	reading->snapshot->program = read.name;
	reading->snapshot->command_line = read.arguments;
}

/*
 * Read NT_SIGINFO. The kernel writes this note only for the thread that caused the crash, but gcore
 * writes it for each thread, so only the first thread's note counts.
 */
static void take_signal(struct core_notes *reading, const struct corenote *note)
{
	struct snapshot_crash *crash = &reading->snapshot->crash;
	struct corenote_signal read;
	struct cairn_fault fault;
	bool first = reading->snapshot->thread_count <= 1;

	if (corenote_signal(&reading->layout, note->body, &read, &fault) != CAIRN_OK) {
		note_problem(reading, note, fault);
		return;
	}
	if (!first || read.signal == 0)
		return;
	crash->known = true;
	crash->signal = read.signal;
	crash->code = read.code;
	crash->has_sender = read.code <= SI_USER;
	crash->has_address = !crash->has_sender;
	crash->fault_address = crash->has_address ? read.address : 0;
	crash->sender = crash->has_sender ? read.sender : 0;
	crash->sender_user = crash->has_sender ? read.sender_user : 0;
}

static void name_mapping(struct snapshot_mapping *mapping, const struct corenote_file *file)
{
	mapping->has_file = true;
	mapping->offset = file->offset + (mapping->low - file->low);
	mapping->path = file->path;
}

/*
 * Set the file name of the mappings from file->low up to file->high, because a core may split a
 * mapping into several segments. If no mapping begins at file->low, add one.
 */
static void take_file(struct snapshot *snapshot, size_t sorted, const struct corenote_file *file)
{
	struct snapshot_mapping *mapping;

	const size_t first = SORTED_BELOW(snapshot->mappings, sorted, low, file->low);
	if (first < sorted && snapshot->mappings[first].low == file->low) {
		for (size_t i = first; i < sorted && i - first < FILE_PARTS_MAX &&
		                       snapshot->mappings[i].low < file->high;
		     i++)
			name_mapping(&snapshot->mappings[i], file);
		return;
	}
	mapping = snapshot_add_mapping(snapshot);
	if (!mapping)
		return;
	mapping->low = file->low;
	mapping->high = file->high;
	name_mapping(mapping, file);
}

static void take_files(struct core_notes *reading, const struct corenote *note)
{
	struct corenote_files files;
	struct corenote_file file;
	struct cairn_fault fault;
	size_t sorted = reading->snapshot->mapping_count;

	if (corenote_files_open(&reading->layout, note->body, &files, &fault) != CAIRN_OK) {
		note_problem(reading, note, fault);
		return;
	}
	while (corenote_files_next(&files, &file))
		take_file(reading->snapshot, sorted, &file);
	if (!reader_ok(&files.names))
		note_problem(reading, note, files.names.fault);
	snapshot_sort_mappings(reading->snapshot);
}

/*
 * Store the mask of address signatures, which is the same for all threads. Ignore a note that is
 * too short.
 */
static void take_signature_bits(struct core_notes *reading, const struct corenote *note)
{
	const uint64_t bits = corenote_signature_bits(&reading->layout, note->body);

	if (bits != 0)
		reading->snapshot->signature_bits = bits;
}

void core_notes_take(struct core_notes *reading, const struct corenote *note)
{
	switch (note->type) {
	case CORENOTE_PRSTATUS:
		take_thread(reading, note);
		break;
	case CORENOTE_FPREGSET:
		reading->snapshot->has_other_notes = true;
		if (!reading->thread)
			break;
		corenote_fp_registers(&reading->layout, note->body, &reading->thread->registers);
		reading->thread->floats = note->body;
		break;
	case CORENOTE_386_TLS:
	case CORENOTE_ARM_TLS:
		reading->thread_pointer = corenote_tls_thread_pointer(&reading->layout, note->body);
		break;
	case CORENOTE_ARM_PAC_MASK:
		take_signature_bits(reading, note);
		break;
	case CORENOTE_PRPSINFO:
		take_process(reading, note);
		break;
	case CORENOTE_SIGINFO:
		take_signal(reading, note);
		break;
	case CORENOTE_AUXV:
		reading->snapshot->auxv = note->body;
		break;
	case CORENOTE_FILE:
		reading->snapshot->has_other_notes = true;
		take_files(reading, note);
		break;
	default:
		break;
	}
}

void core_notes_report_foreign(struct core_notes *reading, const char *what)
{
	if (!what || reading->foreign)
		return;
	reading->foreign = what;
	snapshot_add_problem(reading->snapshot, "notes",
	                     (struct cairn_fault){ CAIRN_UNSUPPORTED, reading->start, what });
}

/* Return true unless the default action of the signal is to stop, continue or do nothing. */
static bool may_end_program(uint32_t signal)
{
	switch (signal) {
	case 0:
	case 17: /* SIGCHLD */
	case 18: /* SIGCONT */
	case 19: /* SIGSTOP */
	case 20: /* SIGTSTP */
	case 21: /* SIGTTIN */
	case 22: /* SIGTTOU */
	case 23: /* SIGURG */
	case 28: /* SIGWINCH */
		return false;
	default:
		return true;
	}
}

/*
 * Return true for a core of a running program written by gcore: its signal does not end programs,
 * or is a trap without an NT_SIGINFO note, which the kernel always writes. QEMU's user mode does
 * not write NT_SIGINFO either, but unlike gcore it also omits floating-point registers and the list
 * of files. QEMU may also write other threads before the one that trapped.
 */
static bool is_healthy(const struct snapshot *snapshot, size_t thread)
{
	const uint32_t signal = snapshot->threads[thread].signal;

	if (snapshot->crash.known)
		return !may_end_program(snapshot->crash.signal);
	return !may_end_program(signal) ||
	       (signal == SIGNAL_TRAP && thread == 0 && snapshot->has_other_notes);
}

size_t core_parts_crashed_thread(const struct snapshot *snapshot)
{
	if (!snapshot->crash.known)
		for (size_t i = 0; i < snapshot->thread_count; i++)
			if (snapshot->threads[i].signal != 0)
				return i;
	return 0;
}

void core_parts_find_crash(struct snapshot *snapshot)
{
	struct snapshot_crash *crash = &snapshot->crash;

	if (snapshot->thread_count == 0)
		return;
	const size_t at = core_parts_crashed_thread(snapshot);
	struct snapshot_thread *thread = &snapshot->threads[at];
	if (is_healthy(snapshot, at)) {
		*crash = (struct snapshot_crash){ .known = false };
	} else if (!crash->known) {
		crash->known = true;
		crash->signal = thread->signal;
	}
	thread->crashed = crash->known;
	crash->tid = crash->known ? thread->tid : 0;
	for (size_t i = 0; i < snapshot->thread_count; i++)
		if (snapshot->threads[i].tid == snapshot->pid)
			snapshot->threads[i].name = snapshot->program;
}

uint8_t *core_kept_block(struct core_kept *kept, size_t size)
{
	if (!array_grow(&kept->blocks, &kept->block_capacity, kept->block_count + 1,
	                sizeof(*kept->blocks)))
		return NULL;
	uint8_t *block = malloc(size > 0 ? size : 1);
	if (block)
		kept->blocks[kept->block_count++] = block;
	return block;
}

uint8_t *core_kept_shrink(struct core_kept *kept, size_t size)
{
	uint8_t **last = &kept->blocks[kept->block_count - 1];

	if (size == 0) {
		free(*last);
		kept->block_count--;
		return NULL;
	}
	uint8_t *smaller = realloc(*last, size);
	if (smaller)
		*last = smaller;
	return *last;
}

bool core_kept_add(struct core_kept *kept, uint64_t address, struct cairn_bytes bytes)
{
	if (bytes.size == 0)
		return true;
	return ARRAY_APPEND(kept->ranges, kept->count, kept->capacity,
	                    (struct corefile_range){ address, bytes, false });
}

void core_kept_finish(struct core_kept *kept)
{
	corefile_adopt(&kept->core, kept->ranges, kept->count);
	kept->ranges = NULL;
	kept->count = kept->capacity = 0;
}

void core_kept_clear(struct core_kept *kept)
{
	for (size_t i = 0; i < kept->block_count; i++)
		free(kept->blocks[i]);
	free(kept->blocks);
	free(kept->ranges);
	corefile_close(&kept->core);
}

void core_kept_free(void *kept)
{
	if (kept)
		core_kept_clear(kept);
	free(kept);
}

enum { NOTES_MAX = 64 }; /* maximum number of note segments; kernels write one */

static void read_notes(struct snapshot *snapshot, const struct elf *elf,
                       const struct elf_segment *segment, struct cairn_bytes bytes)
{
	struct core_notes reading = core_notes_begin(snapshot, elf, segment->offset);
	struct corenotes notes = corenotes_open(bytes, elf->big);
	struct corenote note;

	while (corenotes_next(&notes, &note))
		core_notes_take(&reading, &note);
	core_notes_report_foreign(&reading, notes.foreign);
	if (reader_ok(&notes.in) && bytes.size == segment->file_size)
		return;
	struct cairn_fault fault = { CAIRN_TRUNCATED, bytes.size, "the notes are truncated" };
	if (!reader_ok(&notes.in))
		fault = notes.in.fault;
	fault.offset += segment->offset;
	snapshot_add_problem(snapshot, "notes", fault);
}

/*
 * Read all notes. Stop after as many bytes as the file contains, because note segments with
 * overlapping contents could otherwise multiply the threads.
 */
static void read_all_notes(struct snapshot *snapshot, const struct elf *elf)
{
	struct allowance left = { .left = elf->bytes.size };
	struct elf_segment segment;
	unsigned runs = 0;

	for (uint32_t i = 0; runs < NOTES_MAX && elf_segment(elf, i, &segment); i++) {
		if (segment.type != ELF_PT_NOTE)
			continue;
		struct cairn_bytes bytes = corefile_present_bytes(elf, &segment);
		if (!allowance_draw(&left, bytes.size)) {
			snapshot_add_problem(
				snapshot, "notes",
				(struct cairn_fault){ CAIRN_MALFORMED, (size_t)segment.offset,
			                              "note segments share their bytes; the "
			                              "remaining segments are omitted" });
			break;
		}
		read_notes(snapshot, elf, &segment, bytes);
		runs++;
	}
	if (runs == 0)
		snapshot_add_problem(
			snapshot, "notes",
			(struct cairn_fault){ CAIRN_NOT_FOUND, 0, "the core has no notes" });
}

static void read_mappings(struct snapshot *snapshot, const struct elf *elf)
{
	struct cairn_fault cut = { CAIRN_OK, 0, NULL };
	struct elf_segment segment;
	bool whole = true;
	uint32_t i = 0;

	for (; elf_segment(elf, i, &segment); i++) {
		if (segment.type != ELF_PT_LOAD)
			continue;
		core_parts_add_segment(snapshot, &segment);
		whole = whole && corefile_present_bytes(elf, &segment).size == segment.file_size;
	}
	snapshot_sort_mappings(snapshot);
	if (!whole)
		cut = (struct cairn_fault){ CAIRN_TRUNCATED, elf->bytes.size,
			                    "the file ends before all dumped memory" };
	if (elf->uncounted)
		cut = (struct cairn_fault){ CAIRN_TRUNCATED, elf->sections_at,
			                    "the number of program headers is missing" };
	else if (i < elf->segments)
		cut = (struct cairn_fault){ CAIRN_TRUNCATED, elf->segments_at,
			                    "program headers are missing" };
	if (cut.status != CAIRN_OK)
		snapshot_add_problem(snapshot, "memory", cut);
}

/*
 * Return the ELF file with its number of segments. If the number does not fit into the ELF header,
 * it is in a section header at the end of the file, which a truncated core lacks. Then assume that
 * the program headers end where the first segment's contents begin.
 */
static struct elf count_segments(const struct elf *elf)
{
	const uint64_t size = elf->wide ? ELF_SEGMENT_WIDE : ELF_SEGMENT_NARROW;
	struct elf counted = *elf;
	struct elf_segment segment;
	uint64_t first = UINT64_MAX, end = elf->segments_at;
	uint32_t count = 0;

	if (!elf->uncounted)
		return counted;
	counted.segments = SNAPSHOT_MAPPINGS_MAX;
	for (; first - end >= size && elf_segment(&counted, count, &segment); count++) {
		end += size;
		if (segment.file_size > 0 && segment.offset < first && segment.offset >= end)
			first = segment.offset;
	}
	counted.segments = count;
	return counted;
}

enum cairn_status core_snapshot_open(struct snapshot *snapshot, const struct elf *file,
                                     struct cairn_fault *fault)
{
	const struct elf counted = count_segments(file), *elf = &counted;
	struct corefile *core = malloc(sizeof(*core));
	enum cairn_status status = core ? corefile_open(core, elf) : CAIRN_NO_MEMORY;

	if (status != CAIRN_OK) {
		free(core);
		*fault = (struct cairn_fault){ status, 0,
			                       status == CAIRN_NO_MEMORY ? "out of memory"
			                                                 : "not a core file" };
		return status;
	}
	core_parts_describe(snapshot, elf);
	snapshot->input = elf->bytes.size;
	snapshot->memory = core->target;
	snapshot->find_part = corefile_find_part;
	snapshot->source = core;
	snapshot->close_source = corefile_free;
	read_mappings(snapshot, elf);
	read_all_notes(snapshot, elf);
	core_parts_find_crash(snapshot);
	return CAIRN_OK;
}
