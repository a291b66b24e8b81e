/* SPDX-License-Identifier: MIT */
/* Sorts the samples of a profile by thread and time for the Firefox Profiler. */
#include "firefox.h"

#include "base/memory.h"
#include "base/sort.h"

static bool is_key(struct cairn_bytes key, const char *const *words)
{
	for (; *words; words++)
		if (key.size == strlen(*words) && memcmp(key.data, *words, key.size) == 0)
			return true;
	return false;
}

/* Identify the thread of a sample by the label names of OpenTelemetry and of other tools. */
static struct firefox_thread read_thread(const struct profile_samples *s)
{
	static const char *const pids[] = { "process.pid", "pid", NULL };
	static const char *const tids[] = { "thread.id", "thread_id", "tid", NULL };
	static const char *const names[] = { "thread.name", "thread_name", "comm", NULL };
	struct firefox_thread thread = { .name = CAIRN_NO_BYTES };

	for (size_t i = 0; i < s->label_count; i++) {
		const struct profile_label *label = &s->label[i];
		if (label->is_number && is_key(label->key, pids))
			thread.pid = label->number;
		else if (label->is_number && is_key(label->key, tids))
			thread.tid = label->number;
		else if (!label->is_number && is_key(label->key, names))
			thread.name = label->text;
	}
	return thread;
}

static bool number_thread(struct firefox *f, const struct profile_samples *s, uint32_t *number)
{
	const struct firefox_thread thread = read_thread(s);
	const int64_t key[] = { thread.pid, thread.tid };

	*number = string_pool_add(&f->thread_keys,
	                          (struct cairn_bytes){ (const uint8_t *)key, sizeof(key) });
	if (*number == STRING_POOL_FULL ||
	    !array_grow(&f->threads, &f->thread_room, (size_t)*number + 1, sizeof(*f->threads)))
		return false;
	if (*number >= f->thread_count) {
		f->thread_count = (size_t)*number + 1;
		f->threads[*number] = thread;
	}
	return true;
}

static bool add_row(struct firefox *f, const struct firefox_row *row)
{
	if (!array_grow(&f->rows, &f->row_room, f->row_count + 1, sizeof(*f->rows)))
		return false;
	f->rows[f->row_count] = *row;
	f->rows[f->row_count].number = f->row_count;
	f->row_count++;
	if (row->time != 0 && (f->start == 0 || row->time < f->start))
		f->start = row->time;
	return true;
}

/*
 * Add one row per timestamp. The sample's value is distributed over the rows, with the remainder on
 * the first ones.
 */
static bool add_rows(struct firefox *f, struct profile_samples *s, struct firefox_row row)
{
	const int64_t all = (int64_t)s->value[f->type];
	struct profile_samples counted = *s;
	uint64_t time;
	int64_t times = 0;

	while (profile_sample_time(&counted, &time))
		times++;
	if (times == 0) {
		row.weight = all;
		return add_row(f, &row);
	}
	for (int64_t i = 0; profile_sample_time(s, &row.time); i++) {
		row.weight = all / times + (i < all % times);
		if (!add_row(f, &row))
			return false;
	}
	return true;
}

static int compare_rows(const void *a, const void *b)
{
	const struct firefox_row *x = a, *y = b;

	return ORDER_BY(x->thread, y->thread,
	                ORDER_BY(x->time, y->time, ORDER_BY(x->number, y->number, 0)));
}

bool firefox_take_samples(struct firefox *f)
{
	struct profile_samples s;
	bool good = true;

	profile_samples_begin(&s, f->w->profile);
	while (good && profile_next_sample(&s)) {
		struct firefox_row row = { .time = 0 };
		if (f->type >= f->w->profile->type_count || s.value[f->type] == 0)
			continue;
		row.stack = string_pool_add(
			&f->stacks, (struct cairn_bytes){ s.count ? (const uint8_t *)s.location
		                                                  : (const uint8_t *)"",
		                                          s.count * sizeof(*s.location) });
		good = row.stack != STRING_POOL_FULL && number_thread(f, &s, &row.thread) &&
		       add_rows(f, &s, row);
	}
	f->w->status = profile_samples_end(&s);
	good = f->w->status == CAIRN_OK && good;
	if (good && f->row_count > 0)
		qsort(f->rows, f->row_count, sizeof(*f->rows), compare_rows);
	return good;
}
