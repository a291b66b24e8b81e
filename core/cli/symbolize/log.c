/* SPDX-License-Identifier: MIT */
/*
 * Prints the backtraces of a log as an object with threads, as a report has them.  A frame keeps the name that the log has for it; another one gets its
 * module, its address there, and whether that is the address of a call.
 */
#include "symbolize.h"

#include "base/array_grow.h"
#include "base/base_name.h"
#include "base/bytes_compare.h"
#include "formats/captured_text/captured_text.h"
#include "formats/markup/markup.h"
#include "process/captured/captured_stacks.h"

#include <stdlib.h>
#include <string.h>

/* What is being read. */
struct log_reading {
	struct captured_text text;
	struct captured_markup markup;
	struct json json;
	FILE *out;
	struct captured_frame *frames; /* of the stack that is open */
	size_t count, room;
	/* modules that the log lists with their build IDs; the last of a name counts */
	struct {
		struct cairn_bytes name, digits;
	} listed[CAPTURED_MODULES_MAX];
	size_t listed_count;
	size_t stacks;
	bool scarce;
};

/* The digits of its build ID: in the line, or in a list before it. */
static struct cairn_bytes find_digits(const struct log_reading *l,
                                      const struct captured_frame *frame)
{
	if (frame->id.size > 0 || frame->module.size == 0)
		return frame->id;
	for (size_t i = l->listed_count; i-- > 0;)
		if (bytes_equal(l->listed[i].name, base_name(frame->module)))
			return l->listed[i].digits;
	return frame->id;
}

static void print_log_module(struct log_reading *l, const struct captured_frame *frame)
{
	uint8_t id[REQUEST_ID_MAX];
	size_t size = 0;

	if (frame->module.size > 0)
		json_text(&l->json, "module", frame->module);
	if (markup_build_id(find_digits(l, frame), id, sizeof(id), &size) && size > 0)
		json_hex(&l->json, "build_id", (struct cairn_bytes){ id, size });
}

static void print_log_offset(struct log_reading *l, const struct captured_frame *frame)
{
	switch (frame->origin) {
	case CAPTURED_FROM_ZERO:
		json_address(&l->json, "va", frame->offset);
		break;
	case CAPTURED_FROM_MODULE:
		json_address(&l->json, "module_offset", frame->offset);
		break;
	case CAPTURED_FROM_FILE: /* of such frames the name is all that can be said */
	case CAPTURED_FROM_MAPPING:
	case CAPTURED_FROM_SYMBOL:
	case CAPTURED_NO_OFFSET:
		break;
	}
}

static void print_log_frame(struct log_reading *l, const struct captured_frame *frame,
                            bool is_inlined)
{
	json_object(&l->json, NULL);
	if (frame->has_address)
		json_address(&l->json, "pc", frame->address);
	print_log_module(l, frame);
	print_log_offset(l, frame);
	json_bool(&l->json, "exact", frame->pc != CAPTURED_PC_RETURN);
	if (frame->function.size > 0) {
		json_text(&l->json, "function", frame->function);
		if (frame->origin == CAPTURED_FROM_SYMBOL)
			json_number(&l->json, "offset", frame->offset);
	}
	if (frame->file.size > 0)
		json_text(&l->json, "file", frame->file);
	if (frame->line > 0)
		json_number(&l->json, "line", frame->line);
	json_bool(&l->json, "inlined", is_inlined);
	json_end(&l->json);
}

/* Lines with one address are calls that were inlined there, and the function itself; one name twice is a function that calls itself. */
static bool is_inlined_in_next(const struct log_reading *l, size_t i)
{
	const struct captured_frame *frame = &l->frames[i], *next = frame + 1;

	return i + 1 < l->count && frame->has_address && next->has_address &&
	       frame->address == next->address && frame->function.size > 0 &&
	       next->function.size > 0 && !bytes_equal(frame->function, next->function);
}

static void end_stack(struct log_reading *l)
{
	if (l->count == 0)
		return;
	json_object(&l->json, NULL);
	json_array(&l->json, "frames");
	for (size_t i = 0; i < l->count && ftell(l->out) <= SYMBOLIZE_STACKS_MAX; i++)
		print_log_frame(l, &l->frames[i], is_inlined_in_next(l, i));
	json_end(&l->json);
	json_end(&l->json);
	l->stacks++;
	l->count = 0;
}

static void take_log_frame(struct log_reading *l, const struct captured_frame *frame)
{
	if (frame->unreliable)
		return;
	if (frame->numbered && l->count > 0 && frame->number <= l->frames[l->count - 1].number)
		end_stack(l);
	if (!array_grow(&l->frames, &l->room, l->count + 1, sizeof(*l->frames)))
		l->scarce = true;
	else
		l->frames[l->count++] = *frame;
}

/* A line that is not a frame ends a stack.  It does not where frames are numbered, or are those of Go: output of others may be between them. */
static void take_other_line(struct log_reading *l)
{
	const struct captured_frame *last = l->count > 0 ? &l->frames[l->count - 1] : NULL;

	if (last && !last->numbered && last->source != CAPTURED_GO)
		end_stack(l);
}

static void list_module(struct log_reading *l, const struct captured_line *line)
{
	if (l->listed_count == CAPTURED_MODULES_MAX)
		return;
	l->listed[l->listed_count].name = base_name(line->module);
	l->listed[l->listed_count++].digits = line->id;
}

static void take_log_line(struct log_reading *l, struct cairn_bytes bytes)
{
	struct captured_line line;
	struct captured_frame frame;

	if (captured_read_markup(&l->markup, bytes, &frame)) {
		take_log_frame(l, &frame);
		return;
	}
	switch (captured_text_line(&l->text, bytes, &line)) {
	case CAPTURED_FRAME:
		take_log_frame(l, &line.frame);
		break;
	case CAPTURED_BLANK:
	case CAPTURED_HEADING:
		end_stack(l);
		break;
	case CAPTURED_FUNCTION:
		break;
	case CAPTURED_MODULE:
		list_module(l, &line);
		take_other_line(l);
		break;
	case CAPTURED_OTHER:
		take_other_line(l);
		break;
	}
}

static void read_log_lines(struct log_reading *l, struct cairn_bytes rest)
{
	json_object(&l->json, NULL);
	json_array(&l->json, "threads");
	while (rest.size > 0 && !l->scarce && ftell(l->out) <= SYMBOLIZE_STACKS_MAX) {
		const uint8_t *end = memchr(rest.data, '\n', rest.size);
		const size_t size = end ? (size_t)(end - rest.data) : rest.size;
		take_log_line(l, (struct cairn_bytes){ rest.data, size });
		rest.data += size + (end != NULL);
		rest.size -= size + (end != NULL);
	}
	end_stack(l);
	json_end(&l->json);
	json_end(&l->json);
}

char *symbolize_read_log(struct cairn_bytes log, size_t *size)
{
	struct log_reading *l = calloc(1, sizeof(*l));
	char *text = NULL;
	bool good = false;

	if (l)
		l->out = open_memstream(&text, size);
	if (l && l->out) {
		l->text = captured_text_open();
		l->json = json_to(l->out);
		read_log_lines(l, log);
		good = fclose(l->out) == 0 && !l->scarce;
		if (l->stacks == 0)
			*size = 0;
		free(l->frames);
	}
	free(l);
	if (good)
		return text;
	free(text);
	return NULL;
}
