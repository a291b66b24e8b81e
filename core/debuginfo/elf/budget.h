/* SPDX-License-Identifier: MIT */
/*
 * Limits the cost of reading the debugging information of one program. DWARF shares data: entries
 * share range lists, units share abbreviations, line tables and strings, functions share rows.
 * Hence a small file can demand unlimited work and memory. All readers of a program draw from one
 * pool, for each use of an item. The pool is proportional to the size of the files.
 *
 *	budget_pool_open(&pool);
 *	budget_credit(&pool, file);
 *	struct budget budget = { .pool = &pool };
 *	if (!budget_work(&budget, 1) || !budget_room(&budget, &list->item, &list->room, need, size))
 *		return false;        memory is short, or budget.spent is exhausted
 *
 * Exceeding a limit, which no compiler's output does, is an error of the whole program rather than
 * of one unit, because which unit exceeds it depends on the threads. docs/formats/dwarf.md explains
 * the limits.
 */
#ifndef CAIRN_DEBUGINFO_ELF_BUDGET_H
#define CAIRN_DEBUGINFO_ELF_BUDGET_H

#include <cairn.h>

#include <pthread.h>

enum {
	/*
	 * Steps: an entry, a range, a row, or 16 bytes of a string. Compilers need less than one
	 * per byte.
	 */
	BUDGET_WORK_BASE = 1 << 24,
	BUDGET_WORK_FACTOR = 16,
	/* Bytes held by readers and by the consumers of functions. */
	BUDGET_MEMORY_BASE = 3 << 22,
	BUDGET_MEMORY_FACTOR = 4,
	/*
	 * Bytes of decompressed sections. Compression usually reduces debugging information to a
	 * half or a quarter.
	 */
	BUDGET_INFLATE_BASE = 5 << 23, /* allows a section of 32 MiB in a file of any size */
	BUDGET_INFLATE_FACTOR = 16,
	BUDGET_INFLATED_FACTOR = 2, /* additional memory per decompressed byte */
};

enum budget_kind {
	BUDGET_WORK,
	BUDGET_MEMORY,
	BUDGET_INFLATED,
	BUDGET_KINDS, /* number of kinds; as a value, none */
};

struct budget_pool {
	pthread_mutex_t lock;
	uint64_t left[BUDGET_KINDS], all[BUDGET_KINDS];
	/* files that have been credited: a hash table of their addresses */
	const uint8_t **credited;
	size_t credited_room, credited_count;
};

enum { BUDGET_SEEN = 1 << 10 }; /* size of the table of recently charged strings; a power of two */

struct budget {
	struct budget_pool *pool;
	uint64_t left[BUDGET_KINDS]; /* amounts drawn from the pool in advance */
	bool exhausted;              /* permanent */
	enum budget_kind spent;
	const uint8_t *seen[BUDGET_SEEN];
};

void budget_pool_open(struct budget_pool *pool);
void budget_pool_close(struct budget_pool *pool);

/* Credit the bytes of a file, once. Returns false if memory is short. */
bool budget_credit(struct budget_pool *pool, struct cairn_bytes file);

/* Draw memory for decompressed bytes, and credit them like the bytes of a file. */
bool budget_inflate(struct budget *budget, uint64_t bytes);

/* Return the amount drawn. No other thread may draw meanwhile. */
static inline uint64_t budget_drawn(const struct budget_pool *pool, enum budget_kind kind)
{
	return pool->all[kind] - pool->left[kind];
}

bool budget_refill(struct budget *budget, enum budget_kind kind, uint64_t amount);

static inline bool budget_draw(struct budget *budget, enum budget_kind kind, uint64_t amount)
{
	if (amount > budget->left[kind])
		return budget_refill(budget, kind, amount);
	budget->left[kind] -= amount;
	return true;
}

static inline bool budget_work(struct budget *budget, uint64_t steps)
{
	return budget_draw(budget, BUDGET_WORK, steps);
}

static inline bool budget_memory(struct budget *budget, uint64_t bytes)
{
	return budget_draw(budget, BUDGET_MEMORY, bytes);
}

/* Draw the work of measuring or copying a string. */
static inline bool budget_text(struct budget *budget, size_t size)
{
	enum { BYTES_PER_STEP = 16 };

	return budget_work(budget, 1 + size / BYTES_PER_STEP);
}

/* Draw the work and memory of a string that is kept, unless it was charged recently. */
bool budget_charge_text(struct budget *budget, struct cairn_bytes text);

/* Grow an array like array_grow(), after drawing the additional memory. */
bool budget_grow(struct budget *budget, void *array, size_t *room, size_t need, size_t size);

static inline bool budget_room(struct budget *budget, void *array, size_t *room, size_t need,
                               size_t size)
{
	return need <= *room || budget_grow(budget, array, room, need, size);
}

const char *budget_kind_text(enum budget_kind kind);

/* Findings of the readers of one program's debugging information: damage, discarded code, totals. */

/*
 * The first damage in the debugging information. If several readers find damage, the one in the
 * lowest unit is reported.
 */
struct program_damage {
	struct cairn_fault fault;
	const char *section; /* section that the offset counts from; NULL for the file */
	size_t unit;
};

/* Reasons why code described by DWARF is dropped. */
enum program_drop {
	PROGRAM_DROP_EMPTY, /* empty or negative range */
	/* range at -1 or -2, where linkers move the ranges of discarded code */
	PROGRAM_DROP_TOMBSTONE,
	/* range outside executable sections; includes discarded code at 0 */
	PROGRAM_DROP_OUTSIDE,
	PROGRAM_DROP_NAMELESS,
	PROGRAM_DROP_INLINE, /* inlined call without an address inside its function */
	PROGRAM_DROPS
};

struct program_summary {
	uint64_t units;
	uint64_t broken;   /* units abandoned before their end */
	uint64_t no_split; /* units whose split half is missing */
	uint64_t functions, rows, inlines, calls;
	/* copies of functions that were skipped because only the first was requested */
	uint64_t repeated;
	uint64_t dropped[PROGRAM_DROPS];
	struct program_damage damage;
	bool exhausted; /* program_read() returned MALFORMED, as `damage` describes */
};

#endif
