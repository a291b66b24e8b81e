/* SPDX-License-Identifier: MIT */
/* Shapes of cores of amd64: files whose names are long and nearly equal, notes that are there many times, lists of the
 * dynamic loader. */
#include "shape.h"

enum {
	HEADER = 64,
	SEGMENT = 56,
	PAGE = 4096,
	STATUS = 336,
	RBP = 112 + 4 * 8, /* in the status */
	RIP = 112 + 16 * 8,
	RSP = 112 + 19 * 8,
	INFO = 136,
	FRAMES = 64,
	PID = 4711,
	PT_LOAD = 1,
	PT_DYNAMIC = 2,
	PT_NOTE = 4,
	PT_PHDR = 6,
	NT_STATUS = 1,
	NT_INFO = 3,
	NT_AUXV = 6,
	NT_FILE = 0x46494c45,
	ENTRY = 40, /* of the loader's list */
};

static const uint64_t code_at = 0x400000, data_at = 0x600000, made_at = 0x10000000,
		      stack_at = 0x7ffe0000;

static void put_elf_header(struct shape *s, unsigned type, uint64_t segments)
{
	static const uint8_t ident[] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };
	size_t at = s->size;

	shape_put_zeros(s, HEADER);
	for (size_t i = 0; i < sizeof(ident); i++)
		s->data[at + i] = ident[i];
	shape_set(s, at + 16, type, 2);
	shape_set(s, at + 18, 62, 2);
	shape_set(s, at + 20, 1, 4);
	shape_set(s, at + 32, HEADER, 8);
	shape_set(s, at + 52, HEADER, 2);
	shape_set(s, at + 54, SEGMENT, 2);
	shape_set(s, at + 56, segments, 2);
}

/* At `at`: the header of a segment. */
static void set_segment(struct shape *s, size_t at, uint32_t type, uint32_t flags, uint64_t offset,
                        uint64_t va, uint64_t file_size, uint64_t size)
{
	shape_set(s, at, type, 4);
	shape_set(s, at + 4, flags, 4);
	shape_set(s, at + 8, offset, 8);
	shape_set(s, at + 16, va, 8);
	shape_set(s, at + 24, va, 8);
	shape_set(s, at + 32, file_size, 8);
	shape_set(s, at + 40, size, 8);
	shape_set(s, at + 48, 1, 8);
}

/* Begins a core of so many segments; gives where the header of the first is. */
static size_t begin_core(struct shape *s, uint64_t segments)
{
	put_elf_header(s, 4, segments);
	shape_put_zeros(s, SEGMENT * (size_t)segments);
	return HEADER;
}

/* Gives where its content begins. */
static size_t begin_note(struct shape *s, uint32_t type)
{
	shape_put(s, 5, 4);
	shape_put(s, 0, 4);
	shape_put(s, type, 4);
	shape_put_text(s, "CORE");
	shape_put(s, 0, 4);
	return s->size;
}

static void end_note(struct shape *s, size_t content)
{
	shape_set(s, content - 16, s->size - content, 4);
	while (s->size % 4)
		shape_put(s, 0, 1);
}

static void put_thread(struct shape *s, uint32_t tid, uint64_t pc)
{
	size_t at = begin_note(s, NT_STATUS);

	shape_put_zeros(s, STATUS);
	shape_set(s, at + 12, 11, 2);
	shape_set(s, at + 32, tid, 4);
	shape_set(s, at + RBP, stack_at, 8);
	shape_set(s, at + RSP, stack_at, 8);
	shape_set(s, at + RIP, pc, 8);
	end_note(s, at);
}

static void put_info(struct shape *s)
{
	size_t at = begin_note(s, NT_INFO);

	shape_put_zeros(s, INFO);
	shape_set(s, at + 24, PID, 4);
	end_note(s, at);
}

/* `count` mappings of a page each; the names have `length` characters and differ in the last ones, if at all. */
static void put_files(struct shape *s, uint64_t count, size_t length, bool same)
{
	size_t at = begin_note(s, NT_FILE);

	shape_put(s, shape_draw(s, 16) ? count : shape_draw_lie(s, count), 8);
	shape_put(s, shape_draw(s, 16) ? 1 : shape_draw_lie(s, PAGE), 8);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t low = code_at + i * PAGE;
		shape_put(s, low, 8);
		shape_put(s, shape_draw(s, 64) ? low + PAGE : shape_draw_lie(s, low), 8);
		shape_put(s, same ? i * PAGE : 0, 8);
	}
	for (uint64_t i = 0; i < count; i++) {
		uint64_t number = same ? 0 : i;
		shape_put_text(s, "/");
		for (size_t j = 0; j < length; j++)
			shape_put(s,
			          j + 4 < length ? 'a'
			                         : 'a' + (number >> 4 * (length - 1 - j) & 15),
			          1);
		shape_put(s, 0, 1);
	}
	end_note(s, at);
}

/* After the notes, which begin at `notes`: the stack, and its segment and theirs at `at` and behind it. */
static void end_notes(struct shape *s, size_t at, size_t notes)
{
	set_segment(s, at, PT_NOTE, 0, notes, 0, s->size - notes, 0);
	set_segment(s, at + SEGMENT, PT_LOAD, 6, s->size, stack_at, 16 * FRAMES, 16 * FRAMES);
}

void shape_core_files(struct shape *s)
{
	uint64_t count = shape_draw_count(s);
	size_t at = begin_core(s, 3), notes = s->size;
	size_t length = ((size_t)4096 << shape_draw(s, 8)) / (size_t)count + 8;

	put_thread(s, PID, code_at + 0x100);
	put_files(s, count, length, shape_draw(s, 4) == 0);
	end_notes(s, at, notes);
	set_segment(s, at + 2 * SEGMENT, PT_LOAD, 5, s->size, code_at, 0, count * PAGE);
	shape_put_frames(s, FRAMES, stack_at, code_at, count * PAGE);
}

void shape_core_notes(struct shape *s)
{
	uint64_t count = shape_draw_count(s) % 60000;
	size_t at = begin_core(s, 3 + count), notes = s->size;

	for (uint32_t i = 0; i < 1 + shape_draw(s, 16); i++)
		put_thread(s, PID + i, code_at + 0x100);
	put_files(s, 1 + shape_draw(s, 64), 1 << shape_draw(s, 12), false);
	end_notes(s, at, notes);
	set_segment(s, at + 2 * SEGMENT, PT_LOAD, 5, s->size, code_at, 0, 64 * PAGE);
	for (uint64_t i = 0; i < count; i++)
		set_segment(s, at + (3 + (size_t)i) * SEGMENT, PT_NOTE, 0,
		            notes + 4 * shape_draw(s, 2), 0, s->size - notes, 0);
	shape_put_frames(s, FRAMES, stack_at, code_at, 64 * PAGE);
}

/* The program's headers in memory: they lead to the dynamic section at data_at. */
static void put_program_page(struct shape *s)
{
	size_t start = s->size;

	put_elf_header(s, 2, 3);
	shape_put_zeros(s, PAGE - HEADER);
	set_segment(s, start + HEADER, PT_PHDR, 4, HEADER, code_at + HEADER, 3 * SEGMENT,
	            3 * SEGMENT);
	set_segment(s, start + HEADER + SEGMENT, PT_LOAD, 5, 0, code_at, PAGE, PAGE);
	set_segment(s, start + HEADER + 2 * SEGMENT, PT_DYNAMIC, 6, PAGE, data_at, 32, 32);
}

/* The dynamic section, the loader's record, its list, and the one name. */
static void put_loader_data(struct shape *s, uint64_t count, size_t name)
{
	const uint64_t list = data_at + 64, text = list + count * ENTRY;
	const uint64_t again = shape_draw(s, 4) ? UINT64_MAX : shape_draw(s, count);

	shape_put(s, 21, 8); /* DT_DEBUG */
	shape_put(s, data_at + 32, 8);
	shape_put_zeros(s, 16);
	shape_put(s, 1, 8);
	shape_put(s, list, 8);
	shape_put_zeros(s, 16);
	for (uint64_t i = 0; i < count; i++) {
		const bool last = i + 1 == count;
		shape_put(s, i * PAGE, 8);
		shape_put(s, text + (shape_draw(s, 2) ? 0 : i % (name + 1)), 8);
		shape_put(s, data_at, 8);
		shape_put(s,
		          !last                 ? list + (i + 1) * ENTRY
		          : again == UINT64_MAX ? 0
		                                : list + again * ENTRY,
		          8);
		shape_put(s, i ? list + (i - 1) * ENTRY : 0, 8);
	}
	for (size_t i = 0; i < name; i++)
		shape_put(s, i % 16 ? 'a' + i % 26 : '/', 1);
	shape_put(s, 0, 1);
}

static void put_auxv(struct shape *s)
{
	const uint64_t values[] = {
		3, code_at + HEADER, 4, SEGMENT, 5, 3, 9, code_at + 0x100, 0, 0
	};
	size_t at = begin_note(s, NT_AUXV);

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		shape_put(s, values[i], 8);
	end_note(s, at);
}

/* Each module is the same page of the file. */
void shape_core_loader(struct shape *s)
{
	uint64_t count = 1 + shape_draw_count(s) / 2;
	size_t modules = 1 + (size_t)shape_draw(s, count < 500 ? count : 500);
	size_t name = (size_t)1 << shape_draw(s, 16), at = begin_core(s, 3 + modules),
	       notes = s->size;

	put_thread(s, PID, code_at + 0x100);
	put_auxv(s);
	end_notes(s, at, notes);
	shape_put_frames(s, FRAMES, stack_at, code_at, PAGE * modules);
	set_segment(s, at + 2 * SEGMENT, PT_LOAD, 6, s->size, data_at + 0,
	            65 + count * ENTRY + name, 65 + count * ENTRY + name);
	put_loader_data(s, count, name);
	for (size_t i = 0; i < modules; i++) {
		uint64_t va = i == 0 ? code_at : made_at + i * PAGE;
		set_segment(s, at + (3 + i) * SEGMENT, PT_LOAD, 5, s->size, va, PAGE, PAGE);
	}
	put_program_page(s);
}

void shape_core_named(struct shape *s)
{
	size_t at = begin_core(s, 4), notes = s->size, content;

	for (uint32_t i = 0; i < 1 + shape_draw(s, 16); i++)
		put_thread(s, PID + i, made_at + 0x104);
	put_info(s);
	content = begin_note(s, NT_FILE);
	shape_put(s, 1, 8);
	shape_put(s, 1, 8);
	shape_put(s, code_at, 8);
	shape_put(s, code_at + 4 * PAGE, 8);
	shape_put(s, 0, 8);
	shape_put_text(s, s->path);
	shape_put(s, 0, 1);
	end_note(s, content);
	end_notes(s, at, notes);
	set_segment(s, at + 2 * SEGMENT, PT_LOAD, 5, s->size, code_at, 0, 4 * PAGE);
	set_segment(s, at + 3 * SEGMENT, PT_LOAD, 5, s->size, made_at, 0, 0x100000);
	shape_put_frames(s, FRAMES / 2, stack_at, made_at, 0x100000);
	shape_put_frames(s, FRAMES / 2, stack_at + 8 * FRAMES, code_at, 4 * PAGE);
	shape_set(s, s->size - 8 * FRAMES - 16, stack_at + 8 * FRAMES, 8);
}
