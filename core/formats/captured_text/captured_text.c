/* SPDX-License-Identifier: MIT */
/* Reads one line of a log: the frame in it, or what it says about the frames after it. */
#include "parts.h"

#include "base/base_name.h"
#include "base/bytes_compare.h"
#include "base/bytes_split.h"

struct captured_text captured_text_open(void)
{
	return (struct captured_text){ .has_head = false };
}

/* The error of a sanitizer, or a signal in Go: the pc may be that of the innermost frame. */
static void note_head(struct captured_text *text, struct cursor in)
{
	const uint8_t *pc = NULL;

	if (cursor_find(&in, "Sanitizer"))
		pc = cursor_find(&in, "pc 0x");
	else if (cursor_find(&in, "[signal "))
		pc = cursor_find(&in, "pc=0x");
	struct cursor c = { pc ? pc + 3 : in.end, in.end };
	if (pc)
		text->has_head = cursor_hex(&c, &text->head);
}

/* Lines of Go: the beginning of a goroutine, and functions. */
static bool read_go_line(struct captured_text *text, struct cursor in, struct captured_line *out)
{
	const uint8_t *head = cursor_find(&in, "goroutine ");
	struct cursor c = { head ? head + strlen("goroutine ") : in.end, in.end };
	uint64_t number;

	if (head && cursor_decimal(&c, &number) && cursor_find(&c, " [") == c.at &&
	    in.end[-1] == ':') {
		text->go = CAPTURED_GO_WAITS;
		text->in_signal = false;
		out->text = (struct cairn_bytes){ head, (size_t)(in.end - 1 - head) };
		out->kind = CAPTURED_HEADING;
		return true;
	}
	if (text->go == CAPTURED_GO_NONE)
		return false;
	if (cursor_find(&in, "created by ")) {
		text->go = CAPTURED_GO_CREATED;
		return false;
	}
	if (!captured_read_go_function(in, &out->text))
		return false;
	text->go = CAPTURED_GO_FUNCTION;
	if (bytes_are(out->text, "runtime.sigpanic"))
		text->go = CAPTURED_GO_SIGNAL;
	else if (cursor_left(&in) >= 5 && memcmp(in.end - 5, "(...)", 5) == 0)
		text->go = CAPTURED_GO_INLINED;
	out->kind = CAPTURED_FUNCTION;
	return true;
}

static bool read_heading(struct cursor in, struct captured_line *out)
{
	static const char *const words[] = { "Stack trace of thread ",
		                             "Call Trace:",
		                             "Call trace:",
		                             "stack backtrace:",
		                             "Stack trace (most recent call ",
		                             "stack trace (most recent call ",
		                             "<TASK>",
		                             "</TASK>",
		                             "<IRQ>",
		                             "</IRQ>",
		                             "<NMI>",
		                             "</NMI>" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const uint8_t *at = cursor_find(&in, words[i]);
		if (!at || (at > in.at && !captured_is_blank(at[-1])))
			continue;
		out->kind = CAPTURED_HEADING;
		out->text = captured_between(at, in.end);
		if (out->text.data[out->text.size - 1] == ':')
			out->text.size--;
		return true;
	}
	return false;
}

/* "Module NAME with build-id ID" of systemd-coredump, in older ones "Found module NAME with build-id: ID". */
static bool read_module_line(struct cursor in, struct captured_line *out)
{
	const uint8_t *at = cursor_find(&in, "Module "), *found = cursor_find(&in, "Found module ");
	const uint8_t *name = found ? found + strlen("Found module ")
	                      : at  ? at + strlen("Module ")
	                            : NULL;
	struct cursor c = { name ? name : in.end, in.end };
	const uint8_t *with = cursor_find_last(&c, " with build-id"),
		      *without = cursor_find_last(&c, " without build-id");

	if (!name || (!with && !without))
		return false;
	const struct cairn_bytes module = { name, (size_t)((with ? with : without) - name) };
	struct cairn_bytes id = { c.end, 0 };
	c.at = with ? with + strlen(" with build-id") : c.end;
	(void)(cursor_word(&c, ": ") || cursor_word(&c, " "));
	if (with)
		id = cursor_id(&c);
	if (module.size == 0 || (with && (id.size == 0 || id.size % 2 != 0)))
		return false;
	*out = (struct captured_line){
		.kind = CAPTURED_MODULE, .text = module, .module = module, .id = id
	};
	return true;
}

static bool read_numbered_anywhere(struct captured_text *text, struct cursor in,
                                   struct captured_frame *frame)
{
	struct cursor c = in;

	for (unsigned i = 0; i < CAPTURED_ANCHORS; i++) {
		const uint8_t *at = memchr(c.at, '#', cursor_left(&c));
		if (!at)
			return false;
		c.at = at;
		if ((at == in.at || captured_is_blank(at[-1])) &&
		    (captured_read_backward(c, frame) || captured_read_numbered(text, c, frame) ||
		     captured_read_android(c, frame)))
			return true;
		c.at++;
	}
	return false;
}

static bool read_trace_anywhere(struct cursor in, struct captured_frame *frame)
{
	struct cursor c = in;

	for (unsigned i = 0; i < CAPTURED_ANCHORS; i++) {
		const uint8_t *plus = cursor_find(&c, "+0x");
		if (!plus)
			return false;
		if (captured_read_trace(in, plus, frame))
			return true;
		c.at = plus + 1;
	}
	return false;
}

static bool read_any_frame(struct captured_text *text, struct cursor in,
                           struct captured_frame *frame)
{
	return read_numbered_anywhere(text, in, frame) || captured_read_boost(in, frame) ||
	       captured_read_hotspot(text, in, frame) || captured_read_python(in, frame) ||
	       captured_read_glibc(in, frame) || captured_read_fault(in, frame) ||
	       read_trace_anywhere(in, frame) || captured_read_perf(text, in, frame) ||
	       captured_read_go(text, in, frame) || captured_read_rust(in, frame) ||
	       captured_read_node(in, frame) || captured_read_valgrind(in, frame) ||
	       captured_read_glog(in, frame);
}

/* A text that a frame does not have is empty, and in its line. */
static void place_empty_texts(struct captured_frame *frame)
{
	struct cairn_bytes *const texts[] = { &frame->module, &frame->id, &frame->function,
		                              &frame->file };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!texts[i]->data)
			*texts[i] = (struct cairn_bytes){ frame->text.data, 0 };
}

enum captured_kind captured_text_line(struct captured_text *text, struct cairn_bytes line,
                                      struct captured_line *out)
{
	const struct cairn_bytes none = { line.data, 0 };
	*out = (struct captured_line){
		.kind = CAPTURED_OTHER, .text = none, .module = none, .id = none
	};
	if (line.size > CAPTURED_LINE_MAX)
		return out->kind;
	struct cursor in = cursor_of(captured_trim(line)), blank = in;
	cursor_blanks(&blank);
	if (blank.at == blank.end) {
		text->go = CAPTURED_GO_NONE;
		text->list = CAPTURED_SANITIZER;
		return out->kind = CAPTURED_BLANK;
	}
	note_head(text, in);
	if (read_module_line(in, out) || read_heading(in, out))
		return out->kind;
	if (captured_read_hotspot_function(text, in, &out->text))
		return out->kind = CAPTURED_FUNCTION;
	if (read_any_frame(text, in, &out->frame)) {
		place_empty_texts(&out->frame);
		text->list = out->frame.source;
		return out->kind = CAPTURED_FRAME;
	}
	text->list = CAPTURED_SANITIZER;
	read_go_line(text, in, out);
	return out->kind;
}

bool captured_returns_read(struct captured_returns *r, struct cairn_bytes *lines,
                           struct cairn_bytes name)
{
	struct captured_line line;

	while (lines->size > 0 && r->count < CAPTURED_RETURNS_MAX) {
		const struct captured_frame *frame = &line.frame;
		if (captured_text_line(&r->text, bytes_take_part(lines, '\n'), &line) !=
		            CAPTURED_FRAME ||
		    !frame->has_address || frame->pc == CAPTURED_PC_EXACT)
			continue;
		r->bare += frame->module.size == 0;
		/* what names no file may be in any, as may the title of a program */
		if (bytes_equal(base_name(frame->module), name)
		            ? frame->origin == CAPTURED_NO_OFFSET
		            : !memchr(frame->module.data, '/', frame->module.size))
			r->address[r->count++] = frame->address + (frame->pc == CAPTURED_PC_CALL);
	}
	/* lines may come one by one: the more there are, the less often all are judged again */
	const bool more = r->count > r->tried + r->tried / 4 ||
	                  (r->count == CAPTURED_RETURNS_MAX && r->tried < CAPTURED_RETURNS_MAX);
	if (more)
		r->tried = r->count;
	return more;
}

bool captured_frame_place(const struct captured_frame *frame, struct cairn_markup_place *place)
{
	static const enum cairn_markup_origin origins[] = {
		[CAPTURED_FROM_ZERO] = CAIRN_MARKUP_FROM_ZERO,
		[CAPTURED_FROM_MODULE] = CAIRN_MARKUP_FROM_MODULE,
		[CAPTURED_FROM_FILE] = CAIRN_MARKUP_FROM_FILE,
		[CAPTURED_FROM_MAPPING] = CAIRN_MARKUP_FROM_MAPPING,
		[CAPTURED_FROM_SYMBOL] = CAIRN_MARKUP_FROM_SYMBOL,
	};

	*place = (struct cairn_markup_place){ .module = frame->module,
		                              .function = frame->function,
		                              .function_size = frame->function_size,
		                              .origin = origins[frame->origin],
		                              .offset = frame->offset,
		                              .build_id = { frame->module.data, 0 } };
	return frame->origin != CAPTURED_NO_OFFSET;
}
