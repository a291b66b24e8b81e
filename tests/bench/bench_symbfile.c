/* SPDX-License-Identifier: MIT */
/*
 * Symbfiles: bench_symbfile [MILLIONS [FILE...]].  Files of one and of ten million ranges are made,
 * or of MILLIONS, of trees with inlined calls as compilers give them, in several orders; and FILEs
 * are taken.  Decoding, the making of an index with its peak memory, and look-ups with their whole
 * chains, at random and again at the same few.
 */
#include "bench.h"

#include "formats/symbfile_write.h"
#include "symbols/index_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXTS = 20000, LOOKUPS = 1 << 20, WARM = 1 << 12, RANGE_MAX = 96 };

struct data {
	struct cairn_bytes file;
	uint64_t ranges;
	struct symbfile_built built;
	uint64_t *va;
	size_t mask;
};

static struct symbfile_text ref(uint64_t *state)
{
	return (struct symbfile_text){ NULL, (uint32_t)(bench_random(state) % TEXTS),
		                       SYMBFILE_REF };
}

static void put_texts(struct sink *out)
{
	static struct cairn_bytes text[TEXTS];
	static char space[TEXTS][48];

	for (unsigned i = 0; i < TEXTS; i++) {
		int size =
			snprintf(space[i], sizeof(space[i]), "name::space_%u::function(long)", i);
		text[i] = (struct cairn_bytes){ (uint8_t *)space[i], (size_t)size };
	}
	if (symbfile_put_table(out, text, TEXTS) != SYMBFILE_VALID)
		abort();
}

/* How the functions of a file are laid out in it. */
struct shape {
	const char *name;
	bool shuffled;
	unsigned split, twice; /* percent in two pieces, and there once more */
};

static const struct shape shapes[] = {
	{ "in order", false, 0, 0 },
	{ "in random order", true, 0, 0 },
	{ "in random order, a fifth in pieces, a fifth twice", true, 20, 20 },
};

/* What is written, and where it came from. */
struct making {
	struct symbfile_writer writer;
	struct sink out;
	uint64_t state; /* of the function: the same one each time */
	uint64_t ranges;
};

/* A range of depth 0 with two or three inlined calls in each other. */
static void put_tree(struct making *m, uint64_t start, uint64_t length,
                     const struct symbfile_text *name)
{
	struct symbfile_row row[4];
	struct symbfile_line_rows lines = { row, 0 };
	uint32_t depth = 2 + (uint32_t)(bench_random(&m->state) % 2);

	for (uint32_t d = 0; d <= depth; d++) {
		struct symbfile_range range = { .start = start,
			                        .length = length,
			                        .depth = d,
			                        .function = d ? ref(&m->state) : *name,
			                        .file = ref(&m->state) };
		if (d > 0) {
			range.call_file = ref(&m->state);
			range.call_line = (uint32_t)(bench_random(&m->state) % 4000);
		}
		lines.count = 1 + d % 2;
		for (size_t i = 0; i < lines.count; i++)
			row[i] = (struct symbfile_row){ i * 4, 100 + (uint32_t)(start % 900) };
		if (symbfile_put_range(&m->writer, &m->out, &range, &lines) != SYMBFILE_VALID)
			abort();
		start += 8;
		length -= 16;
		m->ranges++;
	}
}

/* Function number `i`, of 64 to 319 bytes, or 160 to 319 when it is in pieces. */
static void put_function(struct making *m, const struct shape *shape, uint64_t i)
{
	enum { SLOT = 336, PIECE = 80 };
	uint64_t start = 0x401000 + i * SLOT;

	m->state = (i + 1) * 0x9e3779b97f4a7c15;
	bool split = bench_random(&m->state) % 100 < shape->split;
	uint64_t length = 64 + bench_random(&m->state) % 256;
	struct symbfile_text name = ref(&m->state);
	if (!split) {
		put_tree(m, start, length, &name);
		return;
	}
	put_tree(m, start, PIECE, &name);
	put_tree(m, start + PIECE, PIECE + length % 160, &name);
}

/* The numbers below 2^bits in another order. */
static uint64_t shuffle(uint64_t i, unsigned bits)
{
	const uint64_t mask = ((uint64_t)1 << bits) - 1;

	for (unsigned round = 0; round < 3; round++) {
		i = (i * 0x9e3779b97f4a7c15) & mask;
		i ^= i >> (bits / 2);
	}
	return i;
}

static void put_functions(struct making *m, const struct shape *shape, uint64_t ranges)
{
	enum { OF_ONE = 3 }; /* and a half, about */
	uint64_t functions = ranges * 2 / (2 * OF_ONE + 1);
	unsigned bits = 2;

	while (((uint64_t)1 << bits) < functions)
		bits++;
	for (uint64_t i = 0; i < (uint64_t)1 << bits && m->ranges < ranges; i++) {
		uint64_t function = shape->shuffled ? shuffle(i, bits) : i;
		if (function < functions)
			put_function(m, shape, function);
		if (shape->twice && i % (100 / shape->twice) == 0)
			put_function(m, shape, shuffle(i / 2, bits) % functions);
	}
}

static struct cairn_bytes make(uint64_t ranges, const struct shape *shape)
{
	size_t capacity = ((size_t)ranges + 16) * RANGE_MAX + (TEXTS + 1) * 64;
	uint8_t *bytes = malloc(capacity);
	struct making m = { .out = sink_open(bytes, capacity) };

	if (!bytes)
		abort();
	symbfile_put_start(&m.out);
	put_texts(&m.out);
	put_functions(&m, shape, ranges);
	if (!sink_fits(&m.out))
		abort();
	return (struct cairn_bytes){ bytes, m.out.size };
}

static void decode(void *context)
{
	struct data *d = context;
	struct symbfile file = symbfile_open(d->file);
	struct symbfile_record record;
	uint64_t sum = 0, ranges = 0;

	while (symbfile_next(&file, &record)) {
		sum += record.range.start;
		ranges += record.kind == SYMBFILE_RANGE;
	}
	d->ranges = ranges;
	bench_use(sum);
}

static void build(void *context)
{
	struct data *d = context;

	symbfile_built_free(&d->built);
	if (symbfile_build(&d->file, 1, NULL, &d->built) != CAIRN_OK)
		abort();
}

static void look_up(void *context)
{
	struct data *d = context;
	struct symbfile_chain chain;
	struct cairn_location location;
	uint64_t sum = 0;

	for (size_t i = 0; i < LOOKUPS; i++)
		if (symbfile_index_find(&d->built.index, d->va[i & d->mask], &chain))
			while (symbfile_chain_next(&chain, &location))
				sum += location.line + location.function.size;
	bench_use(sum);
}

static void make_questions(struct data *d)
{
	const struct symbfile_index *x = &d->built.index;
	uint64_t state = 2463534242, last;

	d->va = malloc(LOOKUPS * sizeof(*d->va));
	if (!d->va || x->segments == 0)
		abort();
	last = symbfile_index_at(x, x->start, x->segments - 1);
	for (size_t i = 0; i < LOOKUPS; i++)
		d->va[i] = x->base + bench_random(&state) % (last - x->base);
}

static void measure(const char *name, struct cairn_bytes bytes)
{
	struct data d = { .file = bytes };
	struct bench_run runs[] = { { "decode", decode, &d, 0 }, { "index", build, &d, 0 } };
	struct bench_run asked[] = { { "random", look_up, &d, 0 }, { "warm", look_up, &d, 0 } };
	struct rusage before, after;

	decode(&d);
	getrusage(RUSAGE_SELF, &before);
	build(&d);
	getrusage(RUSAGE_SELF, &after);
	printf("\n%s: %.1f MB, %.2f million ranges\n", name, (double)bytes.size / 1e6,
	       (double)d.ranges / 1e6);
	bench_race(runs, 2, d.ranges ? d.ranges : 1);
	printf("decode: %.1f million ranges/s, %.2f GB/s\n", 1e3 / runs[0].best,
	       (double)bytes.size / (runs[0].best * (double)d.ranges));
	printf("index: %.2f s, at its peak %.2f times the file's size of memory\n",
	       runs[1].best * (double)d.ranges / 1e9,
	       (double)(after.ru_maxrss - before.ru_maxrss) * 1024 / (double)bytes.size);
	make_questions(&d);
	d.mask = LOOKUPS - 1;
	bench_race(&asked[0], 1, LOOKUPS);
	d.mask = WARM - 1;
	bench_race(&asked[1], 1, LOOKUPS);
	printf("look-up with chain: %.0f ns at random, %.0f ns warm\n", asked[0].best,
	       asked[1].best);
	free(d.va);
	symbfile_built_free(&d.built);
}

/* A process of its own has a peak of memory of its own. */
static bool in_child(void)
{
	int status;

	fflush(stdout);
	pid_t child = fork();
	if (child == 0)
		return true;
	if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
		abort();
	return false;
}

static void measure_made(double millions)
{
	for (size_t i = 0; millions > 0 && i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		if (!in_child())
			continue;
		measure(shapes[i].name, make((uint64_t)(millions * 1e6), &shapes[i]));
		exit(fflush(stdout));
	}
}

int main(int argc, char **argv)
{
	bench_machine();
	if (argc > 1) {
		measure_made(strtod(argv[1], NULL));
	} else {
		measure_made(1);
		measure_made(10);
	}
	for (int i = 2; i < argc; i++) {
		if (!in_child())
			continue;
		measure(argv[i], bench_file(argv[i]));
		exit(fflush(stdout));
	}
	return 0;
}
