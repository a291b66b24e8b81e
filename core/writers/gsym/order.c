/* SPDX-License-Identifier: MIT */
/*
 * The order of functions in a file, and which of several with equal ranges is the entry: model/function_order.h decides, then
 * the one that came first.  Nothing here depends on which thread brought what.
 */
#include "shard.h"

#include <string.h>

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

/* The name alone, since a symbol of the same name has no path. */
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

/* Joins two sorted neighbours [low, middle) and [middle, high). */
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

/* By merging, for readers bring functions in long ascending runs. */
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

/* Compacts the survivors of a sorted group of equal ranges to `out`; returns how many they are. */
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

void gsym_order_keys(struct gsym_order *order)
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
