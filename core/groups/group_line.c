/* SPDX-License-Identifier: MIT */
/*
 * Classifies a line by the members of its object, and makes the signature of the thread that
 * crashed.
 */
#include "group_line.h"

#include "group_record.h"

#include "base/bytes.h"
#include "base/encoding.h"
#include "base/path.h"
#include "records/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum crash_member {
	CRASH_REPORT,
	CRASH_ANSWER,
	CRASH_TIME,
	CRASH_CORE_FILE,
	CRASH_PATH,
	CRASH_URL,
	CRASH_REQUEST,
	CRASH_SIGNATURE, /* a line with "signature" and "rules" is a group */
	CRASH_RULES,
	CRASH_MEMBERS,
};

static const char *const crash_members[CRASH_MEMBERS] = {
	[CRASH_REPORT] = "crash_report", [CRASH_ANSWER] = "answer",       [CRASH_TIME] = "time",
	[CRASH_CORE_FILE] = "core_file", [CRASH_PATH] = "path",           [CRASH_URL] = "url",
	[CRASH_REQUEST] = "request",     [CRASH_SIGNATURE] = "signature", [CRASH_RULES] = "rules",
};

enum { NULL_PAGE = 0x1000 }; /* size of the page at address 0, which is never mapped */

/*
 * Add the frames of a thread, innermost first. Inlined calls carry the signal flag of their frame,
 * so only the first record of a frame may restart the signature; otherwise its inlined calls would
 * be dropped.
 */
static void add_frames(struct group_reader *r, const struct record_thread *thread)
{
	struct signature_frame frame;
	struct record_frame read;
	bool is_innermost = true;

	signature_begin(&r->builder);
	for (size_t at = 0; record_next_frame(thread, &at, &read);) {
		if (is_innermost && read.signal == RECORD_YES)
			signature_restart(&r->builder);
		is_innermost = read.inlined != RECORD_YES;
		frame.function = record_text(read.function, r->function, sizeof(r->function));
		frame.module = base_name(record_text(read.module, r->module, sizeof(r->module)));
		frame.build_id = record_text(read.build_id, r->build_id, sizeof(r->build_id));
		frame.has_offset = read.module_offset.known;
		frame.offset = read.module_offset.value;
		frame.is_null =
			frame.module.size == 0 && read.pc.known && read.pc.value < NULL_PAGE;
		if (bytes_are(frame.function, "??"))
			frame.function.size = 0;
		signature_add(&r->builder, &frame);
	}
}

static enum group_line_kind sign_thread(struct group_reader *r, const struct record_thread *thread)
{
	add_frames(r, thread);
	if (bytes_are(thread->end, "limit"))
		r->builder.is_cut = true;
	const struct cairn_bytes program =
		base_name(record_text(thread->program, r->program, sizeof(r->program)));
	struct cairn_bytes word = record_text(thread->signal, r->word, sizeof(r->word));
	if (!thread->signal.data && thread->exception.known)
		word.size = (size_t)snprintf(r->word, sizeof(r->word), "0x%" PRIx64,
		                             thread->exception.value);
	if (signature_make(&r->builder, program, word, &r->signature))
		return GROUP_LINE_COUNTED;
	return r->builder.scarce ? GROUP_LINE_NO_MEMORY : GROUP_LINE_NO_STACK;
}

/*
 * Find the thread that crashed, or the first thread if none did. Return false if the report does
 * not have threads.
 */
static bool find_crashed_thread(const struct record_thread *report, struct record_thread *thread)
{
	struct record_thread other;
	bool any = false;

	for (size_t at = 0;
	     !(any && thread->crashed == RECORD_YES) && record_next_thread(report, &at, &other);
	     any = true)
		if (!any || other.crashed == RECORD_YES)
			*thread = other;
	return any;
}

static enum group_line_kind sign_object(struct group_reader *r, const struct record_thread *object,
                                        const struct json_reader_value value[CRASH_MEMBERS],
                                        struct cairn_fault *fault)
{
	struct record_thread thread;

	if (object->reported.kind == JSON_READER_ARRAY)
		return find_crashed_thread(object, &thread) ? sign_thread(r, &thread)
		                                            : GROUP_LINE_NO_STACK;
	if (value[CRASH_REPORT].text.data)
		return GROUP_LINE_NO_STACK;
	if (value[CRASH_ANSWER].text.data && object->frames.kind != JSON_READER_ARRAY)
		return GROUP_LINE_NO_STACK;
	if (object->frames.kind == JSON_READER_ARRAY)
		return object->crashed == RECORD_NO ? GROUP_LINE_NOT_CRASHED
		                                    : sign_thread(r, object);
	*fault = (struct cairn_fault){ CAIRN_MALFORMED, 0, "no stack, report or group" };
	return GROUP_LINE_WRONG;
}

/*
 * Return the path or URL of the core. In the answer to a reference it is the file that was referred
 * to.
 */
static struct cairn_bytes find_core(const struct record_thread *object,
                                    const struct json_reader_value value[CRASH_MEMBERS])
{
	const bool is_answer = value[CRASH_ANSWER].text.data != NULL;

	if (value[CRASH_CORE_FILE].text.data)
		return json_reader_string(&value[CRASH_CORE_FILE]);
	if (is_answer && value[CRASH_PATH].text.data)
		return json_reader_string(&value[CRASH_PATH]);
	return is_answer && value[CRASH_URL].text.data ? json_reader_string(&value[CRASH_URL])
	                                               : object->core;
}

static enum group_line_kind read_crash(struct group_reader *reader,
                                       const struct record_thread *object,
                                       const struct json_reader_value value[CRASH_MEMBERS],
                                       struct group_entry *entry, struct cairn_fault *fault)
{
	const enum group_line_kind kind = sign_object(reader, object, value, fault);

	if (kind != GROUP_LINE_COUNTED)
		return kind;
	entry->names = reader->signature.names;
	entry->text = (struct cairn_bytes){ (const uint8_t *)reader->signature.text,
		                            reader->signature.size };
	entry->id = signature_id(reader->rules, entry->names, entry->text);
	entry->core = record_text(find_core(object, value), reader->core, sizeof(reader->core));
	entry->has_time = json_reader_whole(&value[CRASH_TIME], &entry->first);
	entry->last = entry->first;
	return kind;
}

enum group_line_kind group_line_read(struct group_reader *reader, struct cairn_bytes line,
                                     struct group_entry *entry, struct cairn_fault *fault)
{
	struct json_reader_value value[CRASH_MEMBERS];
	struct record_thread object;
	struct sha256 hash = sha256_open();

	*entry = (struct group_entry){ .count = 1 };
	reader->builder.rules = reader->rules;
	if (record_open(line, crash_members, CRASH_MEMBERS, value, &object, fault) != CAIRN_OK)
		return GROUP_LINE_WRONG;
	if (value[CRASH_SIGNATURE].text.data && value[CRASH_RULES].text.data)
		return group_record_read(reader, line, entry, fault) ? GROUP_LINE_COUNTED
		                                                     : GROUP_LINE_WRONG;
	const enum group_line_kind kind = read_crash(reader, &object, value, entry, fault);
	/*
	 * An answer takes the hash of its request, so that a crash counts once whether it was
	 * symbolized or not.
	 */
	const bool has_hash =
		value[CRASH_ANSWER].text.data &&
		hex_read(json_reader_string(&value[CRASH_REQUEST]), entry->hash, SHA256_SIZE);
	if (kind == GROUP_LINE_COUNTED && !has_hash) {
		sha256_put(&hash, line);
		sha256_finish(&hash, entry->hash);
	}
	return kind;
}

void group_line_finish(struct group_reader *reader)
{
	signature_finish(&reader->builder);
	free(reader->hashes);
	reader->hashes = NULL;
	reader->hash_room = 0;
}
