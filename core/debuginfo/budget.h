/* SPDX-License-Identifier: MIT */
/*
 * Limits the cost of reading the debugging information of one program. DWARF shares data: DIEs
 * share range lists, units share abbreviations, line tables and strings, functions share rows.
 * Hence a small file can demand unlimited work and memory. All readers of a program draw from one
 * pool each time they use an item, even if the item is shared. The pool is proportional to the size
 * of the files.
 *
 *	budget_pool_open(&pool);
 *	budget_credit(&pool, file);
 *	struct budget budget = { .pool = &pool };
 *	if (!budget_work(&budget, 1) || !budget_capacity(&budget, &list->item, &list->room, need, size))
 *		return false;        allocation failed, or budget.spent is exhausted
 *
 * No compiler's output exceeds a limit. If a limit is exceeded, the error is reported for the
 * program and not for one unit, because the timing of the threads determines which unit exceeds the
 * limit. docs/formats/dwarf.md explains the limits.
 */
#ifndef CAIRN_DEBUGINFO_BUDGET_H
#define CAIRN_DEBUGINFO_BUDGET_H

#include <cairn.h>

#include <pthread.h>

enum {
	/*
	 * Work steps. Reading a DIE, a range, a row or 16 bytes of a string is one step. Compilers'
	 * output needs less than one step per byte.
	 */
	BUDGET_WORK_BASE = 1 << 24,
	BUDGET_WORK_FACTOR = 16,
	/* Bytes allocated by readers and by the consumers of functions. */
	BUDGET_MEMORY_BASE = 3 << 22,
	BUDGET_MEMORY_FACTOR = 4,
	/*
	 * Size of decompressed sections. Compression usually reduces debugging information to a
	 * half or a quarter.
	 */
	BUDGET_INFLATE_BASE = 5 << 23, /* permits a section of 32 MiB in a file of any size */
	BUDGET_INFLATE_FACTOR = 16,
	BUDGET_INFLATED_FACTOR = 2, /* memory credited per decompressed byte */
};

enum budget_kind {
	BUDGET_WORK,
	BUDGET_MEMORY,
	BUDGET_INFLATED,
	BUDGET_KINDS,
};

struct budget_pool {
	pthread_mutex_t lock;
	uint64_t left[BUDGET_KINDS], all[BUDGET_KINDS];
	const uint8_t **credited;
	size_t credited_capacity, credited_count;
};

enum { BUDGET_SEEN = 1 << 10 };

struct budget {
	struct budget_pool *pool;
	uint64_t left[BUDGET_KINDS];
	bool exhausted; /* set by the first failed draw and never cleared */
	enum budget_kind spent;
	const uint8_t *seen[BUDGET_SEEN];
};

void budget_pool_open(struct budget_pool *pool);
void budget_pool_close(struct budget_pool *pool);

/* Add the allowance for the bytes of a file, once per file. Returns false if allocation fails. */
bool budget_credit(struct budget_pool *pool, struct cairn_bytes file);

/* Draw memory for decompressed bytes, then credit them like the bytes of a file. */
bool budget_inflate(struct budget *budget, uint64_t bytes);

/* Return the amount drawn so far. No other thread may draw during the call. */
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

static inline bool budget_text(struct budget *budget, size_t size)
{
	enum { BYTES_PER_STEP = 16 };

	return budget_work(budget, 1 + size / BYTES_PER_STEP);
}

/*
 * Draw the work and memory for storing a string from the budget, unless the same string was charged
 * recently.
 */
bool budget_charge_text(struct budget *budget, struct cairn_bytes text);

bool budget_grow(struct budget *budget, void *array, size_t *capacity, size_t need, size_t size);

static inline bool budget_capacity(struct budget *budget, void *array, size_t *capacity,
                                   size_t need, size_t size)
{
	return need <= *capacity || budget_grow(budget, array, capacity, need, size);
}

const char *budget_kind_text(enum budget_kind kind);

/*
 * Damage in the debugging information. If several readers find damage, the damage in the lowest
 * unit is reported.
 */
struct program_damage {
	struct cairn_fault fault;
	/* name of the section that the fault offset is relative to; NULL for the file */
	const char *section;
	size_t unit;
};

enum program_drop {
	PROGRAM_DROP_EMPTY, /* empty range, or one that ends before it starts */
	/* range at the tombstone -1 or -2, which linkers write for discarded code */
	PROGRAM_DROP_TOMBSTONE,
	/* range outside executable sections; includes discarded code at 0 */
	PROGRAM_DROP_OUTSIDE,
	PROGRAM_DROP_NAMELESS,
	PROGRAM_DROP_INLINE, /* inlined call without an address inside its function */
	PROGRAM_DROPS
};

struct program_summary {
	uint64_t units;
	uint64_t broken;   /* number of units that could be read only in part because of damage */
	uint64_t no_split; /* number of units whose .dwo file is missing */
	uint64_t functions, rows, inlines, calls;
	/* number of skipped copies of functions; see program_give_once() */
	uint64_t repeated;
	uint64_t dropped[PROGRAM_DROPS];
	struct program_damage damage;
	/* the budget is exhausted, and `damage` has the location */
	bool exhausted;
};

#endif
