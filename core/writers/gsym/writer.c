/* SPDX-License-Identifier: MIT */
/*
 * Collects functions for a GSYM file. Each thread encodes its functions as draft records in a
 * separate shard. Afterwards, the records in all shards are sorted and counted.
 */
#include "writer.h"

#include "shard.h"

#include "base/invariant.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/*
 * Chooses the window of line steps that special opcodes encode. This is either one of a few common
 * windows or the window that contains the most steps.
 */
static int compare_steps(const void *left, const void *right)
{
	const int32_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static void sort_few(int32_t *step, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		int32_t one = step[i];
		size_t at = i;
		for (; at > 0 && step[at - 1] > one; at--)
			step[at] = step[at - 1];
		step[at] = one;
	}
}

enum {
	/* steps below this magnitude are near and sorted by counting; all others are far */
	NEAR = 256,
	WIDE = 15,
};

/*
 * Return an upper bound on the number of far steps in any window. Steps are counted in buckets of a
 * few lines, modulo the number of buckets, so the bound may be too high. A window overlaps at most
 * two adjacent buckets.
 */
static size_t bound_far(const int32_t *step, size_t count)
{
	enum { BUCKETS = 128, LINES_SHIFT = 4 };
	uint32_t bucket[BUCKETS] = { 0 };
	size_t most = 0;

	for (size_t i = 0; i < count; i++)
		bucket[(uint32_t)step[i] >> LINES_SHIFT & (BUCKETS - 1)]++;
	for (unsigned i = 0; i < BUCKETS; i++) {
		size_t both = (size_t)bucket[i] + bucket[(i + 1) & (BUCKETS - 1)];
		most = both > most ? both : most;
	}
	return most;
}

/*
 * Return true if a window around step 0 contains more steps than any window that includes a far
 * step. The bound for such windows includes the outermost near steps, because they can be in the
 * same window as a far step.
 */
static bool outnumber_far(const uint32_t near[2 * NEAR], const int32_t *far, size_t count)
{
	size_t middle = 0, beside = 0;

	for (unsigned i = 0; i < WIDE; i++) {
		middle += near[NEAR - WIDE / 2 + i];
		beside += near[i] + near[2 * NEAR - 1 - i];
	}
	return middle > beside + count || middle > beside + bound_far(far, count);
}

/*
 * Sort many steps. Near steps, which are the majority, are sorted by counting. Far steps that
 * cannot be in the best window are dropped. Returns the number of steps left.
 */
static size_t sort_many(int32_t *step, size_t count)
{
	uint32_t near[2 * NEAR] = { 0 };
	size_t far = 0, below = 0;

	for (size_t i = 0; i < count; i++) {
		if (step[i] >= -NEAR && step[i] < NEAR) {
			near[step[i] + NEAR]++;
			continue;
		}
		below += step[i] < 0;
		step[far++] = step[i];
	}
	if (outnumber_far(near, step, far)) {
		count -= far;
		far = below = 0;
	}
	if (far > 1)
		qsort(step, far, sizeof(*step), compare_steps);
	memmove(step + count - (far - below), step + below, (far - below) * sizeof(*step));
	for (int32_t i = 0; i < 2 * NEAR; i++)
		for (uint32_t n = near[i]; n > 0; n--)
			step[below++] = i - NEAR;
	return count;
}

static bool sort_steps(struct gsym_line_steps *steps, const struct function_row *rows, size_t count,
                       size_t *sorted)
{
	enum { FEW = 40 };

	if (!array_grow(&steps->step, &steps->capacity, count + 1, sizeof(*steps->step)))
		return false;
	for (size_t i = 1; i < count; i++)
		steps->step[i - 1] = gsym_line_step(&rows[i - 1], &rows[i]);
	*sorted = count - 1;
	if (count <= FEW)
		sort_few(steps->step, count - 1);
	else
		*sorted = sort_many(steps->step, count - 1);
	return true;
}

bool gsym_line_steps_window(struct gsym_line_steps *steps, const struct function_row *rows,
                            size_t count, struct gsym_window *window)
{
	if (count == 0)
		return true;
	size_t sorted;
	uint64_t cost = gsym_usual_window(rows, count, &steps->costs, window);
	if (cost == gsym_least_cost(count))
		return true;
	if (!sort_steps(steps, rows, count, &sorted))
		return false;
	struct gsym_window common = gsym_common_window(steps->step, sorted);
	if (cost == 0)
		cost = gsym_window_cost(window, rows, count);
	if (gsym_window_cost(&common, rows, count) < cost)
		*window = common;
	return true;
}

void gsym_line_steps_finish(struct gsym_line_steps *steps)
{
	free(steps->step);
	*steps = (struct gsym_line_steps){ .step = NULL };
}

enum {
	CHUNK_SIZE = 1 << 20,
	DRAFT_CAPACITY = 1 << 14,
	NAMES_AHEAD = 8,
};

struct gsym_chunk {
	struct gsym_chunk *previous;
	size_t used, capacity;
	_Alignas(8) uint8_t data[];
};

static bool add_text(struct gsym_shard *shard, struct cairn_bytes text)
{
	if (shard->texts >= GSYM_DRAFT_NUMBERS)
		return false;
	return ARRAY_APPEND(shard->text, shard->texts, shard->text_capacity, gsym_read_text(text));
}

/*
 * Add a string and the function_path() after it, and set *number to the string's index. A string
 * that contains another NUL is truncated at that NUL, because the rest cannot be written.
 */
static bool new_number(struct gsym_shard *shard, struct cairn_bytes text, uint32_t path_size,
                       uint32_t *number)
{
	const uint8_t *nul = memchr(text.data, 0, text.size);

	*number = GSYM_STRING_EMPTY;
	text.size = nul ? (size_t)(nul - text.data) : text.size;
	if (text.size == 0)
		return true;
	if (!nul && path_size > 0)
		text.size += FUNCTION_PATH_GAP + path_size;
	*number = (uint32_t)shard->texts;
	return add_text(shard, text);
}

/*
 * Return the map key of a string. A string with a path is identified by the address of the NUL
 * between string and path, because the same string may also be used without the path.
 */
static uintptr_t find_text_key(struct cairn_bytes text, uint32_t path_size)
{
	return (uintptr_t)text.data + (path_size > 0 ? text.size : 0);
}

/*
 * Set *number to the index of a string. If the string's address is new, the string is added.
 * Otherwise its bytes are not read, because they may not be in the processor's cache.
 */
static bool named_number(struct gsym_shard *shard, struct cairn_bytes text, uint32_t path_size,
                         uint32_t *number)
{
	const uintptr_t key = find_text_key(text, path_size);

	*number = GSYM_STRING_EMPTY;
	if (text.size == 0)
		return true;
	struct number_slot *slot = number_map_at(&shard->text_map, key);
	if (!slot)
		return false;
	if (slot->key == 0) {
		if (!new_number(shard, text, path_size, &slot->number))
			return false;
		slot->key = key;
		shard->text_map.count++;
	}
	*number = slot->number;
	return true;
}

static bool text_number(struct gsym_shard *shard, struct cairn_bytes text, uint32_t *number)
{
	return named_number(shard, text, 0, number);
}

/* Number a string like named_number(), but replace an empty string with "??". */
static bool name_number(struct gsym_shard *shard, struct cairn_bytes text, uint32_t path_size,
                        uint32_t *number)
{
	if (!named_number(shard, text, path_size, number))
		return false;
	if (*number == GSYM_STRING_EMPTY)
		*number = GSYM_STRING_UNKNOWN;
	return true;
}

static bool add_shard_file(struct gsym_shard *shard, struct gsym_shard_file file, uint32_t *number)
{
	uint64_t key = (uint64_t)file.directory << 32 | file.name;
	struct number_slot *slot = number_map_at(&shard->file_map, key);

	if (!slot)
		return false;
	if (slot->key == 0) {
		if (shard->files >= GSYM_DRAFT_NUMBERS ||
		    !array_grow(&shard->file, &shard->file_capacity, shard->files + 1,
		                sizeof(*shard->file)))
			return false;
		shard->file[shard->files] = file;
		slot->key = key;
		slot->number = (uint32_t)shard->files++;
		shard->file_map.count++;
	}
	*number = slot->number;
	return true;
}

static bool number_unit_file(struct gsym_shard *shard, const struct function *function,
                             uint32_t file)
{
	struct gsym_shard_file both;
	uint32_t *known = &shard->unit_file.number[file];

	if (*known != FILE_MAP_NONE)
		return true;
	if (file == 0) {
		*known = GSYM_FILE_GAP;
		return true;
	}
	if (!text_number(shard, function->files[file].directory, &both.directory) ||
	    !text_number(shard, function->files[file].name, &both.name))
		return false;
	uint32_t number = GSYM_FILE_GAP;
	if ((both.directory | both.name) != 0 && !add_shard_file(shard, both, &number))
		return false;
	*known = number;
	return true;
}

/*
 * Copy the rows and convert their file indices to the shard's, but skip rows that repeat the
 * previous row. If statement flags are known, drop only repeats at the same address. Debuggers need
 * the other repeats: when they step, they look up the address of each row, and a row that begins a
 * statement hides a following row of another line.
 */
static bool copy_shard_rows(struct gsym_shard *shard, const struct function *function,
                            size_t *count)
{
	size_t kept = 0;

	*count = 0;
	if (function->row_count && !array_grow(&shard->row, &shard->row_capacity,
	                                       function->row_count, sizeof(*shard->row)))
		return false;
	for (size_t i = 0; i < function->row_count; i++) {
		struct function_row row = function->rows[i];
		if (shard->unit_file.number[row.file] == FILE_MAP_NONE &&
		    !number_unit_file(shard, function, row.file))
			return false;
		row.file = shard->unit_file.number[row.file];
		row.column = 0;
		if (!function_row_repeats(shard->row, kept, &row) ||
		    (function->statements && shard->row[kept - 1].va != row.va))
			shard->row[kept++] = row;
	}
	*count = kept;
	return true;
}

/*
 * Prefetch the hash slot for a call's name, because the table is large and successive names are far
 * apart.
 */
static void fetch_call_name(const struct gsym_shard *shard, const struct function *function,
                            size_t number)
{
	if (number >= function->inline_count)
		return;
	const struct function_inline *call = &function->inlines[number];
	number_map_soon(&shard->text_map, find_text_key(call->name, call->path_size));
}

static bool number_call_names(struct gsym_shard *shard, const struct function *function)
{
	size_t count = 0;

	for (size_t i = 0; i < NAMES_AHEAD; i++)
		fetch_call_name(shard, function, i);
	for (size_t i = 0; i < function->inline_count; i++, count++) {
		fetch_call_name(shard, function, i + NAMES_AHEAD);
		const struct function_inline *call = &function->inlines[i];
		if (!array_grow(&shard->name, &shard->name_capacity, count + 1,
		                sizeof(*shard->name)) ||
		    !name_number(shard, call->name, call->path_size, &shard->name[count]) ||
		    !number_unit_file(shard, function, call->call_file))
			return false;
		if (call->depth > GSYM_WRITE_LEVELS)
			shard->cut++;
	}
	for (size_t i = 0; shard->options->calls && i < function->call_count; i++)
		for (uint32_t j = 0; j < function->calls[i].callees; j++, count++)
			if (!array_grow(&shard->name, &shard->name_capacity, count + 1,
			                sizeof(*shard->name)) ||
			    !text_number(shard, function->calls[i].callee[j], &shard->name[count]))
				return false;
	return true;
}

static void *allocate_in_chunk(struct gsym_shard *shard, size_t size)
{
	struct gsym_chunk *chunk = shard->chunk;

	size = (size + 7) & ~(size_t)7;
	if (!chunk || size > chunk->capacity - chunk->used) {
		size_t capacity = size > CHUNK_SIZE ? size : CHUNK_SIZE;
		chunk = malloc(sizeof(*chunk) + capacity);
		if (!chunk)
			return NULL;
		*chunk = (struct gsym_chunk){ .previous = shard->chunk, .capacity = capacity };
		shard->chunk = chunk;
	}
	void *place = chunk->data + chunk->used;
	chunk->used += size;
	return place;
}

static uint32_t append_draft(struct sink *out, struct gsym_draft *draft)
{
	gsym_draft_end(draft);
	out->size += draft->out.size;
	return (uint32_t)draft->out.size;
}

static struct gsym_draft begin_draft(struct gsym_shard *shard, const struct sink *out)
{
	size_t used = out->size < out->capacity ? out->size : out->capacity;

	return gsym_draft(out->data + used, out->capacity - used, shard->options->big);
}

/*
 * Write as much of the drafts of all blocks as fits into the shard's buffer, and return the total
 * size of the drafts.
 */
static size_t write_drafts(struct gsym_shard *shard, const struct function *function,
                           struct gsym_record *record)
{
	struct sink out = sink_open(shard->draft, shard->draft_capacity);
	struct gsym_draft_names names = { .name = record->name,
		                          .files = shard->unit_file.number,
		                          .inlines = shard->name,
		                          .callees = shard->name + function->inline_count };

	struct gsym_draft draft = begin_draft(shard, &out);
	if (record->rows) {
		gsym_draft_lines(&draft, function->start, shard->row, record->rows,
		                 function->statements, &shard->window);
		record->lines = append_draft(&out, &draft);
	}
	if (record->inline_count) {
		draft = begin_draft(shard, &out);
		gsym_draft_inlines(&draft, &names, function);
		record->inlines = append_draft(&out, &draft);
	}
	if (record->call_count) {
		draft = begin_draft(shard, &out);
		gsym_draft_calls(&draft, &names, function);
		record->calls = append_draft(&out, &draft);
	}
	if (shard->options->columns && record->rows) {
		draft = begin_draft(shard, &out);
		gsym_draft_columns(&draft, function);
		record->columns = append_draft(&out, &draft);
	}
	return out.size;
}

static struct gsym_record *keep_record(struct gsym_shard *shard, const struct function *function,
                                       struct gsym_record *head)
{
	size_t size = write_drafts(shard, function, head);

	if (size > shard->draft_capacity) {
		if (!array_grow(&shard->draft, &shard->draft_capacity, size + 1, 1))
			return NULL;
		write_drafts(shard, function, head);
	}
	struct gsym_record *record = allocate_in_chunk(shard, sizeof(*record) + size);
	if (!record)
		return NULL;
	*record = *head;
	if (size > 0)
		memcpy(record->drafts, shard->draft, size);
	return record;
}

static bool store_gsym_function(struct gsym_shard *shard, const struct function *function)
{
	size_t rows;
	struct gsym_record head = { .source = (uint8_t)function->source };

	if (!array_grow(&shard->key, &shard->key_capacity, shard->keys + 1, sizeof(*shard->key)) ||
	    !file_map_begin(&shard->unit_file, function) ||
	    !name_number(shard, function->name, function->path_size, &head.name) ||
	    !copy_shard_rows(shard, function, &rows) || !number_call_names(shard, function) ||
	    !gsym_line_steps_window(&shard->steps, shard->row, rows, &shard->window))
		return false;
	head.nameless = head.name == GSYM_STRING_UNKNOWN;
	if (shard->text[head.name].bytes.size > function->name.size && !head.nameless)
		head.path_size = function->path_size;
	head.rows = (uint32_t)rows;
	head.inline_count = (uint32_t)function->inline_count;
	head.call_count = shard->options->calls ? (uint32_t)function->call_count : 0;
	struct gsym_record *record = keep_record(shard, function, &head);
	if (!record)
		return false;
	bool is_long = function->size > UINT32_MAX;
	shard->cut += is_long;
	shard->key[shard->keys++] =
		(struct gsym_key){ .start = function->start,
		                   .record = record,
		                   .size = is_long ? UINT32_MAX : (uint32_t)function->size,
		                   .unit = shard->unit,
		                   .order = shard->order++,
		                   .shard = shard->number };
	return true;
}

static enum cairn_status receive_gsym_function(void *context, const struct function *function)
{
	return store_gsym_function(context, function) ? CAIRN_OK : CAIRN_NO_MEMORY;
}

struct function_sink gsym_shard_sink(struct gsym_shard *shard)
{
	return (struct function_sink){ receive_gsym_function, shard };
}

void gsym_shard_unit(struct gsym_shard *shard, uint32_t unit)
{
	shard->unit = unit;
}

static bool gsym_shard_init(struct gsym_shard *shard, const struct gsym_writer_options *options,
                            uint16_t number)
{
	static const struct cairn_bytes empty = { (const uint8_t *)"", 0 };
	static const struct cairn_bytes unknown = { (const uint8_t *)"??", 2 };

	*shard = (struct gsym_shard){ .options = options, .number = number };
	if (!add_text(shard, empty) || !add_text(shard, unknown) ||
	    !array_grow(&shard->file, &shard->file_capacity, 1, sizeof(*shard->file)))
		return false;
	shard->file[shard->files++] =
		(struct gsym_shard_file){ GSYM_STRING_EMPTY, GSYM_STRING_EMPTY };
	return array_grow(&shard->draft, &shard->draft_capacity, DRAFT_CAPACITY + 1, 1) &&
	       array_grow(&shard->name, &shard->name_capacity, 1, sizeof(*shard->name));
}

static void gsym_shard_finish(struct gsym_shard *shard)
{
	while (shard->chunk) {
		struct gsym_chunk *chunk = shard->chunk;
		shard->chunk = chunk->previous;
		free(chunk);
	}
	free(shard->key);
	free(shard->text);
	free(shard->text_map.slot);
	free(shard->file);
	free(shard->file_map.slot);
	file_map_finish(&shard->unit_file);
	free(shard->row);
	gsym_line_steps_finish(&shard->steps);
	free(shard->name);
	free(shard->draft);
	free(shard->text_at);
	free(shard->file_at);
}

/*
 * Sorts the functions, and chooses the entry among functions with the same range. Functions with
 * the same range are ordered by function_order_compare(), then by unit and by position in the unit.
 * Hence the result does not depend on the threads that added them.
 */
struct gsym_order {
	const struct gsym_writer_options *options;
	struct gsym_shard *const *shard;
	struct gsym_key *key, *spare;
	size_t count;
	uint64_t folded, repeated;
};

typedef int compare_keys(const struct gsym_order *order, const struct gsym_key *a,
                         const struct gsym_key *b);

static int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_ranges(const struct gsym_order *order, const struct gsym_key *a,
                          const struct gsym_key *b)
{
	(void)order;
	return a->start != b->start ? compare_u64(a->start, b->start)
	                            : compare_u64(a->size, b->size);
}

/* Return the name without its path, so that it equals the name of a symbol, which has no path. */
static struct cairn_bytes get_key_name(const struct gsym_order *order, const struct gsym_key *key)
{
	const struct gsym_record *record = key->record;
	struct cairn_bytes text = order->shard[key->shard]->text[record->name].bytes;

	if (record->path_size > 0)
		text.size -= FUNCTION_PATH_GAP + record->path_size;
	return text;
}

static struct function_rank rank_key(const struct gsym_order *order, const struct gsym_key *key)
{
	const struct gsym_record *record = key->record;
	const struct cairn_bytes name = get_key_name(order, key);

	return (struct function_rank){ { name.data, record->nameless ? 0 : name.size },
		                       record->source,
		                       record->rows > 0 };
}

static int compare_equal(const struct gsym_order *order, const struct gsym_key *a,
                         const struct gsym_key *b)
{
	if (order->options->keep_order)
		return compare_u64(a->order, b->order);
	const struct function_rank left = rank_key(order, a), right = rank_key(order, b);
	const int result = function_order_compare(&order->options->order, a->start, &left, &right);
	if (result != 0)
		return result;
	return a->unit != b->unit ? compare_u64(a->unit, b->unit) : compare_u64(a->order, b->order);
}

static void merge_key_runs(const struct gsym_order *order, size_t low, size_t middle, size_t high,
                           compare_keys *compare)
{
	struct gsym_key *key = order->key;
	size_t left = low, right = middle, out = 0;

	if (middle >= high || compare(order, &key[middle - 1], &key[middle]) <= 0)
		return;
	while (left < middle && right < high)
		order->spare[out++] =
			compare(order, &key[left], &key[right]) <= 0 ? key[left++] : key[right++];
	memcpy(&order->spare[out], &key[left], (middle - left) * sizeof(*key));
	memcpy(&key[low], order->spare, (out + middle - left) * sizeof(*key));
}

/* Sort by merging, because readers add functions in long ascending runs. */
static void merge_sort_keys(const struct gsym_order *order, size_t first, size_t count,
                            compare_keys *compare)
{
	for (size_t width = 1; width < count; width *= 2)
		for (size_t at = 0; at + width < count; at += 2 * width) {
			size_t left = count - at < 2 * width ? count - at : 2 * width;
			merge_key_runs(order, first + at, first + at + width, first + at + left,
			               compare);
		}
}

static bool has_same_name(const struct gsym_order *order, const struct gsym_key *a,
                          const struct gsym_key *b)
{
	const struct cairn_bytes left = get_key_name(order, a), right = get_key_name(order, b);

	return left.size == right.size &&
	       (left.data == right.data || memcmp(left.data, right.data, left.size) == 0);
}

/*
 * Move the functions to keep from a sorted group with equal ranges to order->key[out], and return
 * the number of functions kept.
 */
static size_t keep_group(struct gsym_order *order, size_t first, size_t count, size_t out)
{
	const struct gsym_key *key = &order->key[first];
	struct gsym_key next = key[0];
	size_t kept = 1;

	order->key[out] = next;
	for (size_t i = 1; i < count; i++) {
		struct gsym_key before = next;
		next = key[i];
		bool repeats = has_same_name(order, &next, &before);
		if (repeats && !order->options->keep_order) {
			order->repeated++;
		} else if (!order->options->merged) {
			order->folded++;
		} else {
			next.merged = true;
			order->key[out + kept++] = next;
		}
	}
	return kept;
}

static void gsym_order_keys(struct gsym_order *order)
{
	size_t out = 0, behind;

	merge_sort_keys(order, 0, order->count, compare_ranges);
	for (size_t first = 0; first < order->count; first = behind) {
		for (behind = first + 1; behind < order->count; behind++)
			if (compare_ranges(order, &order->key[first], &order->key[behind]) != 0)
				break;
		merge_sort_keys(order, first, behind - first, compare_equal);
		out += keep_group(order, first, behind - first, out);
	}
	order->count = out;
}

struct gsym_writer *gsym_writer_new(const struct gsym_writer_options *options)
{
	struct gsym_writer *writer = malloc(sizeof(*writer));

	if (writer)
		*writer = (struct gsym_writer){ .options = *options };
	return writer;
}

void gsym_writer_free(struct gsym_writer *writer)
{
	if (!writer)
		return;
	for (size_t i = 0; i < writer->shards; i++) {
		gsym_shard_finish(writer->shard[i]);
		free(writer->shard[i]);
	}
	free(writer->shard);
	free(writer->key);
	free(writer->entry);
	free(writer);
}

struct gsym_shard *gsym_writer_shard(struct gsym_writer *writer)
{
	if (writer->shards >= GSYM_SHARDS_MAX ||
	    !array_grow(&writer->shard, &writer->shard_capacity, writer->shards + 1,
	                sizeof(*writer->shard)))
		return NULL;
	struct gsym_shard *shard = malloc(sizeof(*shard));
	if (!shard)
		return NULL;
	if (!gsym_shard_init(shard, &writer->options, (uint16_t)writer->shards)) {
		gsym_shard_finish(shard);
		free(shard);
		return NULL;
	}
	writer->shard[writer->shards++] = shard;
	return shard;
}

struct gsym_shard *gsym_writer_thread(struct gsym_writer *writer, unsigned thread)
{
	INVARIANT(thread < writer->shards);
	return writer->shard[thread];
}

static size_t gather_keys(struct gsym_writer *writer)
{
	size_t count = 0;

	for (size_t i = 0; i < writer->shards; i++) {
		struct gsym_shard *shard = writer->shard[i];
		if (shard->keys)
			memcpy(&writer->key[count], shard->key, shard->keys * sizeof(*shard->key));
		count += shard->keys;
		free(shard->key);
		shard->key = NULL;
		shard->keys = shard->key_capacity = 0;
	}
	return count;
}

static void count_record(struct cairn_gsym_summary *summary, const struct gsym_key *key)
{
	summary->functions += !key->merged;
	summary->merged += key->merged;
	summary->symbols += !key->merged && key->record->source == FUNCTION_SYMBOL;
	summary->nameless += key->record->nameless;
	summary->rows += key->record->rows;
	summary->inlines += key->record->inline_count;
	summary->calls += key->record->call_count;
}

static bool find_entries(struct gsym_writer *writer)
{
	writer->entry = malloc((writer->keys + 1) * sizeof(*writer->entry));
	if (!writer->entry)
		return false;
	for (size_t i = 0; i < writer->keys; i++) {
		count_record(&writer->summary, &writer->key[i]);
		if (!writer->key[i].merged)
			writer->entry[writer->entries++] = (uint32_t)i;
	}
	writer->entry[writer->entries] = (uint32_t)writer->keys;
	return true;
}

/*
 * Allocate an array of keys. Returns NULL if allocation fails or `count` exceeds the range of entry
 * numbers.
 */
static struct gsym_key *allocate_keys(size_t count)
{
	if (count >= UINT32_MAX || count > SIZE_MAX / sizeof(struct gsym_key))
		return NULL;
	return malloc(count * sizeof(struct gsym_key));
}

enum cairn_status gsym_writer_order(struct gsym_writer *writer)
{
	size_t count = 0;

	for (size_t i = 0; i < writer->shards; i++)
		count += writer->shard[i]->keys;
	if (count == 0)
		return CAIRN_NOT_FOUND;
	writer->key = allocate_keys(count);
	struct gsym_order order = { .options = &writer->options,
		                    .shard = writer->shard,
		                    .key = writer->key,
		                    .spare = allocate_keys(count) };
	if (writer->key && order.spare) {
		order.count = gather_keys(writer);
		gsym_order_keys(&order);
		writer->keys = order.count;
	}
	free(order.spare);
	for (size_t i = 0; i < writer->shards; i++)
		writer->summary.cut += writer->shard[i]->cut;
	writer->summary.folded = order.folded;
	writer->summary.repeated = order.repeated;
	return writer->keys && find_entries(writer) ? CAIRN_OK : CAIRN_NO_MEMORY;
}

void gsym_writer_summary(const struct gsym_writer *writer, struct cairn_gsym_summary *summary)
{
	*summary = writer->summary;
}

uint32_t gsym_writer_count(const struct gsym_writer *writer)
{
	return writer->entries;
}

uint64_t gsym_writer_start(const struct gsym_writer *writer, uint32_t entry)
{
	INVARIANT(entry < gsym_writer_count(writer));
	return writer->key[writer->entry[entry]].start;
}
