/* SPDX-License-Identifier: MIT */
/* Reads the lines of a text as threads of frames: what is printed for calls that were inlined is no frame. */
#include "captured_stacks.h"

#include "base/array_grow.h"
#include "base/bytes_compare.h"

#include <string.h>

/* Where the reader of lines is. */
struct lines {
	struct captured *captured;
	struct captured_text text;
	struct captured_markup markup;
	struct cairn_bytes title; /* the last line that is no frame */
	bool open;                /* frames of the next lines may belong to the last thread */
	uint64_t last;            /* number of the frame before */
};

static struct cairn_bytes cut_name(struct cairn_bytes text)
{
	while (text.size > 0 && (*text.data == ' ' || *text.data == '\t' || *text.data == '=')) {
		text.data++;
		text.size--;
	}
	while (text.size > 0 && memchr(" \t\r:", text.data[text.size - 1], 4))
		text.size--;
	if (text.size > CAPTURED_NAME_MAX)
		text.size = CAPTURED_NAME_MAX;
	return text;
}

static bool begin_thread(struct lines *l)
{
	struct captured *c = l->captured;

	if (c->thread_count >= CAPTURED_THREADS_MAX)
		return false;
	if (!array_grow(&c->threads, &c->thread_room, c->thread_count + 1, sizeof(*c->threads))) {
		c->scarce = true;
		return false;
	}
	c->threads[c->thread_count++] =
		(struct captured_thread){ .name = cut_name(l->title), .first = c->step_count };
	l->open = true;
	return true;
}

/*
 * Lines with one address are calls that were inlined there, and the function itself, which is the last of them; the same name
 * again is the function again, called by itself.
 */
static void drop_inlined(struct captured *c, struct captured_thread *thread)
{
	size_t out = thread->first, end = thread->first + thread->count;

	for (size_t at = thread->first, next; at < end; at = next) {
		for (next = at + 1; next < end; next++)
			if (!c->steps[at].frame.has_address || !c->steps[next].frame.has_address ||
			    c->steps[next].frame.address != c->steps[at].frame.address)
				break;
		const struct cairn_bytes name = c->steps[next - 1].frame.function;
		for (size_t i = at; i < next; i++)
			if (bytes_equal(c->steps[i].frame.function, name))
				c->steps[out++] = c->steps[i];
	}
	thread->count = out - thread->first;
	c->step_count = out;
}

static void end_thread(struct lines *l)
{
	struct captured *c = l->captured;

	if (!l->open)
		return;
	l->open = false;
	drop_inlined(c, &c->threads[c->thread_count - 1]);
	if (c->threads[c->thread_count - 1].count == 0)
		c->thread_count--;
}

static void take_frame(struct lines *l, const struct captured_frame *frame)
{
	struct captured *c = l->captured;

	if (frame->unreliable)
		return;
	if (frame->numbered && l->open && frame->number <= l->last)
		end_thread(l);
	if (c->step_count >= CAPTURED_FRAMES_MAX || (!l->open && !begin_thread(l))) {
		c->left_out++;
		return;
	}
	l->last = frame->numbered ? frame->number : 0;
	if (!array_grow(&c->steps, &c->step_room, c->step_count + 1, sizeof(*c->steps))) {
		c->scarce = true;
		return;
	}
	c->steps[c->step_count++] = (struct captured_step){ .frame = *frame };
	c->threads[c->thread_count - 1].count++;
}

/* A line that is not a frame ends a stack.  It does not where frames are numbered, or are those of Go: output of others may be between them. */
static void take_other(struct lines *l, struct cairn_bytes line)
{
	const struct captured *c = l->captured;
	const bool numbered =
		l->open && c->step_count > 0 && c->steps[c->step_count - 1].frame.numbered;
	const bool go = l->open && c->step_count > 0 &&
	                c->steps[c->step_count - 1].frame.source == CAPTURED_GO;

	if (!numbered && !go)
		end_thread(l);
	l->title = line;
}

static void take_line(struct lines *l, struct cairn_bytes bytes)
{
	struct captured_line line;
	struct captured_frame frame;

	if (captured_read_markup(&l->markup, bytes, &frame)) {
		take_frame(l, &frame);
		return;
	}
	switch (captured_text_line(&l->text, bytes, &line)) {
	case CAPTURED_FRAME:
		take_frame(l, &line.frame);
		break;
	case CAPTURED_BLANK:
		end_thread(l);
		break;
	case CAPTURED_HEADING:
		end_thread(l);
		l->title = line.text;
		break;
	case CAPTURED_FUNCTION:
		break;
	case CAPTURED_MODULE:
	case CAPTURED_OTHER:
		take_other(l, bytes);
		break;
	}
}

void captured_read_text(struct captured *c)
{
	struct lines l = { .captured = c, .text = captured_text_open() };
	struct cairn_bytes rest = c->options->text;

	l.title = (struct cairn_bytes){ rest.data, 0 };
	while (rest.size > 0 && !c->scarce) {
		const uint8_t *end = memchr(rest.data, '\n', rest.size);
		const size_t size = end ? (size_t)(end - rest.data) : rest.size;
		take_line(&l, (struct cairn_bytes){ rest.data, size });
		rest.data += size + (end != NULL);
		rest.size -= size + (end != NULL);
	}
	end_thread(&l);
}
