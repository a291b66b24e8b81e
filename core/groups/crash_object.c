/* SPDX-License-Identifier: MIT */
/* Reads the thread that crashed, frame by frame, into a signature. */
#include "crash_object.h"

#include "base/base_name.h"
#include "base/bytes_compare.h"

enum { FUNCTION, MODULE, BUILD_ID, MODULE_OFFSET, PC, INLINED, SIGNAL_FRAME, FRAME_MEMBERS };

static const char *const frame_names[FRAME_MEMBERS] = { "function",      "module", "build_id",
	                                                "module_offset", "pc",     "inlined",
	                                                "signal" };

const char *const crash_member_names[CRASH_MEMBERS] = {
	[CRASH_FRAMES] = "frames",       [CRASH_CRASHED] = "crashed",
	[CRASH_PROGRAM] = "program",     [CRASH_SIGNAL] = "signal",
	[CRASH_EXCEPTION] = "exception", [CRASH_END] = "end",
	[CRASH_THREADS] = "threads",     [CRASH_REPORT] = "crash_report",
	[CRASH_ANSWER] = "answer",       [CRASH_TIME] = "time",
	[CRASH_CORE] = "core",           [CRASH_CORE_FILE] = "core_file",
	[CRASH_PATH] = "path",           [CRASH_URL] = "url",
	[CRASH_REQUEST] = "request",     [CRASH_SIGNATURE] = "signature",
	[CRASH_RULES] = "rules",
};

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
	struct json_reader_value value[FRAME_MEMBERS];
	bool is_innermost = true;

	signature_begin(&r->builder);
	for (size_t at = 0;
	     json_reader_element_members(frames, &at, frame_names, FRAME_MEMBERS, value);) {
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
		&value[value[CRASH_SIGNAL].text.data ? CRASH_SIGNAL : CRASH_EXCEPTION];

	add_frames(r, &value[CRASH_FRAMES]);
	if (bytes_are(decode_string(&value[CRASH_END], r->word, sizeof(r->word)), "limit"))
		r->builder.is_cut = true;
	const struct cairn_bytes program =
		base_name(decode_string(&value[CRASH_PROGRAM], r->program, sizeof(r->program)));
	const struct cairn_bytes word = decode_string(signal, r->word, sizeof(r->word));
	if (signature_make(&r->builder, program, word, &r->signature))
		return GROUP_LINE_COUNTED;
	return r->builder.scarce ? GROUP_LINE_NO_MEMORY : GROUP_LINE_NO_STACK;
}

/* Finds the thread that crashed, or else takes the first. */
static bool find_crashed_thread(const struct json_reader_value *threads,
                                struct json_reader_value *value)
{
	struct json_reader_value other[CRASH_THREAD_MEMBERS];
	bool any = false;

	for (size_t at = 0; json_reader_element_members(threads, &at, crash_member_names,
	                                                CRASH_THREAD_MEMBERS, other);) {
		if (!any || is_true(&other[CRASH_CRASHED]))
			memcpy(value, other, sizeof(other));
		any = true;
		if (is_true(&value[CRASH_CRASHED]))
			break;
	}
	return any;
}

static enum group_line_kind sign_object(struct group_reader *r,
                                        const struct json_reader_value value[CRASH_MEMBERS],
                                        struct cairn_fault *fault)
{
	struct json_reader_value thread[CRASH_THREAD_MEMBERS];

	if (value[CRASH_THREADS].kind == JSON_READER_ARRAY)
		return find_crashed_thread(&value[CRASH_THREADS], thread) ? sign_thread(r, thread)
		                                                          : GROUP_LINE_NO_STACK;
	if (value[CRASH_REPORT].text.data)
		return GROUP_LINE_NO_STACK;
	if (value[CRASH_ANSWER].text.data && value[CRASH_FRAMES].kind != JSON_READER_ARRAY)
		return GROUP_LINE_NO_STACK;
	if (value[CRASH_FRAMES].kind == JSON_READER_ARRAY)
		return value[CRASH_CRASHED].kind == JSON_READER_FALSE ? GROUP_LINE_NOT_CRASHED
		                                                      : sign_thread(r, value);
	*fault = (struct cairn_fault){ CAIRN_MALFORMED, 0, "no stack, report or group" };
	return GROUP_LINE_WRONG;
}

/* The file that the object names; of the answer to a reference it is where that led. */
static const struct json_reader_value *find_core(const struct json_reader_value *around)
{
	const bool is_answer = around[CRASH_ANSWER].text.data != NULL;

	if (around[CRASH_CORE_FILE].text.data)
		return &around[CRASH_CORE_FILE];
	if (is_answer && around[CRASH_PATH].text.data)
		return &around[CRASH_PATH];
	return &around[is_answer && around[CRASH_URL].text.data ? CRASH_URL : CRASH_CORE];
}

enum group_line_kind crash_object_read(struct group_reader *reader,
                                       const struct json_reader_value value[CRASH_MEMBERS],
                                       struct group_entry *entry, struct cairn_fault *fault)
{
	const enum group_line_kind kind = sign_object(reader, value, fault);

	if (kind != GROUP_LINE_COUNTED)
		return kind;
	const struct json_reader_value *core = find_core(value);
	entry->names = reader->signature.names;
	entry->text = (struct cairn_bytes){ (const uint8_t *)reader->signature.text,
		                            reader->signature.size };
	entry->id = signature_id(reader->rules, entry->names, entry->text);
	entry->core = decode_string(core, reader->core, sizeof(reader->core));
	entry->has_time = json_reader_whole(&value[CRASH_TIME], &entry->first);
	entry->last = entry->first;
	return kind;
}
