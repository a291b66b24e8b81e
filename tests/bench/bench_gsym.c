/* SPDX-License-Identifier: MIT */
/*
 * Lookups in a GSYM file: the function alone; all locations read from the file; from the cache of
 * decoded functions, of all addresses and of 20 alone; in batches; and by LLVM's reader on the same
 * addresses.
 *
 *	bench_gsym FILE.gsym [SMALL.gsym]
 *
 * Addresses are random bytes of random functions' code.  Each contender goes over them again and
 * again and the best time counts, so that the state is warm; sums over all that was found must
 * agree.
 */
#include "bench.h"
#include "gsym_peer.h"

#include "symbols/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	ADDRESSES = 10000,
	ROUNDS = 20, /* of turns, for what takes little time: other programs disturb it most */
	BATCH = 1000,
	HOT = 20,
	OPENINGS = 1000,
	MOST_TRIES = 100 * ADDRESSES,
};

struct lookups {
	struct cairn_symbols *symbols;
	void *peer;
	uint64_t *vas;
	uint64_t sum; /* over one pass */
	size_t locations;
};

static void add(struct lookups *l, const struct cairn_location *location)
{
	l->sum += location->line + location->offset + location->function.size +
	          location->directory.size + location->file.size;
	l->locations++;
}

static void begin(struct lookups *l)
{
	l->sum = 0;
	l->locations = 0;
}

static void by_name(void *context)
{
	struct lookups *l = context;
	struct cairn_location location;
	struct cairn_fault fault;
	uint64_t sum = 0;

	for (size_t i = 0; i < ADDRESSES; i++)
		if (cairn_symbols_find_function(l->symbols, l->vas[i], &location, &fault) ==
		    CAIRN_OK)
			sum += location.offset;
	bench_use(sum);
}

static void by_reading(void *context)
{
	struct lookups *l = context;
	struct cairn_lookup_result answer;
	struct cairn_location location;

	begin(l);
	for (size_t i = 0; i < ADDRESSES; i++)
		if (cairn_symbols_find_uncached(l->symbols, l->vas[i], &answer) == CAIRN_OK)
			while (cairn_lookup_result_next(&answer, &location))
				add(l, &location);
}

static void by_cache(void *context)
{
	struct lookups *l = context;
	struct cairn_lookup_result answer;
	struct cairn_location location;

	begin(l);
	for (size_t i = 0; i < ADDRESSES; i++)
		if (cairn_symbols_find(l->symbols, l->vas[i], &answer) == CAIRN_OK)
			while (cairn_lookup_result_next(&answer, &location))
				add(l, &location);
}

static void by_hot(void *context)
{
	struct lookups *l = context;
	struct cairn_lookup_result answer;
	struct cairn_location location;

	begin(l);
	for (size_t turn = 0; turn < ADDRESSES / HOT; turn++)
		for (size_t i = 0; i < HOT; i++)
			if (cairn_symbols_find(l->symbols, l->vas[i], &answer) == CAIRN_OK)
				while (cairn_lookup_result_next(&answer, &location))
					add(l, &location);
}

static void by_batch(void *context)
{
	struct lookups *l = context;
	struct cairn_batch batch;

	begin(l);
	for (size_t i = 0; i < ADDRESSES; i += BATCH) {
		if (cairn_symbols_find_many(l->symbols, l->vas + i, BATCH, &batch) != CAIRN_OK)
			abort();
		for (size_t k = 0; k < BATCH; k++)
			for (size_t n = 0; n < batch.items[k].count; n++)
				add(l, &batch.locations[batch.items[k].first + n]);
		cairn_batch_free(&batch);
	}
}

#ifdef HAVE_LLVM_GSYM
static void by_peer(void *context)
{
	struct lookups *l = context;

	begin(l);
	for (size_t i = 0; i < ADDRESSES; i++)
		l->locations += gsym_peer_find(l->peer, l->vas[i], &l->sum);
}
#endif

/* Random addresses of the code between the first and the last function. */
static bool choose(struct lookups *l)
{
	const struct gsym *gsym = &l->symbols->image.gsym;
	uint64_t low = gsym_offset(gsym, 0), seed = 88172645463325252;
	uint64_t high = gsym_offset(gsym, gsym->functions - 1);
	size_t count = 0;

	for (size_t i = 0; i < MOST_TRIES && count < ADDRESSES && high > low; i++) {
		struct gsym_function f;
		struct cairn_fault fault;
		uint64_t va = gsym->base + low + bench_random(&seed) % (high - low);
		if (gsym_find_nearest(gsym, va, &f, &fault) == CAIRN_OK && f.size)
			l->vas[count++] = va;
	}
	return count == ADDRESSES;
}

static void line(const char *what, double ns, double theirs)
{
	printf("  %-52s %9.0f", what, ns);
	if (theirs > 0)
		printf(" %9.1fx %9.2f", theirs / ns, ns / theirs);
	putchar('\n');
}

struct opening {
	struct cairn_bytes file;
};

static void open_often(void *context)
{
	struct opening *o = context;
	struct cairn_symbols *symbols;
	struct cairn_fault fault;

	for (unsigned i = 0; i < OPENINGS; i++)
		if (cairn_symbols_open_bytes(o->file, NULL, &symbols, &fault) == CAIRN_OK)
			cairn_symbols_free(symbols);
}

static void race_openings(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct opening o = { bench_file(argv[i]) };
		struct bench_run run = { "open", open_often, &o, 0 };
		char text[128];
		if (o.file.size == 0)
			continue;
		bench_race(&run, 1, OPENINGS);
		snprintf(text, sizeof(text), "open and close a file of %.1f MB",
		         (double)o.file.size / 1e6);
		line(text, run.best, 0);
		free((void *)(uintptr_t)o.file.data);
	}
}

/* Keeps the best of many turns. */
static void race(struct bench_run *run)
{
	double best = 0;

	for (int round = 0; round < ROUNDS; round++) {
		bench_race(run, 1, ADDRESSES);
		best = round == 0 || run->best < best ? run->best : best;
	}
	run->best = best;
}

/* One after the other: a contender would push the memory of the others out of the caches. */
static void race_lookups(struct lookups *l)
{
	struct bench_run name = { "name", by_name, l, 0 };
	struct bench_run reading = { "reading", by_reading, l, 0 };
	struct bench_run cache = { "cache", by_cache, l, 0 };
	struct bench_run hot = { "hot", by_hot, l, 0 };
	struct bench_run batch = { "batch", by_batch, l, 0 };
	double theirs = 0;
	uint64_t peer_sum = 0;

#ifdef HAVE_LLVM_GSYM
	if (l->peer) {
		struct bench_run peer = { "peer", by_peer, l, 0 };
		bench_race(&peer, 1, ADDRESSES);
		theirs = peer.best;
		peer_sum = l->sum;
		line(gsym_peer_name(), theirs, 0);
	}
#endif
	race(&name);
	line("function name alone", name.best, theirs);
	bench_race(&reading, 1, ADDRESSES);
	line("all locations, read from the file", reading.best, theirs);
	uint64_t read_sum = l->sum;
	race(&cache);
	line("all locations, from the cache", cache.best, theirs);
	uint64_t cache_sum = l->sum;
	race(&hot);
	line("all locations of 20 hot addresses", hot.best, 0);
	race(&batch);
	line("all locations, in batches of 1000", batch.best, theirs);
	printf("  %.2f locations for an address; the answers of the contenders are %s\n",
	       (double)l->locations / ADDRESSES,
	       read_sum == cache_sum && cache_sum == l->sum && (theirs == 0 || peer_sum == l->sum)
	               ? "equal"
	               : "DIFFERENT");
	printf("  the cache holds %zu functions in %.1f MB, never more than %.1f of %.1f MB\n",
	       (size_t)l->symbols->cache.count, (double)l->symbols->cache.bytes / 1e6,
	       (double)l->symbols->cache.peak / 1e6, (double)CAIRN_SYMBOLS_CACHE / 1e6);
}

int main(int argc, char **argv)
{
	struct cairn_bytes file = argc > 1 ? bench_file(argv[1]) : (struct cairn_bytes){ NULL, 0 };
	struct lookups l = { .vas = malloc(ADDRESSES * sizeof(uint64_t)) };
	struct cairn_fault fault;

	if (argc < 2 || !l.vas || !file.data ||
	    cairn_symbols_open_bytes(file, NULL, &l.symbols, &fault) != CAIRN_OK) {
		puts("usage: bench_gsym FILE.gsym [SMALL.gsym]");
		return 2;
	}
	if (l.symbols->image.gsym.functions == 0 || !choose(&l)) {
		puts("too little code in this file");
		return 2;
	}
#ifdef HAVE_LLVM_GSYM
	l.peer = gsym_peer_open(argv[1]);
#endif
	bench_machine();
	printf("%s: %.1f MB, %u functions, %d random addresses\n", argv[1], (double)file.size / 1e6,
	       (unsigned)l.symbols->image.gsym.functions, ADDRESSES);
	printf("\nGSYM lookups, ns each                                  cairn   faster     "
	       "share\n");
	race_openings(argc, argv);
	race_lookups(&l);
#ifdef HAVE_LLVM_GSYM
	gsym_peer_close(l.peer);
#endif
	cairn_symbols_free(l.symbols);
	free(l.vas);
	free((void *)(uintptr_t)file.data);
	return 0;
}
