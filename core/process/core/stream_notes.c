/* SPDX-License-Identifier: MIT */
/* Reads the useful notes of a streamed core one at a time. */
#include "stream_input.h"

#include "base/bytes.h"
#include "base/machine.h"
#include "parts.h"

#include <string.h>

enum {
	NOTE_HEAD = 12, /* size:4 size:4 type:4 */
	NOTE_NAME = 64, /* bytes of an owner's name; "CORE" has 5 */
	NOTE_STATUS_MAX = 1 << 12,
	/* maximum size of the note with names of mapped files; the default limit of the kernel */
	NOTE_FILES_MAX = 4 << 20,
};

static uint64_t pad_to_word(uint64_t size)
{
	return (size + 3) & ~(uint64_t)3;
}

/* Return how many bytes of a note of this type may be read; 0 if it is not needed. */
static size_t limit_note(uint32_t type)
{
	switch (type) {
	case CORENOTE_PRSTATUS:
	case CORENOTE_FPREGSET:
	case CORENOTE_PRPSINFO:
	case CORENOTE_AUXV:
	case CORENOTE_SIGINFO:
	case CORENOTE_386_TLS:
	case CORENOTE_ARM_TLS:
	case CORENOTE_ARM_PAC_MASK:
		return NOTE_STATUS_MAX;
	case CORENOTE_FILE:
		return NOTE_FILES_MAX;
	default:
		return 0;
	}
}

/* Return true for types whose bodies the snapshot borrows. */
static bool is_borrowed(uint32_t type)
{
	return type == CORENOTE_PRPSINFO || type == CORENOTE_AUXV || type == CORENOTE_FILE;
}

static bool keeps_set(struct core_stream *s, uint32_t type, size_t size)
{
	return (type == CORENOTE_PRSTATUS || type == CORENOTE_FPREGSET) && s->sets_left > 0 &&
	       core_stream_charge(&s->sets_left, NOTE_HEAD + size);
}

static void plan_thread(struct core_stream *s, const struct core_notes *reading)
{
	const struct snapshot_thread *thread = reading->thread;
	struct core_plan_thread planned = { .home = reading->thread_pointer };

	if (!thread)
		return;
	planned.thread = s->snapshot->thread_count - 1;
	planned.pc = thread->registers.pc;
	planned.sp = registers_stack_pointer(&thread->registers);
	s->scarce = s->scarce || !core_plan_add_thread(&s->plan, &planned);
}

static void take_note(struct core_stream *s, struct core_notes *reading, struct cairn_bytes bytes)
{
	struct corenotes notes = corenotes_open(bytes, s->elf.big);
	struct corenote note;

	const bool is_ours = corenotes_next(&notes, &note);
	core_notes_report_foreign(reading, notes.foreign);
	if (!is_ours)
		return;
	core_notes_take(reading, &note);
	if (note.type == CORENOTE_PRSTATUS)
		plan_thread(s, reading);
	else if ((note.type == CORENOTE_ARM_TLS || note.type == CORENOTE_386_TLS) &&
	         s->plan.thread_count > 0)
		s->plan.threads[s->plan.thread_count - 1].home = reading->thread_pointer;
}

/* Clear the last thread's reference to a register set whose note is about to be freed. */
static void forget_set(const struct core_notes *reading, uint32_t type)
{
	const struct cairn_bytes none = { NULL, 0 };

	if (reading->thread && type == CORENOTE_PRSTATUS)
		reading->thread->general = none;
	if (reading->thread && type == CORENOTE_FPREGSET)
		reading->thread->floats = none;
}

static bool read_note(struct core_stream *s, struct core_notes *reading,
                      const uint8_t head[NOTE_HEAD], size_t size)
{
	const uint32_t type = bytes_u32(head + 8, s->elf.big);
	const bool borrowed = is_borrowed(type), set = keeps_set(s, type, size);
	uint8_t *block = NULL;

	if (borrowed && !core_stream_charge(&s->notes_left, NOTE_HEAD + size)) {
		core_stream_problem(s, "notes", CAIRN_UNSUPPORTED,
		                    "more notes than are kept of a stream");
		return core_stream_skip_to(s, s->at + size);
	}
	block = core_kept_block(s->kept, NOTE_HEAD + size);
	s->scarce = s->scarce || !block;
	if (!block)
		return false;
	memcpy(block, head, NOTE_HEAD);
	const size_t got = core_stream_read(s, block + NOTE_HEAD, size);
	if (got == size)
		take_note(s, reading, (struct cairn_bytes){ block, NOTE_HEAD + size });
	if (got < size || (!borrowed && !set)) {
		forget_set(reading, type);
		core_kept_shrink(s->kept, 0);
	}
	return got == size;
}

/* Skip a note that is not needed and ends at `end`. Only its owner is checked. */
static bool pass_note(struct core_stream *s, struct core_notes *reading, uint32_t name,
                      uint64_t end)
{
	uint8_t owner[NOTE_NAME];

	if (name <= sizeof(owner) && core_stream_read(s, owner, name) == name)
		core_notes_report_foreign(
			reading, corenotes_name_foreign((struct cairn_bytes){ owner, name }));
	return core_stream_skip_to(s, end);
}

/* Read the next note. Return false at the end of the notes, or if they are truncated or damaged. */
static bool next_note(struct core_stream *s, struct core_notes *reading, uint64_t end)
{
	uint8_t head[NOTE_HEAD];

	reading->start = s->at;
	if (end - s->at < NOTE_HEAD || core_stream_read(s, head, NOTE_HEAD) < NOTE_HEAD)
		return false;
	const uint32_t name = bytes_u32(head, s->elf.big), body = bytes_u32(head + 4, s->elf.big);
	const uint64_t size = pad_to_word(name) + body;
	const uint64_t left = end - s->at;
	const size_t limit = limit_note(bytes_u32(head + 8, s->elf.big));
	if (size > left)
		return false;
	const uint64_t padded = pad_to_word(size) < left ? pad_to_word(size) : left;
	if (name > NOTE_NAME || limit == 0)
		return pass_note(s, reading, name, s->at + padded);
	if (body > limit) {
		core_stream_problem(s, "notes", CAIRN_UNSUPPORTED,
		                    "a note is larger than cairn keeps");
		return core_stream_skip_to(s, s->at + padded);
	}
	return read_note(s, reading, head, (size_t)padded);
}

void core_stream_notes(struct core_stream *s, const struct core_part *part)
{
	struct core_notes reading = core_notes_begin(s->snapshot, &s->elf, part->offset);
	const uint64_t end = part->offset + part->size;

	if (end < part->offset || !core_stream_skip_to(s, part->offset))
		return;
	while (s->at < end && next_note(s, &reading, end))
		;
	if (s->at < end)
		core_stream_problem(s, "notes", CAIRN_TRUNCATED, "the notes are cut off");
}
