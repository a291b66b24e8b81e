/* SPDX-License-Identifier: MIT */
/* Handles of libdw that the readers of a program share, and what each of them costs. */
#include "libdw_pool.h"

/* Bytes that libdw 0.188 allocates for a unit, and for each of its abbreviations. */
enum { UNIT_COST = 2048, ABBREV_COST = 64 };

void libdw_pool_open(struct libdw_pool *pool)
{
	*pool = (struct libdw_pool){ .idles = 0 };
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->returned, NULL);
}

void libdw_pool_close(struct libdw_pool *pool)
{
	while (pool->idles > 0)
		libdw_close(pool->idle[--pool->idles]);
	pthread_cond_destroy(&pool->returned);
	pthread_mutex_destroy(&pool->lock);
}

/* libdw keeps a copy of the abbreviations for each unit, even where several units share a table. */
static bool add_units(const struct dies_file *file, struct budget *budget, uint64_t *bytes)
{
	uint64_t table = UINT64_MAX, count = 0, widest;

	for (size_t i = 0; i < file->units.count; i++) {
		const struct dwarf_unit *unit = &file->units.unit[i];
		if (unit->version > 0 && unit->abbrevs != table) {
			table = unit->abbrevs;
			count = dwarf_count_table(&file->sections, table, &widest);
			if (!budget_work(budget, count))
				return false;
		}
		*bytes += UNIT_COST + count * ABBREV_COST;
	}
	return true;
}

static uint64_t image_bytes(const struct dwarf_file *plain)
{
	struct dwarf_sections dwarf = plain->dwarf;
	uint64_t bytes = 0;

	for (unsigned i = 0; plain->copied && i < DWARF_SECTION_COUNT; i++)
		bytes += dwarf_sections_get(&dwarf, (enum dwarf_section_kind)i)->size;
	return bytes;
}

static bool measure_handle_cost(struct libdw_pool *pool, const struct libdw_files *files,
                                struct budget *budget)
{
	if (pool->is_measured)
		return true;
	pool->memory = 0;
	pool->image = image_bytes(files->plain);
	if (files->alt_plain)
		pool->image += image_bytes(files->alt_plain);
	pool->is_measured = add_units(files->main, budget, &pool->memory) &&
	                    add_units(files->alt, budget, &pool->memory);
	return pool->is_measured;
}

/* Another handle, after the first one, leaves half of the budget to the readers. */
static bool is_affordable(const struct libdw_pool *pool, struct budget *budget)
{
	return pool->made < LIBDW_POOL_MAX &&
	       budget_leaves_half(budget->pool, BUDGET_MEMORY, pool->memory) &&
	       budget_leaves_half(budget->pool, BUDGET_INFLATED, pool->image);
}

static struct libdw_reader *open_handle(const struct libdw_pool *pool,
                                        const struct libdw_files *files, struct budget *budget)
{
	if (!budget_memory(budget, pool->memory) ||
	    !budget_draw(budget, BUDGET_INFLATED, pool->image))
		return NULL;
	return libdw_open(files->plain, files->alt_plain);
}

struct libdw_reader *libdw_pool_acquire(struct libdw_pool *pool, const struct libdw_files *files,
                                        struct budget *budget)
{
	struct libdw_reader *libdw = NULL;

	pthread_mutex_lock(&pool->lock);
	bool ok = measure_handle_cost(pool, files, budget);
	while (ok && !pool->declined && pool->idles == 0 && pool->made > 0 &&
	       !is_affordable(pool, budget))
		pthread_cond_wait(&pool->returned, &pool->lock);
	if (ok && !pool->declined && pool->idles > 0) {
		libdw = pool->idle[--pool->idles];
	} else if (ok && !pool->declined) {
		pool->made++;
		libdw = open_handle(pool, files, budget);
		pool->made -= !libdw;
		pool->declined = pool->made == 0;
	}
	if (pool->declined)
		pthread_cond_broadcast(&pool->returned);
	pthread_mutex_unlock(&pool->lock);
	if (libdw)
		libdw_set_budget(libdw, budget);
	return libdw;
}

void libdw_pool_release(struct libdw_pool *pool, struct libdw_reader *libdw)
{
	pthread_mutex_lock(&pool->lock);
	pool->idle[pool->idles++] = libdw;
	pthread_cond_signal(&pool->returned);
	pthread_mutex_unlock(&pool->lock);
}
