/* SPDX-License-Identifier: MIT */
/*
 * Writes the processed format of the Firefox Profiler: JSON in which each thread has its own
 * tables, stored by column. This is version 50, which newer versions of the profiler still read.
 * All names are included, so the profiler does not look up symbols.
 */
#include "samples.h"
#include "write.h"

#include "base/error.h"
#include "base/json_escape.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/sort.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define FIREFOX_MILLISECOND 1e6 /* in nanoseconds */

/* One row per timestamp of a sample. A sample without timestamps has one row, with the time 0. */
struct firefox_row {
	uint64_t time;
	size_t number; /* position in the profile, which orders rows with equal times */
	uint32_t thread, stack;
	int64_t weight;
};

struct firefox_thread {
	int64_t pid, tid;
	struct cairn_bytes name;
};

struct firefox {
	struct profile_writer *w;
	size_t type;
	const char *weight_type;
	uint64_t start; /* time of the first sample in nanoseconds */
	struct string_pool thread_keys, stacks;
	struct firefox_thread *threads; /* threads, in the order of their keys in thread_keys */
	size_t thread_count, thread_capacity;
	struct firefox_row *rows; /* sorted by thread and time */
	size_t row_count, row_capacity, next_row;
};

/* Write constant JSON with formatted numbers, or an escaped string from the profile. */
__attribute__((format(printf, 2, 3))) void firefox_print(struct profile_writer *w,
                                                         const char *format, ...);

/* maximum size of one call's output, not counting strings from the profile */
enum { TEXT_MAX = 512 };

void firefox_print(struct profile_writer *w, const char *format, ...)
{
	char text[TEXT_MAX];
	va_list arguments;

	va_start(arguments, format);
	const int size = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (size > 0 && (size_t)size < sizeof(text))
		writer_bytes(w, text, (size_t)size);
}

static void firefox_text(struct profile_writer *w, struct cairn_bytes text)
{
	char character[JSON_ESCAPE_MAX];

	writer_bytes(w, "\"", 1);
	while (text.size > 0) {
		const size_t plain = json_plain_run(text);
		writer_bytes(w, text.data, plain);
		text.data += plain;
		text.size -= plain;
		if (text.size > 0)
			writer_bytes(w, character,
			             (size_t)(json_put_character(character, &text) - character));
	}
	writer_bytes(w, "\"", 1);
}

static bool is_key(struct cairn_bytes key, const char *const *words)
{
	for (; *words; words++)
		if (key.size == strlen(*words) && memcmp(key.data, *words, key.size) == 0)
			return true;
	return false;
}

/*
 * Identify a sample's thread by its labels, using the label names in OpenTelemetry and other tools.
 */
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
	    !array_grow(&f->threads, &f->thread_capacity, (size_t)*number + 1, sizeof(*f->threads)))
		return false;
	if (*number >= f->thread_count) {
		f->thread_count = (size_t)*number + 1;
		f->threads[*number] = thread;
	}
	return true;
}

static bool add_row(struct firefox *f, const struct firefox_row *row)
{
	if (!array_grow(&f->rows, &f->row_capacity, f->row_count + 1, sizeof(*f->rows)))
		return false;
	f->rows[f->row_count] = *row;
	f->rows[f->row_count].number = f->row_count;
	f->row_count++;
	if (row->time != 0 && (f->start == 0 || row->time < f->start))
		f->start = row->time;
	return true;
}

/*
 * Add one row per timestamp. Distributes the sample's value evenly over the rows, with the
 * remainder in the first rows.
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

static bool firefox_take_samples(struct firefox *f)
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

/*
 * Writes one thread for the Firefox Profiler: its samples and the tables of stacks, frames and
 * functions. A table is a pool of keys, where a key is an item's contents. A stack, for example, is
 * a frame and its caller's stack.
 */

enum { NUMBER_MAX = 32, NAME_MAX = 4096 };

struct stack_key {
	/* `prefix` is the caller's stack as an index plus 1; 0 for the outermost frame */
	uint32_t prefix, frame;
};

struct frame_key {
	uint32_t location, depth, function, line, column;
};

struct function_key {
	uint32_t name, file, lib; /* `lib` is an index plus 1; 0 if unknown */
};

struct thread {
	struct firefox *f;
	struct string_pool stacks, frames, functions, texts;
	struct profile_call *call;
	size_t call_capacity;
	struct number_map made; /* maps a location list to its stack, both as an index plus 1 */
};

static uint32_t number_item(struct thread *t, struct string_pool *pool, const void *key,
                            size_t size)
{
	const uint32_t number = string_pool_add(pool, (struct cairn_bytes){ key, size });

	if (number != STRING_POOL_FULL)
		return number;
	t->f->w->status = CAIRN_NO_MEMORY;
	return 0;
}

static const struct cairn_profile *profile_of(const struct thread *t)
{
	return t->f->w->profile;
}

/*
 * Return the stack `prefix` extended by one call. `depth` is 0 for the outermost call at a
 * location.
 */
static uint32_t add_call(struct thread *t, uint32_t prefix, uint32_t location, uint32_t depth,
                         const struct profile_call *call)
{
	const struct cairn_profile *p = profile_of(t);
	const uint32_t mapping = p->locations[location - 1].mapping;
	const struct function_key function = {
		number_item(t, &t->texts, call->name.data, call->name.size),
		number_item(t, &t->texts, call->file.data, call->file.size),
		mapping > 0 ? p->mappings[mapping - 1].module + 1 : 0,
	};
	const struct frame_key frame = { location, depth,
		                         number_item(t, &t->functions, &function, sizeof(function)),
		                         (uint32_t)call->line, (uint32_t)call->column };
	const struct stack_key stack = { prefix,
		                         number_item(t, &t->frames, &frame, sizeof(frame)) };
	return number_item(t, &t->stacks, &stack, sizeof(stack)) + 1;
}

/* Add a location without a name as "MODULE+ADDRESS". */
static uint32_t add_address(struct thread *t, uint32_t prefix, uint32_t number)
{
	const struct cairn_profile *p = profile_of(t);
	const struct profile_location *l = &p->locations[number - 1];
	struct profile_call call = { .file = CAIRN_NO_BYTES };
	char text[NAME_MAX + NUMBER_MAX];
	size_t size = 0;

	if (l->mapping > 0) {
		const struct cairn_bytes name = base_name(p->mappings[l->mapping - 1].path);
		size = name.size < NAME_MAX ? name.size : NAME_MAX;
		memcpy(text, name.data, size);
		if (size > 0)
			text[size++] = '+';
	}
	size += (size_t)snprintf(text + size, NUMBER_MAX - 1, "0x%" PRIx64,
	                         writer_shown_address(t->f->w, l));
	call.name = (struct cairn_bytes){ (const uint8_t *)text, size };
	return add_call(t, prefix, number, 0, &call);
}

static uint32_t add_location(struct thread *t, uint32_t prefix, uint32_t number)
{
	const struct profile_location *l = &profile_of(t)->locations[number - 1];
	struct profile_calls calls = profile_calls(profile_of(t), l);
	size_t count = 0;
	struct profile_call call;

	if (l->line_count == 0 && !l->named)
		return add_address(t, prefix, number);
	while (profile_next_call(&calls, &call))
		if (!ARRAY_APPEND(t->call, count, t->call_capacity, call)) {
			t->f->w->status = CAIRN_NO_MEMORY;
			return prefix;
		}
	for (size_t i = count; i > 0; i--)
		prefix = add_call(t, prefix, number, (uint32_t)(count - i), &t->call[i - 1]);
	return prefix;
}

/* Return the stack of a location list as an index plus 1, or 0 if the list is empty. */
static uint32_t make_stack(struct thread *t, uint32_t list)
{
	const struct cairn_bytes locations = string_pool_get(&t->f->stacks, list);
	struct number_slot *slot = number_map_at(&t->made, (uint64_t)list + 1);
	uint32_t number, stack = 0;

	if (slot && slot->key != 0)
		return slot->number;
	for (size_t i = locations.size / sizeof(number); i > 0; i--) {
		memcpy(&number, locations.data + (i - 1) * sizeof(number), sizeof(number));
		stack = add_location(t, stack, number);
	}
	if (slot) {
		*slot = (struct number_slot){ (uint64_t)list + 1, stack };
		t->made.count++;
	}
	return stack;
}

/*
 * A column in a table: either the constant `same`, a member of the items' keys, or the output of
 * `write`.
 */
struct column {
	const char *name, *same;
	size_t pool, member; /* offset of the pool in struct thread, and of the member in the key */
	bool or_null;        /* write 0 as null, and subtract `from` from all other values */
	uint32_t from;
	void (*write)(struct thread *t, uint32_t item);
};

#define COLUMN(table, kind, field) \
	.pool = offsetof(struct thread, table), .member = offsetof(struct kind, field)

static uint32_t read_member(const struct thread *t, const struct column *column, uint32_t item)
{
	const struct string_pool *pool = (const void *)((const char *)t + column->pool);
	uint32_t value;

	memcpy(&value, string_pool_get(pool, item).data + column->member, sizeof(value));
	return value;
}

static void write_cell(struct thread *t, const struct column *column, uint32_t item)
{
	if (column->write) {
		column->write(t, item);
		return;
	}
	const uint32_t value = column->same ? 0 : read_member(t, column, item);
	if (column->same || (column->or_null && value == 0))
		firefox_print(t->f->w, "%s", column->same ? column->same : "null");
	else
		firefox_print(t->f->w, "%" PRIu32, value - column->from);
}

static void write_column(struct thread *t, const struct column *column, uint32_t count)
{
	firefox_print(t->f->w, "\"%s\":[", column->name);
	for (uint32_t i = 0; i < count && t->f->w->status == CAIRN_OK; i++) {
		if (i > 0)
			writer_bytes(t->f->w, ",", 1);
		write_cell(t, column, i);
	}
	firefox_print(t->f->w, "],");
}

static struct function_key read_function_key(const struct thread *t, uint32_t item)
{
	struct function_key key;

	memcpy(&key, string_pool_get(&t->functions, item).data, sizeof(key));
	return key;
}

static void write_function_file(struct thread *t, uint32_t item)
{
	const uint32_t file = read_function_key(t, item).file;

	if (string_pool_get(&t->texts, file).size > 0)
		firefox_print(t->f->w, "%" PRIu32, file);
	else
		firefox_print(t->f->w, "null");
}

static void write_function_resource(struct thread *t, uint32_t item)
{
	firefox_print(t->f->w, "%" PRId64, (int64_t)read_function_key(t, item).lib - 1);
}

static void write_item_number(struct thread *t, uint32_t item)
{
	firefox_print(t->f->w, "%" PRIu32, item);
}

static void write_lib_name(struct thread *t, uint32_t item)
{
	const struct cairn_bytes name = base_name(profile_of(t)->modules[item].path);

	firefox_print(t->f->w, "%" PRIu32, number_item(t, &t->texts, name.data, name.size));
}

static void write_string(struct thread *t, uint32_t item)
{
	firefox_text(t->f->w, string_pool_get(&t->texts, item));
}

static void write_table(struct thread *t, const char *name, uint32_t length,
                        const struct column *columns, size_t count)
{
	firefox_print(t->f->w, ",\"%s\":{", name);
	for (size_t i = 0; i < count; i++)
		write_column(t, &columns[i], length);
	firefox_print(t->f->w, "\"length\":%" PRIu32 "}", length);
}

#define WRITE_TABLE(t, name, length, columns) \
	write_table(t, name, length, columns, sizeof(columns) / sizeof((columns)[0]))

static void write_tables(struct thread *t)
{
	static const struct column stacks[] = {
		{ "frame", COLUMN(stacks, stack_key, frame) },
		{ "prefix", COLUMN(stacks, stack_key, prefix), .or_null = true, .from = 1 },
		{ "category", .same = "0" },
		{ "subcategory", .same = "0" },
	};
	static const struct column frames[] = {
		{ "address", .same = "-1" },
		{ "inlineDepth", COLUMN(frames, frame_key, depth) },
		{ "category", .same = "0" },
		{ "subcategory", .same = "0" },
		{ "func", COLUMN(frames, frame_key, function) },
		{ "nativeSymbol", .same = "null" },
		{ "innerWindowID", .same = "0" },
		{ "implementation", .same = "null" },
		{ "line", COLUMN(frames, frame_key, line), .or_null = true },
		{ "column", COLUMN(frames, frame_key, column), .or_null = true },
	};
	static const struct column functions[] = {
		{ "name", COLUMN(functions, function_key, name) },
		{ "isJS", .same = "false" },
		{ "relevantForJS", .same = "false" },
		{ "resource", .write = write_function_resource },
		{ "fileName", .write = write_function_file },
		{ "lineNumber", .same = "null" },
		{ "columnNumber", .same = "null" },
	};
	static const struct column resources[] = { { "lib", .write = write_item_number },
		                                   { "name", .write = write_lib_name },
		                                   { "host", .same = "null" },
		                                   { "type", .same = "1" } };
	static const struct column symbols[] = { { "libIndex", .same = "null" },
		                                 { "address", .same = "null" },
		                                 { "name", .same = "null" },
		                                 { "functionSize", .same = "null" } };
	static const struct column texts = { "stringArray", .write = write_string };

	WRITE_TABLE(t, "stackTable", (uint32_t)t->stacks.count, stacks);
	WRITE_TABLE(t, "frameTable", (uint32_t)t->frames.count, frames);
	WRITE_TABLE(t, "funcTable", (uint32_t)t->functions.count, functions);
	WRITE_TABLE(t, "resourceTable", (uint32_t)profile_of(t)->module_count, resources);
	WRITE_TABLE(t, "nativeSymbols", 0, symbols);
	firefox_print(t->f->w, ",");
	write_column(t, &texts, (uint32_t)t->texts.count);
}

typedef void write_value(struct thread *t, const struct firefox_row *row, size_t index);

static void write_sample_stack(struct thread *t, const struct firefox_row *row, size_t index)
{
	const uint32_t stack = make_stack(t, row->stack);

	(void)index;
	if (stack > 0)
		firefox_print(t->f->w, "%" PRIu32, stack - 1);
	else
		firefox_print(t->f->w, "null");
}

/* Write the row's time, or its index if samples have no times. */
static void write_time(struct thread *t, const struct firefox_row *row, size_t index)
{
	if (row->time == 0)
		firefox_print(t->f->w, "%zu", index);
	else
		firefox_print(t->f->w, "%.6f",
		              (double)(row->time - t->f->start) / FIREFOX_MILLISECOND);
}

static void write_weight(struct thread *t, const struct firefox_row *row, size_t index)
{
	(void)index;
	if (strcmp(t->f->weight_type, "tracing-ms") == 0)
		firefox_print(t->f->w, "%.6f", (double)row->weight / FIREFOX_MILLISECOND);
	else
		firefox_print(t->f->w, "%" PRId64, row->weight);
}

static void write_values(struct thread *t, const char *name, size_t first, size_t count,
                         write_value *value)
{
	firefox_print(t->f->w, "\"%s\":[", name);
	for (size_t i = 0; i < count && t->f->w->status == CAIRN_OK; i++) {
		if (i > 0)
			writer_bytes(t->f->w, ",", 1);
		value(t, &t->f->rows[first + i], i);
	}
	firefox_print(t->f->w, "],");
}

static void write_thread_head(struct thread *t, uint32_t number)
{
	const struct firefox_thread *thread = &t->f->threads[number];
	struct profile_writer *w = t->f->w;

	firefox_print(w, "%s{\"name\":", number > 0 ? "," : "");
	firefox_text(w, thread->name);
	firefox_print(w,
	              ",\"pid\":\"%" PRId64 "\",\"tid\":%" PRId64
	              ",\"processType\":\"default\",\"isMainThread\":%s,"
	              "\"processStartupTime\":0,\"processShutdownTime\":null,\"registerTime\":0,"
	              "\"unregisterTime\":null,\"pausedRanges\":[],\"markers\":{\"data\":[],"
	              "\"name\":[],\"startTime\":[],\"endTime\":[],\"phase\":[],\"category\":[],"
	              "\"length\":0},\"samples\":{",
	              thread->pid, thread->tid, thread->pid == thread->tid ? "true" : "false");
}

static void firefox_write_thread(struct firefox *f, uint32_t number)
{
	struct thread t = { .f = f };
	const size_t first = f->next_row;

	while (f->next_row < f->row_count && f->rows[f->next_row].thread == number)
		f->next_row++;
	const size_t count = f->next_row - first;
	if (string_pool_add(&t.texts, (struct cairn_bytes)CAIRN_NO_BYTES) != 0)
		f->w->status = CAIRN_NO_MEMORY;
	write_thread_head(&t, number);
	write_values(&t, "stack", first, count, write_sample_stack);
	write_values(&t, "time", first, count, write_time);
	write_values(&t, "weight", first, count, write_weight);
	firefox_print(f->w, "\"weightType\":\"%s\",\"length\":%zu}", f->weight_type, count);
	write_tables(&t);
	firefox_print(f->w, "\"jsTracer\":null}");
	string_pool_finish(&t.stacks);
	string_pool_finish(&t.frames);
	string_pool_finish(&t.functions);
	string_pool_finish(&t.texts);
	free(t.call);
	free(t.made.slot);
}

/*
 * Write the first 16 bytes of the build ID as a Breakpad debug ID: a GUID in upper case, whose
 * first three fields are byte-swapped, followed by the age 0.
 */
static void write_breakpad_id(struct profile_writer *w, struct cairn_bytes id)
{
	static const uint8_t order[] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };

	writer_bytes(w, "\"", 1);
	for (size_t i = 0; i < sizeof(order) && id.size > 0; i++) {
		const size_t at = 2 * (size_t)order[i];
		for (size_t k = at; k < at + 2; k++) {
			const uint8_t c = k < id.size ? id.data[k] : '0';
			writer_bytes(w, &(uint8_t){ c >= 'a' && c <= 'f' ? (uint8_t)(c - 32) : c },
			             1);
		}
	}
	writer_bytes(w, id.size > 0 ? "0\"" : "\"", id.size > 0 ? 2 : 1);
}

static bool is_hexadecimal(struct cairn_bytes text)
{
	for (size_t i = 0; i < text.size; i++)
		if (!((text.data[i] >= '0' && text.data[i] <= '9') ||
		      (text.data[i] >= 'a' && text.data[i] <= 'f')))
			return false;
	return true;
}

static void write_lib(struct profile_writer *w, const struct cairn_profiled_module *module)
{
	const struct cairn_bytes name = base_name(module->path), none = CAIRN_NO_BYTES;
	const struct cairn_bytes id = is_hexadecimal(module->build_id) ? module->build_id : none;

	firefox_print(w, "{\"arch\":\"\",\"name\":");
	firefox_text(w, name);
	firefox_print(w, ",\"path\":");
	firefox_text(w, module->path);
	firefox_print(w, ",\"debugName\":");
	firefox_text(w, name);
	firefox_print(w, ",\"debugPath\":");
	firefox_text(w, module->path);
	firefox_print(w, ",\"breakpadId\":");
	write_breakpad_id(w, id);
	firefox_print(w, ",\"codeId\":");
	if (id.size > 0)
		firefox_text(w, id);
	else
		firefox_print(w, "null");
	firefox_print(w, "}");
}

static void write_head(struct firefox *f)
{
	const struct cairn_profile *p = f->w->profile;

	firefox_print(f->w,
	              "{\"meta\":{\"version\":24,\"preprocessedProfileVersion\":50,\"interval\":1,"
	              "\"startTime\":%.6f,\"processType\":0,\"product\":\"cairn\",\"stackwalk\":1,"
	              "\"symbolicated\":true,\"importedFrom\":\"%s\",\"markerSchema\":[],"
	              "\"categories\":[{\"name\":\"Other\",\"color\":\"grey\","
	              "\"subcategories\":[\"Other\"]}]},\"pages\":[],\"libs\":[",
	              (double)f->start / FIREFOX_MILLISECOND, cairn_profile_format_text(p));
	for (size_t i = 0; i < p->module_count; i++) {
		if (i > 0)
			writer_bytes(f->w, ",", 1);
		write_lib(f->w, &p->modules[i]);
	}
	firefox_print(f->w, "],\"threads\":[");
}

static const char *find_weight_type(const struct firefox *f)
{
	const struct cairn_profile *p = f->w->profile;
	const struct cairn_bytes unit = f->type < p->type_count
	                                        ? profile_text(p, p->types[f->type].unit)
	                                        : (struct cairn_bytes)CAIRN_NO_BYTES;

	if (unit.size == 11 && memcmp(unit.data, "nanoseconds", 11) == 0)
		return "tracing-ms";
	return unit.size == 5 && memcmp(unit.data, "bytes", 5) == 0 ? "bytes" : "samples";
}

enum cairn_status profile_write_firefox(struct profile_writer *w, struct cairn_fault *fault)
{
	struct firefox f = { .w = w };

	if (!profile_find_type(w->profile, w->output->sample_type, &f.type)) {
		return fault_set(fault, CAIRN_NOT_FOUND, "the profile has no values of this type");
	}
	f.weight_type = find_weight_type(&f);
	if (firefox_take_samples(&f)) {
		write_head(&f);
		for (uint32_t i = 0; i < f.thread_count && w->status == CAIRN_OK; i++)
			firefox_write_thread(&f, i);
		firefox_print(w, "]}\n");
	} else if (w->status == CAIRN_OK) {
		w->status = CAIRN_NO_MEMORY;
	}
	string_pool_finish(&f.thread_keys);
	string_pool_finish(&f.stacks);
	free(f.threads);
	free(f.rows);
	return CAIRN_OK;
}
