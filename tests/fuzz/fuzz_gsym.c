/* SPDX-License-Identifier: MIT */
/*
 * A file of any bytes, opened as symbols, read from end to end, checked, and asked for addresses.
 * Always:
 *   - what is handed out lies in the file, and a fault in the file or just at its end;
 *   - there are no more rows, nodes and calls than bytes;
 *   - an answer read from the file, the one from the cache, and the one from a batch are equal;
 *   - a lookup finds what a walk over all functions finds;
 *   - the cache stays below its bound;
 *   - the build ID that is found from the first bytes is that of the file;
 *   - a function whose record the check calls sound has no fault in any lookup.
 */
#include "fuzz.h"

#include "formats/gsym/gsym.h"
#include "symbols/symbols.h"

#include <string.h>

enum {
	QUESTIONS = 24, /* functions asked about, and rows and nodes of each */
	BOUND = 1 << 18,
	LOCATIONS = 32, /* of one address that are compared */
};

struct file {
	struct cairn_bytes bytes;
	struct cairn_symbols *symbols;
	const struct gsym *gsym;
};

static void check_text(const struct file *file, struct cairn_bytes text)
{
	const uint8_t *end = file->bytes.data + file->bytes.size;

	ALWAYS(text.data >= file->bytes.data && text.data <= end);
	ALWAYS(text.size <= (size_t)(end - text.data));
}

static void check_fault(const struct file *file, const struct cairn_fault *fault)
{
	if (fault->status == CAIRN_OK)
		return;
	ALWAYS(fault->what);
	ALWAYS(fault->offset <= file->bytes.size);
}

static bool same_text(struct cairn_bytes a, struct cairn_bytes b)
{
	return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

static void check_same(const struct cairn_location *a, const struct cairn_location *b)
{
	ALWAYS(same_text(a->function, b->function));
	ALWAYS(same_text(a->directory, b->directory) && same_text(a->file, b->file));
	ALWAYS(a->line == b->line && a->column == b->column && a->inlined == b->inlined);
	ALWAYS(a->start == b->start && a->offset == b->offset);
}

static size_t gather(const struct file *file, struct cairn_lookup_result *answer,
                     struct cairn_location *all)
{
	struct cairn_location location;
	size_t count = 0;

	while (cairn_lookup_result_next(answer, &location)) {
		check_text(file, location.function);
		check_text(file, location.directory);
		check_text(file, location.file);
		if (count < LOCATIONS)
			all[count] = location;
		count++;
		ALWAYS(count <= GSYM_MAX_LEVELS + 1);
	}
	check_fault(file, &answer->fault);
	return count;
}

/* Both give the same, flaws included. */
static void compare(const struct file *file, struct cairn_lookup_result *a,
                    struct cairn_lookup_result *b)
{
	struct cairn_location left[LOCATIONS], right[LOCATIONS];
	size_t count = gather(file, a, left);

	ALWAYS(gather(file, b, right) == count);
	ALWAYS(a->fault.status == b->fault.status && a->fault.offset == b->fault.offset);
	for (size_t i = 0; i < count && i < LOCATIONS; i++)
		check_same(&left[i], &right[i]);
}

/* The function that the rule picks, found without the table being searched. */
static bool scan(const struct gsym *gsym, uint64_t va, struct gsym_function *best)
{
	uint32_t last = gsym_search(gsym, va);
	struct gsym_function f;
	struct cairn_fault fault;
	bool found = false;

	for (uint32_t i = last + 1; i-- > 0 && last < gsym->functions;) {
		bool nearest = gsym_offset(gsym, i) == gsym_offset(gsym, last);
		if (found && gsym_offset(gsym, i) != best->start - gsym->base)
			break;
		if (gsym_function(gsym, i, &f, &fault) != CAIRN_OK)
			continue;
		bool reaches = va - f.start < f.size || (f.size == 0 && nearest);
		bool worse = found && best->size && (f.size == 0 || f.size > best->size);
		if (!reaches || worse)
			continue;
		*best = f;
		found = true;
	}
	return found;
}

/* Nothing is promised about which function a table out of order gives. */
static bool ascends(const struct gsym *gsym)
{
	for (uint32_t i = 1; i < gsym->functions; i++)
		if (gsym_offset(gsym, i) < gsym_offset(gsym, i - 1))
			return false;
	return true;
}

static void check_scan(const struct file *file, uint64_t va, enum cairn_status status)
{
	struct gsym_function expected = { .size = 0 }, found;
	struct cairn_fault fault;

	if (!ascends(file->gsym))
		return;
	bool any = scan(file->gsym, va, &expected);

	if (status == CAIRN_NOT_FOUND)
		ALWAYS(!any);
	if (status != CAIRN_OK)
		return;
	ALWAYS(any);
	ALWAYS(gsym_find_function(file->gsym, file->symbols->reach, va, &found, &fault) ==
	       CAIRN_OK);
	ALWAYS(found.index == expected.index);
}

static void ask_name(const struct file *file, uint64_t va, enum cairn_status expected)
{
	struct cairn_location location;
	struct cairn_fault fault;

	ALWAYS(cairn_symbols_find_function(file->symbols, va, &location, &fault) == expected);
	if (expected == CAIRN_OK) {
		check_text(file, location.function);
		ALWAYS(location.start + location.offset == va);
	} else {
		check_fault(file, &fault);
	}
}

static void ask(const struct file *file, uint64_t va)
{
	struct cairn_lookup_result read, kept;
	enum cairn_status status = cairn_symbols_find_uncached(file->symbols, va, &read);

	ALWAYS(symbols_find(file->symbols, va, true, &kept) == status);
	check_scan(file, va, status);
	ask_name(file, va, status);
	compare(file, &read, &kept);
	while (cairn_lookup_result_next_folded(&read)) {
		ALWAYS(cairn_lookup_result_next_folded(&kept));
		compare(file, &read, &kept);
	}
	ALWAYS(!cairn_lookup_result_next_folded(&kept));
	ALWAYS(file->symbols->cache.peak <= BOUND);
}

static void ask_around(const struct file *file, uint64_t va)
{
	for (uint64_t i = 0; i < 3; i++)
		ask(file, va + i - 1);
}

static void walk_rows(const struct file *file, const struct gsym_block *block, uint64_t start,
                      size_t questions)
{
	struct gsym_rows rows = gsym_rows(block, start);
	struct gsym_row row;
	size_t count = 0;

	while (gsym_next_row(&rows, &row))
		if (count++ < questions)
			ask_around(file, row.va);
	ALWAYS(count <= block->data.size);
	check_fault(file, &rows.fault);
}

static void walk_nodes(const struct file *file, const struct gsym_block *block, uint64_t start,
                       size_t questions)
{
	struct gsym_tree tree = gsym_tree(file->gsym, block, start);
	struct gsym_nodes nodes;
	struct gsym_inline node;
	struct gsym_range range;
	size_t count = 0;

	gsym_nodes_begin(&nodes, &tree);
	while (gsym_next_node(&nodes, &node)) {
		uint32_t at = node.ranges_at;
		uint64_t left = node.ranges;
		while (gsym_next_range(&tree, &node, &at, &left, &range) && count++ < questions) {
			ask_around(file, range.start);
			ask_around(file, range.start + range.size);
		}
		ALWAYS(node.depth <= GSYM_MAX_LEVELS && node.end <= block->data.size);
	}
	ALWAYS(count <= block->data.size);
	check_fault(file, &nodes.tree.fault);
}

static void walk_calls(const struct file *file, const struct gsym_block *block)
{
	struct gsym_calls calls = gsym_calls(file->gsym, block);
	struct gsym_call call;
	size_t count = 0;

	while (gsym_next_call(&calls, &call)) {
		if (call.names)
			gsym_call_name(file->gsym, &call, call.names - 1);
		count++;
	}
	ALWAYS(count <= block->data.size);
	check_fault(file, &calls.in.fault);
}

static void walk_function(const struct file *file, const struct gsym_function *f, size_t questions)
{
	struct gsym_blocks blocks = gsym_blocks(file->gsym, f);
	struct gsym_block block;

	while (gsym_next_block(&blocks, &block)) {
		check_text(file, block.data);
		if (block.type == GSYM_LINES)
			walk_rows(file, &block, f->start, questions);
		else if (block.type == GSYM_INLINES)
			walk_nodes(file, &block, f->start, questions);
		else if (block.type == GSYM_CALLS)
			walk_calls(file, &block);
	}
	check_fault(file, &blocks.in.fault);
}

/* Sound functions give sound answers. */
static void check_sound(const struct file *file, const struct gsym_function *f)
{
	static struct gsym_nodes scratch;
	struct gsym_flaws flaws;
	struct gsym_lookup lookup;
	struct cairn_location location;

	gsym_check_function(file->gsym, f->index, &scratch, &flaws);
	for (unsigned i = 0; i < flaws.count; i++)
		check_fault(file, &flaws.list[i]);
	if (flaws.count)
		return;
	gsym_lookup_in_function(file->gsym, f, f->start, &lookup);
	while (gsym_next_location(&lookup, &location))
		continue;
	ALWAYS(lookup.fault.status == CAIRN_OK);
}

static void walk(const struct file *file)
{
	struct gsym_function f;
	struct cairn_fault fault;

	for (uint32_t i = 0; i < file->gsym->functions && i < QUESTIONS; i++) {
		if (gsym_function(file->gsym, i, &f, &fault) != CAIRN_OK) {
			check_fault(file, &fault);
			continue;
		}
		ask_around(file, f.start);
		ask_around(file, f.start + f.size);
		walk_function(file, &f, QUESTIONS);
		check_sound(file, &f);
	}
}

/* A batch gives each address what it gets alone. */
static void ask_many(const struct file *file)
{
	uint64_t vas[QUESTIONS];
	struct cairn_batch batch;
	struct cairn_lookup_result answer;
	struct cairn_location location;

	for (uint64_t i = 0; i < QUESTIONS; i++)
		vas[i] = file->gsym->base + i * 7 % QUESTIONS * 3;
	ALWAYS(cairn_symbols_find_many(file->symbols, vas, QUESTIONS, &batch) == CAIRN_OK);
	for (size_t i = 0; i < QUESTIONS; i++) {
		size_t count = 0;
		enum cairn_status status =
			cairn_symbols_find_uncached(file->symbols, vas[i], &answer);
		while (cairn_lookup_result_next(&answer, &location)) {
			ALWAYS(count < batch.items[i].count);
			check_same(&location, &batch.locations[batch.items[i].first + count++]);
		}
		ALWAYS(count == batch.items[i].count);
		ALWAYS(batch.items[i].fault.status == answer.fault.status);
		ALWAYS(status == CAIRN_OK || count == 0);
	}
	cairn_batch_free(&batch);
}

/* The directory of version 2 is no longer than its bytes; with the strings lent from elsewhere the file opens alike. */
static void check_sections(const struct file *file)
{
	enum { ENTRY = 20 };
	struct gsym_entry entry;
	struct cairn_fault fault;
	struct gsym again;
	size_t at = 0, entries = 0;

	while (gsym_next_entry(file->gsym, &at, &entry))
		ALWAYS(++entries <= file->gsym->bytes.size / ENTRY && at <= file->gsym->bytes.size);
	ALWAYS(file->gsym->version > 1 || entries == 0);
	if (gsym_open_with_strings(file->gsym->bytes, file->gsym->strings, &again, &fault) ==
	    CAIRN_OK)
		ALWAYS(again.functions == file->gsym->functions && again.base == file->gsym->base);
	else
		ALWAYS(fault.what);
}

static void check_tables(const struct file *file)
{
	struct gsym_flaws flaws;
	struct gsym_file entry;
	uint32_t next = 0;

	do {
		gsym_check_tables(file->gsym, &next, &flaws);
		for (unsigned i = 0; i < flaws.count; i++)
			check_fault(file, &flaws.list[i]);
	} while (next);
	for (uint32_t i = 0; i < file->gsym->files && i < QUESTIONS; i++)
		if (gsym_file(file->gsym, i, &entry)) {
			check_text(file, entry.directory);
			check_text(file, entry.name);
		}
}

/* From any bytes; of a sound file it is the same one. */
static void check_build_id(struct cairn_bytes bytes)
{
	struct cairn_range place;
	struct cairn_fault fault;
	struct gsym gsym;
	const bool found = gsym_find_uuid(bytes, &place);

	ALWAYS(!found || place.low < place.high);
	if (gsym_open(bytes, &gsym, &fault) == CAIRN_OK) {
		ALWAYS(found == (gsym.uuid.size > 0));
		ALWAYS(!found || (place.high - place.low == gsym.uuid.size &&
		                  gsym.uuid.data == bytes.data + place.low));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct file file = { .bytes = { data, size } };
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };

	check_build_id(file.bytes);
	if (cairn_symbols_open_bytes(file.bytes, NULL, &file.symbols, &fault) != CAIRN_OK) {
		ALWAYS(fault.status != CAIRN_OK);
		check_fault(&file, &fault);
		return 0;
	}
	cairn_symbols_set_cache(file.symbols, BOUND);
	file.gsym = &file.symbols->image.gsym;
	check_tables(&file);
	check_sections(&file);
	ask_around(&file, 0);
	ask_around(&file, file.gsym->base);
	walk(&file);
	ask_many(&file);
	cairn_symbols_free(file.symbols);
	return 0;
}
