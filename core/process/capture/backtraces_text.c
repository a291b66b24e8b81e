/* SPDX-License-Identifier: MIT */
/*
 * Reads frames from a log into threads. Frames in symbolizer markup refer to modules and mappings
 * that the log has defined before. Frames in other lines also determine where stacks begin and end.
 * Lines printed for inlined calls are not counted as frames.
 */
#include "backtraces.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "formats/markup.h"

#include <string.h>

enum {
	MAPPINGS_MAX = 1024,
	NAME_MAX_SIZE = 64,
	PLACE_BLANKS = 8, /* minimum indentation of a frame's source location */
	/*
	 * maximum number of register lines after the location where the kernel stopped; AArch64
	 * prints 40
	 */
	REGISTER_LINES = 64,
};

struct markup_log_module {
	uint64_t id;
	struct cairn_bytes name, digits;
};

struct markup_log_mapping {
	uint64_t start, size, relative;
	size_t module; /* index in markup_log.modules */
};

/* Modules and mappings that the markup in a log has defined so far. Initialize with zeros. */
struct markup_log {
	struct markup_log_module modules[CAPTURED_MODULES_MAX];
	struct markup_log_mapping mappings[MAPPINGS_MAX];
	size_t module_count, mapping_count;
};

static void take_module_element(struct markup_log *m, const struct markup_node *node)
{
	struct markup_module module;
	struct markup_fault fault;

	if (m->module_count < CAPTURED_MODULES_MAX && markup_read_module(node, &module, &fault))
		m->modules[m->module_count++] =
			(struct markup_log_module){ module.id,
			                            module.name,
			                            { module.build_id.data,
			                              module.build_id.size & ~(size_t)1 } };
}

static void take_mapping(struct markup_log *m, const struct markup_node *node)
{
	struct markup_mmap mmap;
	struct markup_fault fault;

	if (m->mapping_count >= MAPPINGS_MAX || !markup_read_mmap(node, &mmap, &fault))
		return;
	for (size_t i = m->module_count; i > 0; i--)
		if (m->modules[i - 1].id == mmap.module) {
			m->mappings[m->mapping_count++] =
				(struct markup_log_mapping){ mmap.start, mmap.size, mmap.relative,
				                             i - 1 };
			return;
		}
}

static void find_mapping_place(const struct markup_log *m, struct captured_frame *frame)
{
	for (size_t i = 0; i < m->mapping_count; i++) {
		const struct markup_log_mapping *mapping = &m->mappings[i];
		if (frame->address - mapping->start >= mapping->size)
			continue;
		frame->module = m->modules[mapping->module].name;
		frame->id = m->modules[mapping->module].digits;
		frame->origin = CAPTURED_FROM_ZERO;
		frame->offset = frame->address - mapping->start + mapping->relative;
		return;
	}
}

static bool take_frame_element(const struct markup_log *m, const struct markup_node *node,
                               struct captured_frame *frame)
{
	struct markup_frame read;
	struct markup_fault fault;

	if (!markup_read_frame(node, &read, &fault))
		return false;
	*frame = captured_bare_frame(node->text.data);
	frame->pc = read.kind == MARKUP_PC_EXACT ? CAPTURED_PC_EXACT : CAPTURED_PC_RETURN;
	frame->text = node->text;
	frame->numbered = true;
	frame->number = read.number;
	frame->address = read.address;
	find_mapping_place(m, frame);
	return true;
}

static bool read_markup(struct markup_log *m, struct cairn_bytes line, struct captured_frame *frame)
{
	struct markup in = markup_open(line, MARKUP_KEEP);
	struct markup_node node;
	bool found = false;

	while (markup_next(&in, &node)) {
		if (node.kind != MARKUP_ELEMENT)
			continue;
		if (node.tag == MARKUP_RESET)
			m->module_count = m->mapping_count = 0;
		else if (node.tag == MARKUP_MODULE)
			take_module_element(m, &node);
		else if (node.tag == MARKUP_MMAP)
			take_mapping(m, &node);
		else if (node.tag == MARKUP_BT && !found)
			found = take_frame_element(m, &node, frame);
	}
	return found;
}

struct lines {
	const struct captured_listener *listener;
	struct captured_text text;
	struct markup_log markup;
	bool open;    /* frames in the next lines may belong to the current stack */
	bool goes_on; /* lines without frames do not end the stack */
	/*
	 * indented lines do not end the stack, because they contain the previous frame's source
	 * location
	 */
	bool has_places;
	enum captured_source source;
	uint64_t number;
	bool is_done;
	/*
	 * The kernel prints the location where it stopped, then the registers, then the trace that
	 * leads to the location. `stop` is a location whose trace has not been read yet;
	 * `last_stop` is the latest location that has been reported.
	 */
	struct captured_frame stop, last_stop;
	bool has_stop, has_last;
	unsigned registers; /* number of register lines that may still be skipped */
};

static void end_open_stack(struct lines *l)
{
	if (l->open)
		l->listener->end(l->listener->context);
	l->open = false;
}

static bool is_same_location(const struct captured_frame *a, const struct captured_frame *b)
{
	return a->offset == b->offset && a->function_size == b->function_size &&
	       bytes_equal(a->function, b->function);
}

/*
 * Report the location where the kernel stopped as the innermost frame of a stack. The kernel
 * repeats the location at the end of a report, without a trace; skip it then.
 */
static void give_stop(struct lines *l, bool has_trace)
{
	const bool again = l->has_last && is_same_location(&l->stop, &l->last_stop);

	if (!l->has_stop)
		return;
	l->has_stop = false;
	if (again && !has_trace)
		return;
	l->open = true;
	l->has_last = true;
	l->last_stop = l->stop;
	l->is_done = !l->listener->frame(l->listener->context, &l->stop);
	if (!has_trace)
		end_open_stack(l);
}

/*
 * Process a kernel frame other than an ordinary frame of a trace. Return false for ordinary frames.
 */
static bool take_kernel_frame(struct lines *l, const struct captured_frame *frame)
{
	const bool exact = frame->pc == CAPTURED_PC_EXACT;

	if (frame->source != CAPTURED_KERNEL_TRACE) {
		give_stop(l, false);
		return false;
	}
	/* within a trace, an exact pc belongs to interrupted code */
	l->registers = exact ? REGISTER_LINES : 0;
	if (exact && !l->open) {
		if (!l->has_stop || !is_same_location(&l->stop, frame))
			give_stop(l, false);
		l->stop = *frame;
		return l->has_stop = true;
	}
	if (!l->has_stop)
		return false;
	/* on AArch64, the trace repeats the location as its first frame */
	const bool again = is_same_location(&l->stop, frame);
	give_stop(l, true);
	return again;
}

static void give_frame(struct lines *l, const struct captured_frame *frame)
{
	/* glog prints the pc at a signal on a separate line before the stack */
	const bool alone = frame->source == CAPTURED_GLOG && frame->pc == CAPTURED_PC_EXACT;

	if (frame->unreliable || frame->mentioned || take_kernel_frame(l, frame) || l->is_done)
		return;
	if (alone ||
	    (frame->numbered && l->open &&
	     (frame->source == CAPTURED_BACKWARD ? frame->number == l->number
	                                         : frame->number <= l->number)) ||
	    (l->source == CAPTURED_SWIFT) != (frame->source == CAPTURED_SWIFT))
		end_open_stack(l);
	l->open = true;
	l->source = frame->source;
	l->goes_on = frame->numbered || frame->source == CAPTURED_GO;
	l->has_places = frame->source == CAPTURED_GLOG;
	l->number = frame->numbered ? frame->number : 0;
	l->is_done = !l->listener->frame(l->listener->context, frame);
	if (alone)
		end_open_stack(l);
}

/*
 * Return true for a line with the source location of the previous frame, which folly prints with a
 * large indentation.
 */
static bool is_place_line(struct cairn_bytes bytes)
{
	size_t blanks = 0;

	while (blanks < bytes.size && bytes.data[blanks] == ' ')
		blanks++;
	return blanks >= PLACE_BLANKS;
}

/*
 * Process a line that is not a frame. Such a line ends the stack, unless frames are numbered or
 * were printed by Go, because then lines of other threads may be interspersed.
 */
static void give_other_line(struct lines *l, const struct captured_line *line,
                            struct cairn_bytes bytes)
{
	if (l->open && l->has_places && line->kind == CAPTURED_OTHER && is_place_line(bytes))
		return;
	if (line->kind == CAPTURED_OTHER && l->registers > 0) {
		l->registers--;
		if (l->open || l->has_stop)
			return;
	}
	if (l->registers == 0 || line->kind == CAPTURED_BLANK)
		give_stop(l, false);
	/*
	 * Swift prints source lines between blank lines after a frame, so blank lines do not end
	 * its stacks
	 */
	if ((line->kind == CAPTURED_BLANK && l->source != CAPTURED_SWIFT) || !l->goes_on ||
	    line->kind == CAPTURED_HEADING || line->kind == CAPTURED_REPORT ||
	    line->kind == CAPTURED_REPORT_END)
		end_open_stack(l);
	l->listener->line(l->listener->context, line, bytes);
}

static void read_captured_line(struct lines *l, struct cairn_bytes bytes)
{
	struct captured_line line;
	struct captured_frame frame;

	if (read_markup(&l->markup, bytes, &frame)) {
		give_frame(l, &frame);
		return;
	}
	line.kind = captured_text_line(&l->text, bytes, &line);
	if (line.kind == CAPTURED_FRAME)
		give_frame(l, &line.frame);
	else if (line.kind != CAPTURED_FUNCTION)
		give_other_line(l, &line, bytes);
}

void captured_read_lines(struct cairn_bytes text, const struct captured_listener *listener)
{
	struct lines l = { .listener = listener, .text = captured_text_open() };

	while (text.size > 0 && !l.is_done)
		read_captured_line(&l, bytes_take_part(&text, '\n'));
	give_stop(&l, false);
	end_open_stack(&l);
}

void captured_order_steps(struct captured_step *steps, size_t count)
{
	if (count < 2 || steps[0].frame.source != CAPTURED_BACKWARD ||
	    steps[0].frame.number < steps[1].frame.number)
		return;
	for (size_t i = 0; i < count / 2; i++) {
		const struct captured_step step = steps[i];
		steps[i] = steps[count - 1 - i];
		steps[count - 1 - i] = step;
	}
}

size_t captured_end_of_place(const struct captured_step *steps, size_t at, size_t end)
{
	size_t next = at + 1;

	while (next < end && steps[at].frame.has_address && steps[next].frame.has_address &&
	       steps[next].frame.address == steps[at].frame.address)
		next++;
	return next;
}

bool captured_is_inlined(const struct captured_step *step, const struct captured_step *last)
{
	return !bytes_equal(step->frame.function, last->frame.function);
}

struct threads {
	struct captured *captured;
	struct cairn_bytes title;
	bool crashed; /* the last heading belongs to a crashed thread */
	bool open;
};

static bool begin_thread(struct threads *t)
{
	struct captured *c = t->captured;
	struct cairn_bytes name = bytes_trim(t->title, " \t=", " \t\r:");

	if (c->thread_count >= CAPTURED_THREADS_MAX)
		return false;
	if (name.size > NAME_MAX_SIZE)
		name.size = NAME_MAX_SIZE;
	t->open = ARRAY_APPEND(c->threads, c->thread_count, c->thread_capacity,
	                       (struct captured_thread){ .name = name,
	                                                 .crashed = t->crashed,
	                                                 .report = c->report,
	                                                 .first = c->step_count });
	c->scarce = c->scarce || !t->open;
	return t->open;
}

static void drop_inlined(struct captured *c, struct captured_thread *thread)
{
	size_t out = thread->first, end = thread->first + thread->count;

	for (size_t at = thread->first, next; at < end; at = next) {
		next = captured_end_of_place(c->steps, at, end);
		const struct captured_step last = c->steps[next - 1];
		for (size_t i = at; i < next; i++)
			if (!captured_is_inlined(&c->steps[i], &last))
				c->steps[out++] = c->steps[i];
	}
	thread->count = out - thread->first;
	c->step_count = out;
}

static bool has_address(const struct captured *c, const struct captured_thread *thread,
                        uint64_t address)
{
	for (size_t i = 0; i < thread->count; i++)
		if (c->steps[thread->first + i].frame.address == address)
			return true;
	return false;
}

/*
 * Drop a thread that consists only of the pc at a signal. glog prints this pc, or 0 if it is
 * unknown, on a separate line before the stack that contains it.
 */
static void drop_told_pc(struct captured *c)
{
	struct captured_thread *last = &c->threads[c->thread_count - 1], *before = last - 1;

	if (c->thread_count < 2 || before->count != 1)
		return;
	const struct captured_frame *told = &c->steps[before->first].frame;
	if (told->source != CAPTURED_GLOG || told->pc != CAPTURED_PC_EXACT ||
	    c->steps[last->first].frame.source != CAPTURED_GLOG ||
	    (told->address != 0 && !has_address(c, last, told->address)))
		return;
	*before = *last;
	c->thread_count--;
}

static void end_thread(void *context)
{
	struct threads *t = context;
	struct captured *c = t->captured;

	if (!t->open)
		return;
	t->open = false;
	captured_order_steps(&c->steps[c->threads[c->thread_count - 1].first],
	                     c->threads[c->thread_count - 1].count);
	drop_inlined(c, &c->threads[c->thread_count - 1]);
	if (c->threads[c->thread_count - 1].count == 0)
		c->thread_count--;
	else
		drop_told_pc(c);
}

static bool take_frame(void *context, const struct captured_frame *frame)
{
	struct threads *t = context;
	struct captured *c = t->captured;

	if (c->step_count >= CAPTURED_FRAMES_MAX || (!t->open && !begin_thread(t))) {
		c->left_out++;
		return !c->scarce;
	}
	captured_add_steps(c, &c->threads[c->thread_count - 1], frame, 1);
	return !c->scarce;
}

static void take_other_line(void *context, const struct captured_line *line,
                            struct cairn_bytes bytes)
{
	struct threads *t = context;
	const struct captured_image image = {
		.base = line->pcs.low, .end = line->pcs.high, .path = line->module, .id = line->id
	};

	if (line->kind == CAPTURED_IMAGE)
		captured_add_image(t->captured, &image);
	else if (line->kind == CAPTURED_REPORT || line->kind == CAPTURED_REPORT_END)
		captured_end_report(t->captured);
	else if (line->kind != CAPTURED_BLANK)
		t->title = line->kind == CAPTURED_HEADING ? line->text : bytes;
	t->crashed = line->kind == CAPTURED_HEADING ? line->crashed : t->crashed && !t->open;
}

void captured_read_text(struct captured *c)
{
	struct threads t = { .captured = c, .title = { c->options->text.data, 0 } };
	const struct captured_listener listener = { &t, take_frame, end_thread, take_other_line };

	captured_read_lines(c->options->text, &listener);
	captured_end_report(c);
}
