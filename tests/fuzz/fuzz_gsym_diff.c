/* SPDX-License-Identifier: MIT */
/*
 * Two files of any bytes, the first one's size before them, compared with each other.  Always:
 *   - it ends, and reports as many differences in either direction;
 *   - a file has no differences from itself;
 *   - what is handed out lies in the files, and so do rows and calls in their functions.
 */
#include "fuzz.h"

#include "writers/gsym/diff.h"

#include <string.h>

struct tally {
	uint64_t kinds[GSYM_DIFFERENT_CALL + 1];
};

static void check_side(const struct gsym_difference_side *side)
{
	const struct function *f = side->function;

	if (!f)
		return;
	ALWAYS(!side->row || (side->row >= f->rows && side->row < f->rows + f->row_count &&
	                      side->row->file < f->file_count));
	ALWAYS(!side->call ||
	       (side->call >= f->inlines && side->call < f->inlines + f->inline_count &&
	        side->call->call_file < f->file_count));
	ALWAYS(!side->site || (side->site >= f->calls && side->site < f->calls + f->call_count));
}

static bool take(void *context, const struct gsym_difference *difference)
{
	struct tally *tally = context;

	ALWAYS(difference->first.function || difference->second.function);
	ALWAYS(difference->low <= difference->high || difference->high == UINT64_MAX);
	check_side(&difference->first);
	check_side(&difference->second);
	tally->kinds[difference->kind]++;
	return true;
}

static enum cairn_status compare(const struct gsym *a, const struct gsym *b, uint8_t bits,
                                 struct tally *tally, struct gsym_diff_counts *counts)
{
	const struct gsym_diff_options options = { bits & 1, bits & 2, bits & 4 };
	const struct gsym_difference_sink sink = { take, tally };
	struct cairn_fault fault;
	bool in_second;

	*tally = (struct tally){ { 0 } };
	enum cairn_status status = gsym_diff(a, b, &options, &sink, counts, &fault, &in_second);
	if (status == CAIRN_MALFORMED)
		ALWAYS(fault.offset <= (in_second ? b : a)->bytes.size);
	return status;
}

static void check_pair(const struct gsym *a, const struct gsym *b, uint8_t bits)
{
	struct tally forth, back;
	struct gsym_diff_counts one, other;

	if (compare(a, b, bits, &forth, &one) != CAIRN_OK ||
	    compare(b, a, bits, &back, &other) != CAIRN_OK)
		return;
	ALWAYS(one.equal == other.equal && one.differ == other.differ);
	ALWAYS(one.only_first == other.only_second && one.only_second == other.only_first);
	ALWAYS(forth.kinds[GSYM_ONLY_FIRST] == back.kinds[GSYM_ONLY_SECOND]);
	for (unsigned kind = GSYM_DIFFERENT_RANGE; kind <= GSYM_DIFFERENT_INLINE; kind++)
		ALWAYS(forth.kinds[kind] == back.kinds[kind]);
}

static void check_itself(const struct gsym *gsym, uint8_t bits)
{
	struct tally none;
	struct gsym_diff_counts counts;

	if (compare(gsym, gsym, bits, &none, &counts) == CAIRN_OK)
		ALWAYS(counts.differ == 0 && counts.only_first == 0 && counts.only_second == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gsym first, second;
	struct cairn_fault fault;

	if (size < 5)
		return 0;
	size_t split = (size_t)data[0] | (size_t)data[1] << 8 | (size_t)data[2] << 16;
	uint8_t bits = data[3];
	data += 4;
	size -= 4;
	split = split < size ? split : size;
	if (gsym_open((struct cairn_bytes){ data, split }, &first, &fault) != CAIRN_OK)
		return 0;
	check_itself(&first, bits);
	if (gsym_open((struct cairn_bytes){ data + split, size - split }, &second, &fault) ==
	    CAIRN_OK)
		check_pair(&first, &second, bits);
	return 0;
}
