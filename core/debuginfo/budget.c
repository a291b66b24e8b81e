/* SPDX-License-Identifier: MIT */
/* Implements the budget of work and memory that all readers of a program share. */
#include "budget.h"

#include "base/memory.h"

/* Minimum amounts drawn from the pool at a time. Otherwise threads would contend for its lock. */
static const uint64_t slices[] = {
	[BUDGET_WORK] = 1 << 16,
	[BUDGET_MEMORY] = 1 << 18,
	[BUDGET_INFLATED] = 1,
};

static const struct {
	uint64_t base, factor;
} limits[] = {
	[BUDGET_WORK] = { BUDGET_WORK_BASE, BUDGET_WORK_FACTOR },
	[BUDGET_MEMORY] = { BUDGET_MEMORY_BASE, BUDGET_MEMORY_FACTOR },
	[BUDGET_INFLATED] = { BUDGET_INFLATE_BASE, BUDGET_INFLATE_FACTOR },
};

void budget_pool_open(struct budget_pool *pool)
{
	*pool = (struct budget_pool){ .credited = NULL };
	pthread_mutex_init(&pool->lock, NULL);
	for (unsigned kind = 0; kind < BUDGET_KINDS; kind++)
		pool->left[kind] = pool->all[kind] = limits[kind].base;
}

void budget_pool_close(struct budget_pool *pool)
{
	pthread_mutex_destroy(&pool->lock);
	free(pool->credited);
	pool->credited = NULL;
}

static const uint8_t **find_credit_slot(const uint8_t **table, size_t capacity, const uint8_t *data)
{
	size_t at = (size_t)((uint64_t)(uintptr_t)data * UINT64_C(0x9e3779b97f4a7c15) >> 32);

	for (;; at++) {
		const uint8_t **slot = &table[at & (capacity - 1)];
		if (!*slot || *slot == data)
			return slot;
	}
}

static bool grow_table(struct budget_pool *pool)
{
	size_t capacity = pool->credited_capacity ? 2 * pool->credited_capacity : 16;

	if (2 * (pool->credited_count + 1) <= pool->credited_capacity)
		return true;
	const uint8_t **table = calloc(capacity, sizeof(*table));
	if (!table)
		return false;
	for (size_t i = 0; i < pool->credited_capacity; i++)
		if (pool->credited[i])
			*find_credit_slot(table, capacity, pool->credited[i]) = pool->credited[i];
	free(pool->credited);
	pool->credited = table;
	pool->credited_capacity = capacity;
	return true;
}

static void add_budget_amount(struct budget_pool *pool, enum budget_kind kind, uint64_t amount)
{
	pool->left[kind] += amount;
	pool->all[kind] += amount;
}

static void add_credit(struct budget_pool *pool, struct cairn_bytes file)
{
	const uint8_t **slot = find_credit_slot(pool->credited, pool->credited_capacity, file.data);

	if (*slot)
		return;
	*slot = file.data;
	pool->credited_count++;
	for (unsigned kind = 0; kind < BUDGET_KINDS; kind++)
		add_budget_amount(pool, (enum budget_kind)kind, limits[kind].factor * file.size);
}

bool budget_credit(struct budget_pool *pool, struct cairn_bytes file)
{
	bool ok = true;

	if (file.size == 0)
		return true;
	pthread_mutex_lock(&pool->lock);
	ok = grow_table(pool);
	if (ok)
		add_credit(pool, file);
	pthread_mutex_unlock(&pool->lock);
	return ok;
}

bool budget_inflate(struct budget *budget, uint64_t bytes)
{
	struct budget_pool *pool = budget->pool;

	if (!budget_draw(budget, BUDGET_INFLATED, bytes))
		return false;
	pthread_mutex_lock(&pool->lock);
	add_budget_amount(pool, BUDGET_WORK, bytes);
	add_budget_amount(pool, BUDGET_MEMORY, bytes * BUDGET_INFLATED_FACTOR);
	pthread_mutex_unlock(&pool->lock);
	return true;
}

bool budget_refill(struct budget *budget, enum budget_kind kind, uint64_t amount)
{
	struct budget_pool *pool = budget->pool;
	uint64_t need = amount - budget->left[kind], slice = slices[kind];

	if (budget->exhausted)
		return false;
	pthread_mutex_lock(&pool->lock);
	uint64_t taken = need > slice ? need : slice;
	if (taken > pool->left[kind])
		taken = pool->left[kind] < need ? 0 : pool->left[kind];
	pool->left[kind] -= taken;
	pthread_mutex_unlock(&pool->lock);
	budget->left[kind] += taken;
	if (taken > 0) {
		budget->left[kind] -= amount;
		return true;
	}
	budget->exhausted = true;
	budget->spent = kind;
	for (unsigned i = 0; i < BUDGET_KINDS; i++)
		budget->left[i] = 0;
	return false;
}

bool budget_charge_text(struct budget *budget, struct cairn_bytes text)
{
	const uint8_t **seen = &budget->seen[(uintptr_t)text.data % BUDGET_SEEN];

	if (*seen == text.data || text.size == 0)
		return true;
	*seen = text.data;
	return budget_text(budget, text.size) && budget_memory(budget, text.size);
}

bool budget_grow(struct budget *budget, void *array, size_t *capacity, size_t need, size_t size)
{
	size_t larger = array_grow_capacity(*capacity, need, ARRAY_GROW_FIRST);

	if (larger > SIZE_MAX / size)
		return false;
	return budget_memory(budget, (uint64_t)(larger - *capacity) * size) &&
	       array_grow(array, capacity, need, size);
}

const char *budget_kind_text(enum budget_kind kind)
{
	switch (kind) {
	case BUDGET_WORK:
		return "shared data takes more work to read than the file's size allows; the limit "
		       "was reached in the unit";
	case BUDGET_MEMORY:
		return "shared data takes more memory to read than the file's size allows; the "
		       "limit was reached in the unit";
	case BUDGET_INFLATED:
		return "sections decompress to more than the file's size allows; the limit was "
		       "reached in the section";
	case BUDGET_KINDS:
		break;
	}
	return "nothing is used up";
}
