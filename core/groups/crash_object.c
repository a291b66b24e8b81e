/* SPDX-License-Identifier: MIT */
/* Reads the thread that crashed, frame by frame, into a signature. */
#include "crash_object.h"

#include "base/base_name.h"
#include "base/bytes_compare.h"

/* Members of a frame, of a thread and of what is around it, by their numbers. */
enum { FUNCTION, MODULE, BUILD_ID, MODULE_OFFSET, PC, INLINED, SIGNAL_FRAME, FRAME_MEMBERS };
enum { FRAMES, CRASHED, PROGRAM, SIGNAL, EXCEPTION, END, THREAD_MEMBERS };
enum { THREADS, REPORT, ANSWER, TIME, CORE, CORE_FILE, PATH, URL, TOP_MEMBERS };

static const char *const frame_names[FRAME_MEMBERS] = { "function",      "module", "build_id",
	                                                "module_offset", "pc",     "inlined",
	                                                "signal" };
static const char *const thread_names[THREAD_MEMBERS] = { "frames", "crashed",   "program",
	                                                  "signal", "exception", "end" };
static const char *const top_names[TOP_MEMBERS] = { "threads", "crash_report", "answer", "time",
	                                            "core",    "core_file",    "path",   "url" };

/* The text of a string, in the buffer; of all else an empty one. */
static struct cairn_bytes decode_string(const struct json_reader_value *value, char *buffer,
                                        size_t room)
{
	buffer[0] = '\0';
	if (value->kind == JSON_READER_STRING)
		json_reader_text(value, buffer, room);
	return (struct cairn_bytes){ (const uint8_t *)buffer, strlen(buffer) };
}

static bool is_true(const struct json_reader_value *value)
{
	return value->kind == JSON_READER_TRUE;
}

/* Below 0x1000, the page that nobody maps. */
static bool is_near_null(struct cairn_bytes address)
{
	size_t at = 2;

	if (!bytes_go_on_after(address, "0x"))
		return false;
	while (at < address.size && address.data[at] == '0')
		at++;
	return address.size - at <= 3;
}

static void add_frame(struct group_reader *r, const struct json_reader_value *value)
{
	struct signature_frame frame;

	frame.function = decode_string(&value[FUNCTION], r->function, sizeof(r->function));
	frame.module = base_name(decode_string(&value[MODULE], r->module, sizeof(r->module)));
	frame.build_id = decode_string(&value[BUILD_ID], r->build_id, sizeof(r->build_id));
	frame.offset = decode_string(&value[MODULE_OFFSET], r->offset, sizeof(r->offset));
	const struct cairn_bytes pc = decode_string(&value[PC], r->word, sizeof(r->word));
	frame.is_null = frame.module.size == 0 && is_near_null(pc);
	if (bytes_are(frame.function, "??"))
		frame.function.size = 0;
	signature_add(&r->builder, &frame);
}

/* The calls inlined in a frame have its flags; the last of them is the frame itself. */
static void add_frames(struct group_reader *r, const struct json_reader_value *frames)
{
	struct json_reader_value frame, value[FRAME_MEMBERS];
	bool is_innermost = true;

	signature_begin(&r->builder);
	for (size_t at = 0; json_reader_element(frames, &at, &frame);) {
		json_reader_members(&frame, frame_names, FRAME_MEMBERS, value);
		if (is_innermost && is_true(&value[SIGNAL_FRAME]))
			signature_restart(&r->builder);
		add_frame(r, value);
		is_innermost = !is_true(&value[INLINED]);
	}
}

static enum group_line_kind sign_thread(struct group_reader *r,
                                        const struct json_reader_value *value)
{
	const struct json_reader_value *signal =
		&value[value[SIGNAL].text.data ? SIGNAL : EXCEPTION];

	add_frames(r, &value[FRAMES]);
	if (bytes_are(decode_string(&value[END], r->word, sizeof(r->word)), "limit"))
		r->builder.is_cut = true;
	const struct cairn_bytes program =
		base_name(decode_string(&value[PROGRAM], r->program, sizeof(r->program)));
	const struct cairn_bytes word = decode_string(signal, r->word, sizeof(r->word));
	if (signature_make(&r->builder, program, word, &r->signature))
		return GROUP_LINE_COUNTED;
	return r->builder.scarce ? GROUP_LINE_NO_MEMORY : GROUP_LINE_NO_STACK;
}

/* Finds the thread that crashed, or else takes the first. */
static bool find_crashed_thread(const struct json_reader_value *threads,
                                struct json_reader_value *value)
{
	struct json_reader_value thread, other[THREAD_MEMBERS];
	bool any = false;

	for (size_t at = 0; json_reader_element(threads, &at, &thread);) {
		json_reader_members(&thread, thread_names, THREAD_MEMBERS, other);
		if (!any || is_true(&other[CRASHED]))
			memcpy(value, other, sizeof(other));
		any = true;
		if (is_true(&value[CRASHED]))
			break;
	}
	return any;
}

static enum group_line_kind sign_object(struct group_reader *r, const struct json_reader_value *top,
                                        const struct json_reader_value *around,
                                        struct cairn_fault *fault)
{
	struct json_reader_value value[THREAD_MEMBERS];

	if (around[THREADS].kind == JSON_READER_ARRAY)
		return find_crashed_thread(&around[THREADS], value) ? sign_thread(r, value)
		                                                    : GROUP_LINE_NO_STACK;
	if (around[REPORT].text.data)
		return GROUP_LINE_NO_STACK;
	json_reader_members(top, thread_names, THREAD_MEMBERS, value);
	if (around[ANSWER].text.data && value[FRAMES].kind != JSON_READER_ARRAY)
		return GROUP_LINE_NO_STACK;
	if (value[FRAMES].kind == JSON_READER_ARRAY)
		return value[CRASHED].kind == JSON_READER_FALSE ? GROUP_LINE_NOT_CRASHED
		                                                : sign_thread(r, value);
	*fault = (struct cairn_fault){ CAIRN_MALFORMED, 0, "no stack, report or group" };
	return GROUP_LINE_WRONG;
}

/* The file that the object names; of the answer to a reference it is where that led. */
static const struct json_reader_value *find_core(const struct json_reader_value *around)
{
	const bool is_answer = around[ANSWER].text.data != NULL;

	if (around[CORE_FILE].text.data)
		return &around[CORE_FILE];
	if (is_answer && around[PATH].text.data)
		return &around[PATH];
	return &around[is_answer && around[URL].text.data ? URL : CORE];
}

enum group_line_kind crash_object_read(struct group_reader *reader,
                                       const struct json_reader_value *top,
                                       struct group_entry *entry, struct cairn_fault *fault)
{
	struct json_reader_value around[TOP_MEMBERS];

	json_reader_members(top, top_names, TOP_MEMBERS, around);
	const enum group_line_kind kind = sign_object(reader, top, around, fault);
	if (kind != GROUP_LINE_COUNTED)
		return kind;
	const struct json_reader_value *core = find_core(around);
	entry->names = reader->signature.names;
	entry->text = (struct cairn_bytes){ (const uint8_t *)reader->signature.text,
		                            reader->signature.size };
	entry->id = signature_id(reader->rules, entry->names, entry->text);
	entry->core = decode_string(core, reader->core, sizeof(reader->core));
	entry->has_time = json_reader_whole(&around[TIME], &entry->first);
	entry->last = entry->first;
	return kind;
}
