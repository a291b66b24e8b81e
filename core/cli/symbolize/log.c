/* SPDX-License-Identifier: MIT */
/*
 * Prints the backtraces of a log as a JSON object with threads, in the form of a report. A frame
 * keeps its name from the log. A frame without a name gets its module, its address in the module,
 * and whether that address is exact or a return address.
 */
#include "symbolize.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "base/path.h"
#include "formats/markup.h"
#include "output/location.h"
#include "process/captured/captured_stacks.h"

#include <stdlib.h>
#include <string.h>

struct log_reading {
	struct json json;
	FILE *out;
	struct captured_step *steps;
	size_t count, room;
	/* modules that the log lists with build IDs; the last entry of a name wins */
	struct {
		struct cairn_bytes name, digits;
	} listed[CAPTURED_MODULES_MAX];
	size_t listed_count;
	size_t stacks;
	bool scarce;
};

/* Return the digits of the module's build ID, from the frame itself or from the list. */
static struct cairn_bytes find_digits(const struct log_reading *l,
                                      const struct captured_frame *frame)
{
	if (frame->id.size > 0 || frame->module.size == 0)
		return frame->id;
	for (size_t i = l->listed_count; i > 0; i--)
		if (bytes_equal(l->listed[i - 1].name, base_name(frame->module)))
			return l->listed[i - 1].digits;
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

static void print_log_frame(struct log_reading *l, const struct captured_frame *frame,
                            bool is_inlined)
{
	json_object(&l->json, NULL);
	if (frame->has_address)
		json_address(&l->json, "pc", frame->address);
	print_log_module(l, frame);
	/* offsets with other origins cannot be resolved, so print only the name */
	if (frame->origin == CAPTURED_FROM_ZERO)
		json_address(&l->json, "va", frame->offset);
	else if (frame->origin == CAPTURED_FROM_MODULE)
		json_address(&l->json, "module_offset", frame->offset);
	json_bool(&l->json, "exact", frame->pc != CAPTURED_PC_RETURN);
	if (frame->function.size > 0) {
		json_text(&l->json, "function", frame->function);
		if (frame->origin == CAPTURED_FROM_SYMBOL)
			json_number(&l->json, "offset", frame->offset);
	}
	json_place(&l->json, frame->file, frame->line, 0);
	json_bool(&l->json, "inlined", is_inlined);
	json_end(&l->json);
}

static void print_place(struct log_reading *l, size_t at, size_t next)
{
	for (; at < next && ftell(l->out) <= SYMBOLIZE_STACKS_MAX; at++)
		print_log_frame(l, &l->steps[at].frame,
		                captured_is_inlined(&l->steps[at], &l->steps[next - 1]));
}

static void end_stack(void *context)
{
	struct log_reading *l = context;

	captured_order_steps(l->steps, l->count);
	json_object(&l->json, NULL);
	json_array(&l->json, "frames");
	for (size_t at = 0, next; at < l->count; at = next) {
		next = captured_end_of_place(l->steps, at, l->count);
		print_place(l, at, next);
	}
	json_end(&l->json);
	json_end(&l->json);
	l->stacks++;
	l->count = 0;
}

static bool take_log_frame(void *context, const struct captured_frame *frame)
{
	struct log_reading *l = context;

	l->scarce = !array_grow(&l->steps, &l->room, l->count + 1, sizeof(*l->steps));
	if (!l->scarce)
		l->steps[l->count++] = (struct captured_step){ .frame = *frame };
	return !l->scarce && ftell(l->out) <= SYMBOLIZE_STACKS_MAX;
}

static void list_module(void *context, const struct captured_line *line, struct cairn_bytes bytes)
{
	struct log_reading *l = context;

	(void)bytes;
	if (line->kind != CAPTURED_MODULE || l->listed_count == CAPTURED_MODULES_MAX)
		return;
	l->listed[l->listed_count].name = base_name(line->module);
	l->listed[l->listed_count++].digits = line->id;
}

static void read_log_lines(struct log_reading *l, struct cairn_bytes log)
{
	const struct captured_listener listener = { l, take_log_frame, end_stack, list_module };

	json_object(&l->json, NULL);
	json_array(&l->json, "threads");
	captured_read_lines(log, &listener);
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
		l->json = json_to(l->out);
		read_log_lines(l, log);
		good = fclose(l->out) == 0 && !l->scarce;
		if (l->stacks == 0)
			*size = 0;
		free(l->steps);
	}
	free(l);
	if (good)
		return text;
	free(text);
	return NULL;
}
