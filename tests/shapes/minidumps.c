/* SPDX-License-Identifier: MIT */
/* Shapes of minidumps of amd64: texts, stacks, registers and memory that many records share, lists that lie. */
#include "shape.h"

enum {
	HEADER = 32,
	ENTRY = 12, /* of the directory */
	STREAMS = 12,
	CONTEXT = 1232,
	FRAMES = 64,
	UNIT = 4, /* bytes of a text that tails are apart */
};

static const uint64_t code_at = 0x400000, stack_at = 0x7ffe0000;

/* A minidump on the way. */
struct dump {
	struct shape *s;
	unsigned streams;
	size_t opened; /* where the stream that is written begins */
	size_t stack, context;
	enum sharing sharing;
	size_t text, text_size; /* the text that names share: its place and bytes */
	bool lies;              /* counts are drawn */
};

static void begin_stream(struct dump *d, uint32_t type)
{
	shape_set(d->s, HEADER + ENTRY * (size_t)d->streams, type, 4);
	d->opened = d->s->size;
}

static void end_stream(struct dump *d)
{
	size_t entry = HEADER + ENTRY * (size_t)d->streams++, size = d->s->size - d->opened;

	if (d->lies && shape_draw(d->s, 4) == 0)
		size = shape_draw_lie(d->s, d->s->size);
	shape_set(d->s, entry + 4, size, 4);
	shape_set(d->s, entry + 8, d->opened, 4);
}

static void put_count(struct dump *d, uint64_t count, size_t width)
{
	if (d->lies && shape_draw(d->s, 2) == 0)
		count = shape_draw_lie(d->s, d->s->size);
	shape_put(d->s, count, width);
}

static void put_context(struct dump *d)
{
	d->context = d->s->size;
	shape_put_zeros(d->s, CONTEXT);
	shape_set(d->s, d->context + 0x30, 0x10001f, 4);
	shape_set(d->s, d->context + 0x98, stack_at, 8);
	shape_set(d->s, d->context + 0xa0, stack_at, 8);
	shape_set(d->s, d->context + 0xf8, code_at + 0x100, 8);
}

static void put_system(struct dump *d)
{
	begin_stream(d, 7);
	shape_put(d->s, 9, 2);
	shape_put_zeros(d->s, 18);
	shape_put(d->s, 0x8201, 4);
	shape_put_zeros(d->s, 32);
	end_stream(d);
}

static void begin_dump(struct dump *d)
{
	shape_put(d->s, 0x504d444d, 4);
	shape_put(d->s, 0xa793, 4);
	shape_put(d->s, STREAMS, 4);
	shape_put(d->s, HEADER, 4);
	shape_put_zeros(d->s, 16 + ENTRY * STREAMS);
	d->stack = d->s->size;
	shape_put_frames(d->s, FRAMES, stack_at, code_at, 0x100000);
	put_context(d);
	put_system(d);
	d->sharing = (enum sharing)shape_draw(d->s, SHARINGS);
}

/* Each unit of four bytes of a text for tails is a length, too: of so much that all of them are long. */
static void put_texts(struct dump *d, size_t size)
{
	uint32_t unit = 0x00610061 + (uint32_t)shape_draw(d->s, 4);

	if (d->sharing == SHARING_TAILS)
		unit = 0x00010002 + ((uint32_t)shape_draw(d->s, 16) << 16);
	d->text = d->s->size;
	d->text_size = size;
	shape_put(d->s, d->sharing == SHARING_LIED ? shape_draw_lie(d->s, size) : size, 4);
	for (size_t i = 0; i < size / UNIT; i++)
		shape_put(d->s, unit, UNIT);
	shape_put(d->s, 0, 4);
}

/* A text of its own, which differs from the others in the last two characters. */
static uint64_t put_own_text(struct dump *d, size_t size, uint64_t number)
{
	size_t at = d->s->size;

	shape_put(d->s, size, 4);
	for (size_t i = UNIT; i < size; i += 2)
		shape_put(d->s, 'a', 2);
	shape_put(d->s, 0x4e00 + number % 0x4000, 2);
	shape_put(d->s, 0x4e00 + number / 0x4000, 2);
	return at;
}

/* Where the name of record `number` is: `from` is where those begin that are apart, `apart` bytes from each other. */
static uint64_t find_name(const struct dump *d, uint64_t number, size_t apart)
{
	if (d->sharing == SHARING_TAILS)
		return d->text + number * UNIT % d->text_size;
	return d->text + (d->sharing == SHARING_NEARLY ? number * apart : 0);
}

/* Makes the texts of `count` names, in some hundreds of kilobytes; gives how far they are apart. */
static size_t make_names(struct dump *d, uint64_t count)
{
	size_t size = (size_t)4096 << shape_draw(d->s, 8), own = size / (size_t)count & ~(size_t)3;

	if (d->sharing != SHARING_NEARLY) {
		put_texts(d, size);
		return 0;
	}
	if (own < 16)
		own = 16;
	d->text = d->s->size;
	for (uint64_t i = 0; i < count; i++)
		put_own_text(d, own, i);
	return own + 4;
}

static void put_modules(struct dump *d, uint64_t count)
{
	size_t apart = make_names(d, count);

	begin_stream(d, 4);
	put_count(d, count, 4);
	for (uint64_t i = 0; i < count; i++) {
		shape_put(d->s, code_at + i * 0x1000, 8);
		shape_put(d->s, 0x1000, 4);
		shape_put(d->s, 0, 4);
		shape_put(d->s, 0, 4);
		shape_put(d->s, find_name(d, i, apart), 4);
		shape_put_zeros(d->s, 52);
		shape_put(d->s, shape_draw(d->s, 2) ? d->text_size : 24,
		          4); /* a build ID, perhaps long */
		shape_put(d->s, d->text, 4);
		shape_put_zeros(d->s, 24);
	}
	end_stream(d);
}

static void put_loader(struct dump *d, uint64_t count)
{
	size_t apart = make_names(d, count), map = d->s->size;

	for (uint64_t i = 0; i < count; i++) {
		shape_put(d->s, code_at + i * 0x1000, 8);
		shape_put(d->s, find_name(d, i, apart), 8);
		shape_put(d->s, code_at + i * 0x1000 + 0x800, 8);
	}
	begin_stream(d, 0x4767000a);
	shape_put(d->s, 1, 4);
	shape_put(d->s, map, 4);
	put_count(d, count, 8);
	shape_put_zeros(d->s, 24);
	end_stream(d);
}

static void put_threads(struct dump *d, uint64_t count)
{
	begin_stream(d, 3);
	put_count(d, count, 4);
	for (uint64_t i = 0; i < count; i++) {
		shape_put(d->s, i + 1, 4);
		shape_put_zeros(d->s, 20);
		shape_put(d->s, stack_at, 8);
		shape_put(d->s, 16 * FRAMES, 4);
		shape_put(d->s, d->stack, 4);
		shape_put(d->s, CONTEXT, 4);
		shape_put(d->s, d->context, 4);
	}
	end_stream(d);
}

static void put_thread_names(struct dump *d, uint64_t count)
{
	size_t apart = make_names(d, count);

	begin_stream(d, 24);
	put_count(d, count, 4);
	for (uint64_t i = 0; i < count; i++) {
		shape_put(d->s, i + 1, 4);
		shape_put(d->s, find_name(d, i, apart), 8);
	}
	end_stream(d);
}

/* An address of memory: of the stack, of what follows it, or any. */
static uint64_t draw_address(struct dump *d, uint64_t number)
{
	uint64_t near = stack_at + number % 4096 * 16;

	return shape_draw(d->s, 16) ? near : shape_draw_lie(d->s, near);
}

static void put_memory(struct dump *d, uint64_t count)
{
	begin_stream(d, 5);
	put_count(d, count, 4);
	for (uint64_t i = 0; i < count; i++) {
		shape_put(d->s, draw_address(d, i), 8);
		shape_put(d->s, shape_draw(d->s, 8) ? 16 * FRAMES : shape_draw_lie(d->s, 4096), 4);
		shape_put(d->s, d->stack, 4);
	}
	end_stream(d);
	begin_stream(d, 9);
	put_count(d, count, 8);
	shape_put(d->s, d->stack, 8);
	for (uint64_t i = 0; i < count; i++) {
		shape_put(d->s, draw_address(d, i), 8);
		shape_put(d->s, shape_draw(d->s, 64) ? 16 : shape_draw_lie(d->s, 4096), 8);
	}
	end_stream(d);
}

static void put_regions(struct dump *d, uint64_t count)
{
	begin_stream(d, 16);
	shape_put(d->s, 16, 4);
	shape_put(d->s, d->lies && shape_draw(d->s, 4) == 0 ? shape_draw_lie(d->s, 48) : 48, 4);
	put_count(d, count, 8);
	for (uint64_t i = 0; i < count; i++) {
		shape_put(d->s, draw_address(d, i), 8);
		shape_put_zeros(d->s, 16);
		shape_put(d->s, shape_draw(d->s, 8) ? 4096 : shape_draw_lie(d->s, 4096), 8);
		shape_put(d->s, 0x1000, 4);
		shape_put(d->s, shape_draw(d->s, 2) ? 0x20 : 4, 4);
		shape_put(d->s, 0x20000, 4);
		shape_put(d->s, 0, 4);
	}
	end_stream(d);
}

void shape_minidump_modules(struct shape *s)
{
	struct dump d = { .s = s };

	begin_dump(&d);
	put_threads(&d, 1);
	put_modules(&d, shape_draw_count(s));
}

void shape_minidump_loader(struct shape *s)
{
	struct dump d = { .s = s };

	begin_dump(&d);
	put_threads(&d, 1);
	put_loader(&d, shape_draw_count(s));
	if (shape_draw(s, 2))
		put_modules(&d, 1 + shape_draw(s, 16));
}

void shape_minidump_threads(struct shape *s)
{
	struct dump d = { .s = s };
	uint64_t count = shape_draw_count(s) / 16 + 1;

	begin_dump(&d);
	put_threads(&d, count);
	put_thread_names(&d, count);
	put_modules(&d, 1 + shape_draw(s, 64));
}

void shape_minidump_memory(struct shape *s)
{
	struct dump d = { .s = s };
	uint64_t count = shape_draw_count(s);

	begin_dump(&d);
	put_threads(&d, 1 + shape_draw(s, 4));
	put_modules(&d, 4);
	put_memory(&d, count);
	put_regions(&d, count);
}

/* A stream that has another type and lies over another one. */
static void repeat_stream(struct dump *d)
{
	static const uint32_t types[] = { 3,  4,  5,  6,          7,          9,
		                          15, 16, 24, 0x47670004, 0x47670008, 0x4767000a };
	size_t first = HEADER + ENTRY * (size_t)shape_draw(d->s, d->streams);

	begin_stream(d, types[shape_draw(d->s, sizeof(types) / sizeof(types[0]))]);
	d->opened = (size_t)d->s->data[first + 8] | (size_t)d->s->data[first + 9] << 8 |
	            (size_t)d->s->data[first + 10] << 16;
	d->opened += 4 * (size_t)shape_draw(d->s, 8);
	end_stream(d);
}

void shape_minidump_lists(struct shape *s)
{
	struct dump d = { .s = s, .lies = true };

	begin_dump(&d);
	put_threads(&d, 1 + shape_draw(s, 64));
	put_modules(&d, shape_draw_count(s) / 4 + 1);
	put_loader(&d, shape_draw_count(s) / 4 + 1);
	put_memory(&d, shape_draw_count(s) / 4 + 1);
	put_regions(&d, shape_draw_count(s) / 4 + 1);
	put_thread_names(&d, shape_draw_count(s) / 4 + 1);
	while (d.streams < STREAMS)
		repeat_stream(&d);
}
