/* SPDX-License-Identifier: MIT */
/*
 * Does a profile for the Firefox Profiler (standard input) have the fields of version 50 of its form, and are all of its
 * numbers places of tables? Prints what is wrong, and the status is 1; else each sample as a folded stack with its weight.
 */
#include "base/json_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 64 << 20, TEXT_CAPACITY = 1 << 16, DEPTH_MAX = 10000 };

/* A table of a thread, of which some columns are kept; -1 is null. */
struct table {
	const char *name;
	size_t length;
	long *column[8];
};

static int failed;

static void complain(const char *what, const char *name)
{
	fprintf(stderr, "%s: %s\n", name, what);
	failed = 1;
}

static long read_long(const struct json_reader_value *value)
{
	char text[64];

	return json_reader_text(value, text, sizeof(text)) ? strtol(text, NULL, 10) : -1;
}

static struct json_reader_value get_member(const struct json_reader_value *object, const char *name)
{
	struct json_reader_value value = { JSON_READER_NULL, { (const uint8_t *)"", 0 } };

	if (!json_reader_member(object, name, &value))
		complain("is not there", name);
	return value;
}

/* A column as numbers, which has to have so many. */
static long *read_column(const struct json_reader_value *table, const char *name, size_t length)
{
	const struct json_reader_value array = get_member(table, name);
	struct json_reader_value value;
	long *numbers = calloc(length + 1, sizeof(*numbers));
	size_t at = 0, count = 0;

	for (; json_reader_element(&array, &at, &value); count++)
		if (count < length)
			numbers[count] = read_long(&value);
	if (count != length)
		complain("has another number of values than `length`", name);
	return numbers;
}

/* The columns that are named first are kept. */
static struct table read_table(const struct json_reader_value *thread, const char *name,
                               const char *const *columns)
{
	const struct json_reader_value object = get_member(thread, name);
	const struct json_reader_value length = get_member(&object, "length");
	struct table table = { .name = name, .length = (size_t)read_long(&length) };

	for (size_t i = 0; columns[i]; i++) {
		long *column = read_column(&object, columns[i], table.length);
		if (i < 8)
			table.column[i] = column;
		else
			free(column);
	}
	return table;
}

static void check_places(const struct table *table, unsigned column, size_t limit)
{
	for (size_t i = 0; i < table->length; i++)
		if (table->column[column][i] >= (long)limit)
			complain("has a place that is not there", table->name);
}

static char **read_strings(const struct json_reader_value *thread, size_t *count)
{
	const struct json_reader_value array = get_member(thread, "stringArray");
	struct json_reader_value value;
	char **strings = NULL, *text = malloc(TEXT_CAPACITY);

	*count = 0;
	for (size_t at = 0; json_reader_element(&array, &at, &value);) {
		if (!json_reader_text(&value, text, TEXT_CAPACITY))
			complain("has something else than texts", "stringArray");
		strings = realloc(strings, (*count + 1) * sizeof(*strings));
		strings[(*count)++] = strdup(text);
	}
	free(text);
	return strings;
}

struct tables {
	struct table stacks, frames, functions;
	char **strings;
	size_t string_count;
};

/* The names from the root to the leaf, by the prefixes, which are before what is below them. */
static void print_stack(const struct tables *t, long stack, double weight)
{
	static const char *name[DEPTH_MAX];
	size_t depth = 0;

	for (; stack >= 0 && depth < DEPTH_MAX; stack = t->stacks.column[1][stack]) {
		const long frame = t->stacks.column[0][stack];
		name[depth++] = t->strings[t->functions.column[0][t->frames.column[2][frame]]];
		if (t->stacks.column[1][stack] >= stack) {
			complain("has a prefix that is not before it", "stackTable");
			return;
		}
	}
	while (depth-- > 0)
		printf("%s%s", name[depth], depth > 0 ? ";" : "");
	printf(" %.6f\n", weight);
}

static void print_samples(const struct json_reader_value *thread, const struct tables *t)
{
	static const char *const columns[] = { "stack", "time", NULL };
	const struct table samples = read_table(thread, "samples", columns);
	const struct json_reader_value object = get_member(thread, "samples");
	const struct json_reader_value weights = get_member(&object, "weight"),
				       type = get_member(&object, "weightType");
	struct json_reader_value value;
	char text[64];
	size_t at = 0;

	if (type.kind != JSON_READER_STRING)
		complain("is no text", "weightType");
	check_places(&samples, 0, t->stacks.length);
	for (size_t i = 0; !failed && json_reader_element(&weights, &at, &value); i++) {
		if (i > 0 && samples.column[1][i] < samples.column[1][i - 1])
			complain("times do not ascend", "samples");
		(void)json_reader_text(&value, text, sizeof(text));
		print_stack(t, samples.column[0][i], strtod(text, NULL));
	}
}

static void check_thread(const struct json_reader_value *thread)
{
	static const char *const members[] = { "name",
		                               "pid",
		                               "tid",
		                               "processType",
		                               "isMainThread",
		                               "processStartupTime",
		                               "registerTime",
		                               "pausedRanges",
		                               "markers",
		                               "unregisterTime",
		                               NULL };
	static const char *const stacks[] = { "frame", "prefix", "category", "subcategory", NULL };
	static const char *const frames[] = {
		"address",       "inlineDepth",    "func",        "line",
		"column",        "category",       "subcategory", "nativeSymbol",
		"innerWindowID", "implementation", NULL
	};
	static const char *const functions[] = { "name",          "resource",
		                                 "fileName",      "isJS",
		                                 "relevantForJS", "lineNumber",
		                                 "columnNumber",  NULL };
	static const char *const resources[] = { "lib", "name", "host", "type", NULL };
	static const char *const symbols[] = { "libIndex", "address", "name", "functionSize",
		                               NULL };
	struct tables t = { .string_count = 0 };

	for (size_t i = 0; members[i]; i++)
		(void)get_member(thread, members[i]);
	t.stacks = read_table(thread, "stackTable", stacks);
	t.frames = read_table(thread, "frameTable", frames);
	t.functions = read_table(thread, "funcTable", functions);
	const struct table named = read_table(thread, "resourceTable", resources);
	(void)read_table(thread, "nativeSymbols", symbols);
	t.strings = read_strings(thread, &t.string_count);
	check_places(&t.stacks, 0, t.frames.length);
	check_places(&t.frames, 2, t.functions.length);
	check_places(&t.functions, 0, t.string_count);
	check_places(&t.functions, 1, named.length);
	check_places(&t.functions, 2, t.string_count);
	check_places(&named, 1, t.string_count);
	if (!failed)
		print_samples(thread, &t);
}

static void check_head(const struct json_reader_value *top)
{
	static const char *const members[] = { "version",    "preprocessedProfileVersion",
		                               "interval",   "startTime",
		                               "product",    "processType",
		                               "stackwalk",  "symbolicated",
		                               "categories", "markerSchema",
		                               NULL };
	static const char *const lib_members[] = { "arch",      "name",       "path",   "debugName",
		                                   "debugPath", "breakpadId", "codeId", NULL };
	const struct json_reader_value meta = get_member(top, "meta"),
				       libs = get_member(top, "libs");
	struct json_reader_value value;

	for (size_t i = 0; members[i]; i++)
		(void)get_member(&meta, members[i]);
	for (size_t at = 0; json_reader_element(&libs, &at, &value);)
		for (size_t i = 0; lib_members[i]; i++)
			(void)get_member(&value, lib_members[i]);
	value = get_member(&meta, "symbolicated");
	if (value.kind != JSON_READER_TRUE)
		complain("is not true", "symbolicated");
	value = get_member(&meta, "preprocessedProfileVersion");
	if (read_long(&value) != 50)
		complain("is not 50", "preprocessedProfileVersion");
}

int main(void)
{
	uint8_t *bytes = malloc(CAPACITY);
	struct json_reader_value top, thread;
	struct cairn_fault fault;

	if (!bytes)
		return 2;
	const size_t size = fread(bytes, 1, CAPACITY, stdin);
	if (json_reader_open((struct cairn_bytes){ bytes, size }, &top, &fault) != CAIRN_OK) {
		fprintf(stderr, "%s at byte %" PRIu64 "\n", fault.what, fault.offset);
		return 1;
	}
	check_head(&top);
	const struct json_reader_value threads = get_member(&top, "threads");
	for (size_t at = 0; !failed && json_reader_element(&threads, &at, &thread);)
		check_thread(&thread);
	return failed;
}
