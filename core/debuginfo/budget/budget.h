/* SPDX-License-Identifier: MIT */
/*
 * What reading the debugging information of one program may cost.  DWARF shares its data: entries
 * share lists of ranges, units share abbreviations, line tables and texts, functions share rows.
 * A small file can so ask for work and memory without end.  All readers of a program draw from one
 * pool, for each thing as often as it is read; the pool is proportional to the bytes of the files.
 *
 *	budget_pool_open(&pool);
 *	budget_credit(&pool, file);
 *	struct budget budget = { .pool = &pool };
 *	if (!budget_work(&budget, 1) || !budget_room(&budget, &list->item, &list->room, need, size))
 *		return false;        memory is short, or budget.spent is what is used up
 *
 * What no compiler needs is an error of the whole program, not of one unit: which unit is the one
 * too many depends on the threads.  Limits and their reasons are in docs/formats/dwarf.md.
 */
#ifndef CAIRN_DEBUGINFO_BUDGET_BUDGET_H
#define CAIRN_DEBUGINFO_BUDGET_BUDGET_H

#include <cairn.h>

#include <pthread.h>

enum {
	/* Steps: an entry, range, row, or 16 bytes of text.  Compilers need less than one a byte. */
	BUDGET_WORK_BASE = 1 << 24,
	BUDGET_WORK_FACTOR = 16,
	/* Bytes that are held by readers, or by whoever takes the functions. */
	BUDGET_MEMORY_BASE = 3 << 22,
	BUDGET_MEMORY_FACTOR = 4,
	/* Bytes of decompressed sections.  Debugging information is halved or quartered. */
	BUDGET_INFLATE_BASE = 5 << 23, /* one section of 32 MiB, however small the file is */
	BUDGET_INFLATE_FACTOR = 16,
	BUDGET_INFLATED_FACTOR = 2, /* more memory for each decompressed byte */
};

enum budget_kind {
	BUDGET_WORK,
	BUDGET_MEMORY,
	BUDGET_INFLATED,
	BUDGET_KINDS, /* none */
};

/* The budget of a program; its readers draw from it, from several threads. */
struct budget_pool {
	pthread_mutex_t lock;
	uint64_t left[BUDGET_KINDS], all[BUDGET_KINDS];
	const uint8_t **credited; /* files that count already: a hash table by address */
	size_t credited_room, credited_count;
};

enum { BUDGET_SEEN = 1 << 10 }; /* texts that were counted lately; a power of two */

/* The budget of one reader, or one thread. */
struct budget {
	struct budget_pool *pool;
	uint64_t left[BUDGET_KINDS]; /* taken from the pool */
	bool exhausted;              /* for good */
	enum budget_kind spent;      /* what is used up, when exhausted */
	const uint8_t *seen[BUDGET_SEEN];
};

void budget_pool_open(struct budget_pool *pool);
void budget_pool_close(struct budget_pool *pool);

/* The bytes of a file count, once.  False: memory is short. */
bool budget_credit(struct budget_pool *pool, struct cairn_bytes file);

/* Memory for bytes that are decompressed, which count as bytes of a file then. */
bool budget_inflate(struct budget *budget, uint64_t bytes);

/* How much was drawn for this kind, while no other thread draws. */
static inline uint64_t budget_drawn(const struct budget_pool *pool, enum budget_kind kind)
{
	return pool->all[kind] - pool->left[kind];
}

/* Takes from the pool; false when it is used up. */
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

/* A text whose end was looked for, or that was copied. */
static inline bool budget_text(struct budget *budget, size_t size)
{
	enum { BYTES_PER_STEP = 16 };

	return budget_work(budget, 1 + size / BYTES_PER_STEP);
}

/* A text that somebody keeps, unless it was counted lately. */
bool budget_charge_text(struct budget *budget, struct cairn_bytes text);

/* As array_grow(): the memory that is added is drawn first. */
bool budget_grow(struct budget *budget, void *array, size_t *room, size_t need, size_t size);

static inline bool budget_room(struct budget *budget, void *array, size_t *room, size_t need,
                               size_t size)
{
	return need <= *room || budget_grow(budget, array, room, need, size);
}

/* Why a budget is exhausted. */
const char *budget_kind_text(enum budget_kind kind);

#endif
