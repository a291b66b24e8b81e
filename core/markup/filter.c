/* SPDX-License-Identifier: MIT */
/*
 * Splits the chunks of a log into lines. Most of a log has no markup. Chunks without markup are
 * copied as a whole, without parsing their lines, unless an earlier line is incomplete.
 *
 * Each token of a line is resolved, reported and rendered. Facts are reported to an observer, and
 * problems to the host. Text without markup is copied unchanged, except that names are added to
 * backtrace frames.
 */
#include "filter.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "base/sized.h"

#include <stdlib.h>
#include <string.h>

static uint64_t column_of(const struct markup_position *position, const uint8_t *where)
{
	const struct cairn_bytes *line = &position->line;
	bool inside = where >= line->data && where <= line->data + line->size;

	return position->offset + (inside ? (uint64_t)(where - line->data) : 0) + 1;
}

static void markup_report_problem(const struct markup_reporter *reporter,
                                  const struct markup_fault *problem)
{
	const struct cairn_markup_host *host = reporter->host;
	const struct markup_position *position = &reporter->position;

	if (host->complain)
		host->complain(host->context, position->lines + 1,
		               column_of(position, problem->where), problem->what, problem->found);
}

void markup_report_facts(const struct markup_reporter *reporter, struct markup_facts *facts)
{
	if (facts->problem.what)
		markup_report_problem(reporter, &facts->problem);
	if (!reporter->observer.take)
		return;
	facts->line = reporter->position.lines + 1;
	facts->column = column_of(&reporter->position, facts->text.data);
	reporter->observer.take(reporter->observer.context, facts);
}

static void copy_frame_to_fact(const struct markup_facts *facts, struct cairn_markup_fact *fact)
{
	static const char *const kinds[] = {
		[MARKUP_PC_UNSPECIFIED] = "unknown",
		[MARKUP_PC_RETURN] = "ra",
		[MARKUP_PC_EXACT] = "pc",
	};

	fact->number = facts->frame.number;
	fact->address = facts->frame.address;
	fact->lookup = facts->place.pc;
	fact->message = facts->frame.message;
	if (facts->kind != EVENT_DATA)
		fact->pc = kinds[facts->frame.kind];
}

static void copy_mapping_to_fact(const struct context_mapping *mapping,
                                 struct cairn_markup_fact *fact)
{
	fact->start = mapping->start;
	fact->size = mapping->size;
	fact->va = mapping->relative;
	fact->read = mapping->mode & MARKUP_READ;
	fact->write = mapping->mode & MARKUP_WRITE;
	fact->execute = mapping->mode & MARKUP_EXECUTE;
}

static size_t copy_known_locations(const struct cached_answer *known,
                                   struct cairn_location *locations)
{
	static const struct cairn_bytes none = { (const uint8_t *)"", 0 };
	size_t count = known->count < MARKUP_LOCATIONS ? known->count : MARKUP_LOCATIONS;

	for (size_t i = 0; i < count; i++) {
		const struct cached_frame *f = &known->frame[i];
		locations[i] = (struct cairn_location){ .function = f->function,
			                                .directory = none,
			                                .file = f->file,
			                                .line = f->line,
			                                .column = f->column,
			                                .inlined = f->inlined };
	}
	return count;
}

static enum cairn_markup_kind kind_of(enum markup_event_kind kind)
{
	static const enum cairn_markup_kind kinds[] = {
		[EVENT_TEXT] = CAIRN_MARKUP_TEXT,       [EVENT_COLOUR] = CAIRN_MARKUP_COLOUR,
		[EVENT_SYMBOL] = CAIRN_MARKUP_SYMBOL,   [EVENT_PC] = CAIRN_MARKUP_PC,
		[EVENT_DATA] = CAIRN_MARKUP_DATA,       [EVENT_BT] = CAIRN_MARKUP_BT,
		[EVENT_VALUE] = CAIRN_MARKUP_VALUE,     [EVENT_DUMPFILE] = CAIRN_MARKUP_DUMPFILE,
		[EVENT_RESET] = CAIRN_MARKUP_RESET,     [EVENT_MODULE] = CAIRN_MARKUP_MODULE,
		[EVENT_MMAP] = CAIRN_MARKUP_MMAP,       [EVENT_UNKNOWN] = CAIRN_MARKUP_UNKNOWN,
		[EVENT_INVALID] = CAIRN_MARKUP_INVALID, [EVENT_REPORT] = CAIRN_MARKUP_REPORT,
	};

	return kinds[kind];
}

static void report_fact_to_host(void *context, const struct markup_facts *facts)
{
	struct cairn_markup *m = context;
	struct cairn_location locations[MARKUP_LOCATIONS];
	struct cairn_markup_fact fact = { .line = facts->line,
		                          .column = facts->column,
		                          .text = facts->text,
		                          .error = facts->kind == EVENT_INVALID
		                                           ? facts->problem.what
		                                           : NULL,
		                          .va = facts->place.relative,
		                          .address = facts->value,
		                          .lookup = facts->value,
		                          .message = { facts->text.data, 0 },
		                          .name = { facts->text.data, 0 },
		                          .offset = facts->offset };

	if (facts->kind == EVENT_LINE_END)
		return;
	fact.kind = kind_of(facts->kind);
	if (facts->place.module)
		fact.module = &facts->place.module->told;
	if (facts->context.module && facts->kind != EVENT_INVALID)
		fact.module = &facts->context.module->told;
	if (facts->name.size)
		fact.name = facts->name;
	if (markup_facts_have_frame(facts))
		copy_frame_to_fact(facts, &fact);
	if (facts->mapping && facts->kind == EVENT_MMAP)
		copy_mapping_to_fact(facts->mapping, &fact);
	if (facts->known) {
		fact.count = copy_known_locations(facts->known, locations);
		fact.locations = locations;
	}
	m->host.tell(m->host.context, &fact);
}

void markup_observe(struct cairn_markup *m, const struct markup_observer *observer)
{
	m->reporter.observer = *observer;
	m->renderer.out.mute = observer->instead;
}

static void markup_observe_for_host(struct cairn_markup *m)
{
	const struct markup_observer observer = { m, true, true, report_fact_to_host, NULL };

	if (m->host.tell)
		markup_observe(m, &observer);
}

static void markup_process_text(struct cairn_markup *m, struct cairn_bytes text)
{
	markup_report_text(&m->reporter, EVENT_TEXT, text);
	markup_out_text(&m->renderer.out, text);
}

/* Return true if the program that wrote the log has already symbolized the frame. */
static bool is_named(const struct captured_frame *frame)
{
	return frame->line > 0 ||
	       ((frame->source == CAPTURED_RUST || frame->source == CAPTURED_SWIFT) &&
	        frame->function.size > 0);
}

static void process_around(struct cairn_markup *m, const uint8_t *from, const uint8_t *to)
{
	if (to > from)
		markup_process_text(m, (struct cairn_bytes){ from, (size_t)(to - from) });
}

/*
 * Process a frame whose name is already in the log. If Swift printed the name mangled, replace it
 * with the demangled name in `text`; otherwise copy `raw`.
 */
static void process_named(struct cairn_markup *m, struct cairn_bytes text, struct cairn_bytes raw,
                          const struct captured_frame *frame)
{
	const struct cairn_bytes name = frame->function;
	const bool may_be_mangled = frame->source == CAPTURED_SWIFT && name.size > 2 &&
	                            memchr("$_@", name.data[0], 3) && m->host.readable;
	const struct cairn_bytes readable =
		may_be_mangled ? m->host.readable(m->host.context, name) : name;

	if (!may_be_mangled || readable.size == 0 || bytes_equal(readable, name)) {
		markup_process_text(m, raw);
		return;
	}
	process_around(m, text.data, name.data);
	markup_process_text(m, readable);
	process_around(m, name.data + name.size, text.data + text.size);
}

/*
 * Process the text of a complete line, which may contain a frame without markup. `line` is the
 * parsed text, and `raw` is the text with color sequences.
 */
static void process_captured(struct cairn_markup *m, struct cairn_bytes text,
                             struct cairn_bytes raw, struct captured_line *line)
{
	struct captured_frame *frame = &line->frame;

	if (line->kind == CAPTURED_MODULE)
		markup_named_modules_note(&m->resolver.named, line->module, line->id);
	if (line->kind != CAPTURED_FRAME) {
		markup_process_text(m, raw);
	} else if (is_named(frame)) {
		process_named(m, text, raw, frame);
	} else {
		const uint8_t *end = frame->text.data + frame->text.size;
		struct markup_facts facts;
		/*
		 * find the image that contains the frame, in the list of images at the end of the
		 * Swift report
		 */
		for (size_t i = 0;
		     frame->source == CAPTURED_SWIFT && frame->has_address && i < m->held.images;
		     i++) {
			const struct markup_held_image *image = &m->held.image[i];
			if (captured_frame_is_in(frame, image->pcs.low, image->pcs.high)) {
				captured_frame_assign(frame, image->pcs.low, image->path,
				                      image->id);
				break;
			}
		}
		markup_resolve_report(&m->resolver, frame, &facts);
		if (raw.data != text.data && (!facts.place.module || facts.known->count == 0)) {
			markup_process_text(m, raw);
			return;
		}
		process_around(m, text.data, frame->text.data);
		if (facts.place.module) {
			markup_report_facts(&m->reporter, &facts);
			markup_render_element(&m->renderer, &facts);
		} else {
			markup_process_text(m, frame->text);
		}
		process_around(m, end, text.data + text.size);
	}
}

static void markup_process_report(struct cairn_markup *m, struct cairn_bytes text)
{
	struct captured_line line;

	captured_text_line(&m->captured, text, &line);
	process_captured(m, text, text, &line);
}

/*
 * Process a line of a Swift report that contains a frame interrupted by color sequences. The frame
 * loses its colors if a name is added to it. Return false for any other line.
 */
static bool process_colored_report(struct cairn_markup *m, struct cairn_bytes text)
{
	uint8_t plain[CAPTURED_LINE_MAX];
	struct captured_text state = m->captured;
	struct captured_line line;

	if (!m->entire || !markup_reads_reports(m) || text.size > sizeof(plain) ||
	    !captured_is_colored(text))
		return false;
	const struct cairn_bytes copy = { plain, captured_strip_colors(text, plain) };
	if (captured_text_line(&state, copy, &line) != CAPTURED_FRAME ||
	    line.frame.source != CAPTURED_SWIFT)
		return false;
	m->captured = state;
	process_captured(m, copy, text, &line);
	return true;
}

/*
 * Maximum number of bytes in a prefix. Longer prefixes are not repeated, because a line may contain
 * many frames.
 */
enum { PREFIX_MAX = 1024 };

/* Return the number of nodes before the line's first element, or 0 if the prefix is too long. */
static size_t count_prefix_nodes(const struct cairn_markup *m)
{
	size_t size = 0, at = 0;

	while (at < m->nodes && at < MARKUP_NODES && m->node[at].kind != MARKUP_ELEMENT)
		size += m->node[at++].text.size;
	return at < m->nodes && at < MARKUP_NODES && size <= PREFIX_MAX ? at : 0;
}

static void add_prefix(const struct cairn_markup *m, struct markup_facts *facts)
{
	bool wanted = m->options.repeat_prefix || m->options.style == CAIRN_MARKUP_FUCHSIA;

	if (!wanted || m->continued || markup_is_llvm(m))
		return;
	facts->prefix = m->node;
	facts->prefix_nodes = count_prefix_nodes(m);
}

static bool is_dump(const struct markup_node *node)
{
	return node->kind == MARKUP_OPEN ||
	       (node->kind == MARKUP_ELEMENT && node->tag == MARKUP_HEXDICT);
}

static void process_known_tag(struct cairn_markup *m, const struct markup_node *node)
{
	struct markup_facts facts;

	markup_resolve_element(&m->resolver, node, &facts);
	if (facts.kind == EVENT_BT && facts.known && facts.known->count > 1)
		add_prefix(m, &facts);
	markup_report_facts(&m->reporter, &facts);
	markup_render_element(&m->renderer, &facts);
	if (is_dump(node) && !markup_is_llvm(m))
		markup_dump_begin(&m->resolver, &m->dump, node);
}

static void markup_process_element(struct cairn_markup *m, const struct markup_node *node)
{
	if (node->kind == MARKUP_TEXT && m->entire && markup_reads_reports(m))
		markup_process_report(m, node->text);
	else if (node->kind == MARKUP_TEXT)
		markup_process_text(m, node->text);
	else if (node->kind == MARKUP_BAD_TAG)
		markup_report_problem(&m->reporter,
		                      &(struct markup_fault){ "tags have lower-case letters only",
		                                              node->name, node->name.data });
	else
		process_known_tag(m, node);
}

/* Apply and report a module, mmap or reset element, but do not render it. */
static struct context_action markup_process_context(struct cairn_markup *m,
                                                    const struct markup_node *node)
{
	struct markup_facts facts;

	markup_resolve_context(&m->resolver, node, &facts);
	markup_report_facts(&m->reporter, &facts);
	return facts.context;
}

static void markup_process_notes(struct cairn_markup *m)
{
	struct cairn_bytes line = m->reporter.position.line;
	const struct markup_fault too_many = { "not all values of this dump are explained",
		                               { line.data, 0 },
		                               line.data };
	struct markup_facts facts;

	for (size_t i = 0; i < m->dump.notes; i++) {
		markup_resolve_note(&m->resolver, &m->dump.note[i], &facts);
		markup_report_facts(&m->reporter, &facts);
		markup_render_note(&m->renderer, &facts);
	}
	m->dump.notes = 0;
	if (m->dump.too_many_notes)
		markup_report_problem(&m->reporter, &too_many);
	m->dump.too_many_notes = false;
}

/*
 * Processes a line, or a part of a line: first its elements that define modules, mappings and
 * resets, which may replace the whole line, then all its tokens in order.
 *
 * A line that consists of such elements (a "pure" line, perhaps after a prefix such as a time) is
 * replaced by a line that describes its module. Mappings in the lines after it are added to that
 * line:
 *
 *	[[[ELF module #0x0 "prog"; BuildID=58d7 [0x1000-0x1fff](rx),[0x2000-0x2fff](rw)]]]
 *
 * On any other line, each such element is replaced where it stands. llvm-symbolizer drops the rest
 * of a line after its first contextual element.
 */

/*
 * Hash a prefix such that prefixes which differ only in numbers and surrounding white space have
 * equal hashes.
 */
static uint64_t prefix_hash(struct cairn_bytes prefix)
{
	uint64_t hash = 0xcbf29ce484222325;
	bool digits = false;

	while (prefix.size > 0 && markup_is_space(prefix.data[prefix.size - 1]))
		prefix.size--;
	while (prefix.size > 0 && markup_is_space(prefix.data[0])) {
		prefix.data++;
		prefix.size--;
	}
	for (size_t i = 0; i < prefix.size; i++) {
		bool digit = prefix.data[i] >= '0' && prefix.data[i] <= '9';
		if (!digit || !digits)
			hash = (hash ^ (digit ? '#' : prefix.data[i])) * 0x100000001b3;
		digits = digit;
	}
	return hash;
}

static bool is_blank_text(struct cairn_bytes text)
{
	for (size_t i = 0; i < text.size; i++)
		if (!markup_is_space(text.data[i]))
			return false;
	return true;
}

static void process_beginning(struct cairn_markup *m)
{
	struct markup in = markup_open(m->reporter.position.line, markup_rules_of(m));
	struct markup_node node;

	while (markup_next(&in, &node) && !markup_is_context(&node))
		markup_process_element(m, &node);
}

static void show_reset(struct cairn_markup *m, const struct markup_node *node)
{
	module_line_end(&m->renderer);
	process_beginning(m);
	markup_render_raw(&m->renderer.out, node);
	markup_render_line_end(&m->renderer);
}

/*
 * Show a contextual element of a pure line: on a new line, or appended to the open line of its
 * module.
 */
static void show_alone(struct cairn_markup *m, const struct markup_node *node,
                       const struct context_action *action, uint64_t prefix)
{
	if (action->outcome != CONTEXT_NEW)
		return;
	if (action->tag == MARKUP_RESET) {
		show_reset(m, node);
		return;
	}
	bool is_mapping = action->tag == MARKUP_MMAP;
	if (!is_mapping || !module_line_may_join(&m->renderer, action, prefix)) {
		module_line_end(&m->renderer);
		process_beginning(m);
		module_line_begin(&m->renderer, action, prefix);
	}
	if (is_mapping && !module_line_add_range(&m->renderer, &action->range))
		m->no_memory = true;
}

static void show_in_place(struct cairn_markup *m, const struct markup_node *node,
                          const struct context_action *action)
{
	if (action->outcome == CONTEXT_REJECTED)
		markup_out_text(&m->renderer.out, node->text);
	else if (action->outcome == CONTEXT_NEW && action->tag == MARKUP_RESET)
		markup_render_raw(&m->renderer.out, node);
	else if (action->outcome == CONTEXT_NEW)
		module_line_render_in_place(&m->renderer.out, action);
}

struct shape {
	size_t contextual;
	bool mixed;    /* the line contains more than a prefix and contextual elements */
	size_t prefix; /* offset of the first contextual element */
};

static struct shape shape_of(struct cairn_markup *m)
{
	struct markup in = markup_open(m->reporter.position.line, MARKUP_KEEP);
	struct shape shape = { .mixed = m->continued };
	struct markup_node node;

	for (m->nodes = 0; markup_next(&in, &node); m->nodes++) {
		if (m->nodes < MARKUP_NODES)
			m->node[m->nodes] = node;
		if (markup_is_context(&node)) {
			if (shape.contextual++ == 0)
				shape.prefix =
					(size_t)(node.text.data - m->reporter.position.line.data);
		} else if (node.kind == MARKUP_ELEMENT || node.kind == MARKUP_OPEN) {
			shape.mixed = true;
		} else if (node.kind == MARKUP_TEXT && shape.contextual > 0) {
			shape.mixed = shape.mixed || !is_blank_text(node.text);
		}
	}
	return shape;
}

static bool apply_all(struct cairn_markup *m)
{
	struct markup in = markup_open(m->reporter.position.line, MARKUP_KEEP);
	struct markup_node node;
	bool good = true;

	m->actions = 0;
	while (markup_next(&in, &node)) {
		if (!markup_is_context(&node))
			continue;
		if (!array_grow(&m->action, &m->action_capacity, m->actions + 1,
		                sizeof(*m->action))) {
			m->no_memory = true;
			return false;
		}
		m->action[m->actions] = markup_process_context(m, &node);
		good = good && m->action[m->actions++].outcome != CONTEXT_REJECTED;
	}
	return good;
}

/*
 * Show a node. If `applied` is set, apply_all() has applied the contextual elements, and
 * m->action[*at] belongs to the next one. Otherwise, apply the node now if it is contextual.
 */
static void show_node(struct cairn_markup *m, const struct markup_node *node, bool applied,
                      size_t *at)
{
	struct context_action action;

	if (!markup_is_context(node)) {
		markup_process_element(m, node);
		return;
	}
	if (applied && *at < m->actions)
		action = m->action[(*at)++];
	else
		action = markup_process_context(m, node);
	show_in_place(m, node, &action);
}

/*
 * Show every node of a mixed line in file order. Parse the line again if the scan could not store
 * all of its nodes.
 */
static void show_mixed(struct cairn_markup *m, bool applied)
{
	struct markup_node node;
	size_t at = 0;

	if (m->nodes <= MARKUP_NODES) {
		for (size_t i = 0; i < m->nodes; i++)
			show_node(m, &m->node[i], applied, &at);
		return;
	}
	struct markup in = markup_open(m->reporter.position.line, MARKUP_KEEP);
	while (markup_next(&in, &node))
		show_node(m, &node, applied, &at);
}

/*
 * Return true if there is visible text before the first contextual element. Color sequences are
 * invisible.
 */
static bool has_visible_prefix(const struct cairn_markup *m)
{
	struct markup in = markup_open(m->reporter.position.line, MARKUP_KEEP);
	struct markup_node node;

	while (markup_next(&in, &node) && !markup_is_context(&node))
		if (node.kind == MARKUP_TEXT && !is_blank_text(node.text))
			return true;
	return false;
}

static void show_pure(struct cairn_markup *m, size_t prefix_size)
{
	struct markup in = markup_open(m->reporter.position.line, MARKUP_KEEP);
	struct cairn_bytes prefix = { m->reporter.position.line.data, prefix_size };
	uint64_t hash = prefix_hash(prefix);
	struct markup_node node;
	bool silent = true;
	size_t at = 0;

	while (markup_next(&in, &node) && at < m->actions) {
		if (!markup_is_context(&node))
			continue;
		silent = silent && m->action[at].outcome == CONTEXT_KNOWN;
		show_alone(m, &node, &m->action[at++], hash);
	}
	/*
	 * If a line only repeats known context, print its prefix, unless the previous line had the
	 * same prefix.
	 */
	if (silent && hash != m->last_prefix && has_visible_prefix(m)) {
		module_line_end(&m->renderer);
		process_beginning(m);
		markup_render_line_end(&m->renderer);
	}
	m->last_prefix = hash;
}

/*
 * Process a line like llvm-symbolizer: its first contextual element replaces the rest of the line.
 */
static void follow_llvm(struct cairn_markup *m, bool is_whole)
{
	struct markup in = markup_open(m->reporter.position.line, MARKUP_LLVM);
	struct context_action action;
	struct markup_node node;

	while (markup_next(&in, &node)) {
		if (!markup_is_context(&node))
			continue;
		if (node.tag != MARKUP_RESET) {
			action = markup_process_context(m, &node);
			show_alone(m, &node, &action, 0);
		} else if (!markup_context_is_empty(&m->resolver.own)) {
			/*
			 * show the text before the reset first, because its addresses belong to
			 * modules that the reset removes
			 */
			action = (struct context_action){
				MARKUP_RESET, CONTEXT_NEW, NULL, { 0, 0, 0 }
			};
			show_alone(m, &node, &action, 0);
			markup_process_context(m, &node);
		}
		m->skip = true;
		return;
	}
	module_line_end(&m->renderer);
	in = markup_open(m->reporter.position.line, MARKUP_LLVM);
	while (markup_next(&in, &node))
		markup_process_element(m, &node);
	if (is_whole)
		markup_out_string(&m->renderer.out, "\n");
}

static void markup_process_line(struct cairn_markup *m, bool is_whole)
{
	if (markup_is_llvm(m)) {
		follow_llvm(m, is_whole);
		return;
	}
	struct shape shape = shape_of(m);
	if (shape.contextual == 0 && !shape.mixed &&
	    process_colored_report(m, m->reporter.position.line)) {
		markup_out_string(&m->renderer.out, "\n");
		return;
	}
	/* treat the line as mixed for an observer, which must receive all facts in file order */
	bool mixed = shape.mixed || !is_whole || m->reporter.observer.every_text;
	if (shape.contextual > 0 && !mixed && apply_all(m)) {
		show_pure(m, shape.prefix);
		return;
	}
	module_line_end(&m->renderer);
	show_mixed(m, shape.contextual > 0 && !mixed);
	if (is_whole)
		markup_out_string(&m->renderer.out, "\n");
}

enum { FIRST_CARRY = 1 << 12, BLOCK = 64, BRACES = 3 };

struct cairn_markup *cairn_markup_new(const struct cairn_markup_options *options,
                                      const struct cairn_markup_host *host)
{
	struct cairn_markup *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	sized_take(&m->options, sizeof(m->options), options);
	sized_take(&m->host, sizeof(m->host), host);
	m->resolver.options = m->renderer.options = &m->options;
	m->resolver.host = m->reporter.host = &m->host;
	m->resolver.own.rules = m->resolver.lent.rules = markup_rules_of(m);
	/*
	 * start the serial numbers of the three contexts far apart, because the cache identifies a
	 * module by its serial number
	 */
	m->resolver.lent.serial = UINT64_MAX / 2;
	m->resolver.named.context.serial = UINT64_MAX / 4 * 3;
	m->captured = captured_text_open();
	m->renderer.out.write = host->write;
	m->renderer.out.context = host->context;
	m->renderer.out.coloured = options->colour;
	m->renderer.out.raw = options->style == CAIRN_MARKUP_LLVM;
	markup_observe_for_host(m);
	return m;
}

void cairn_markup_free(struct cairn_markup *m)
{
	if (!m)
		return;
	markup_resolver_finish(&m->resolver);
	free(m->renderer.info.range);
	free(m->dump.note);
	free(m->held.image);
	free(m->held.bytes);
	free(m->action);
	free(m->carry);
	free(m);
}

enum cairn_status cairn_markup_add_host_module(struct cairn_markup *m,
                                               const struct cairn_markup_module *module,
                                               const struct cairn_range *pcs, uint64_t va)
{
	const bool good = resolver_add_host_module(&m->resolver, module, pcs, va,
	                                           MARKUP_READ | MARKUP_EXECUTE);

	return good ? CAIRN_OK : CAIRN_MALFORMED;
}

uint64_t cairn_markup_line(const struct cairn_markup *m)
{
	return m->reporter.position.lines + 1;
}

static bool is_out_of_memory(const struct cairn_markup *m)
{
	return m->no_memory || m->resolver.no_memory || m->resolver.own.no_memory ||
	       m->resolver.named.context.no_memory;
}

static void process_rest_of_line(struct cairn_markup *m, size_t from, bool is_whole)
{
	struct cairn_bytes line = m->reporter.position.line;

	m->reporter.position.line = (struct cairn_bytes){ line.data + from, line.size - from };
	m->reporter.position.offset += from;
	m->continued = m->continued || from > 0;
	markup_process_line(m, is_whole);
}

static void process_line_part(struct cairn_markup *m, bool is_whole)
{
	const struct cairn_bytes line = m->reporter.position.line;
	size_t inside = 0;

	if (m->dump.open)
		inside = markup_dump_continue(&m->resolver, &m->dump, line);
	if (inside > 0)
		markup_process_text(m, (struct cairn_bytes){ line.data, inside });
	if (m->dump.open && is_whole)
		markup_out_string(&m->renderer.out, "\n");
	m->entire = is_whole && !m->continued && inside == 0;
	if (!m->dump.open && !m->skip)
		process_rest_of_line(m, inside, is_whole);
}

static void end_whole_line(struct cairn_markup *m)
{
	struct markup_position *position = &m->reporter.position;

	if (!m->dump.open && m->dump.notes > 0)
		markup_process_notes(m);
	markup_report_text(&m->reporter, EVENT_LINE_END, position->line);
	if (m->dump.notes == 0) {
		markup_context_sweep(&m->resolver.own);
		markup_context_sweep(&m->resolver.named.context);
	}
	position->lines++;
	position->offset = 0;
	m->continued = m->skip = false;
	if (m->options.end_lines)
		markup_out_flush(&m->renderer.out);
}

static void process_whole_line(struct cairn_markup *m, const uint8_t *line, size_t size)
{
	m->reporter.position.line = (struct cairn_bytes){ line, size };
	m->renderer.carriage_return = size > 0 && line[size - 1] == '\r';
	if (!m->continued)
		markup_out_end_colour(&m->renderer.out);
	process_line_part(m, true);
	end_whole_line(m);
}

/*
 * Process the lines of a held Swift report, and locate frames with the list of images in the
 * report.
 */
static void release_held_lines(struct cairn_markup *m)
{
	struct markup_held *h = &m->held;
	struct cairn_bytes rest = { h->bytes, h->size };
	uint8_t *plain = h->open && h->listed ? malloc(h->size) : NULL;
	struct captured_text text = m->captured;
	struct captured_line line;

	m->no_memory = m->no_memory || (h->open && h->listed && !plain);
	if (plain) {
		struct cairn_bytes lines = { plain, captured_strip_colors(rest, plain) };
		while (lines.size > 0 && h->images < MARKUP_HELD_IMAGES)
			if (captured_text_line(&text, bytes_take_part(&lines, '\n'), &line) ==
			            CAPTURED_IMAGE &&
			    !ARRAY_APPEND(
				    h->image, h->images, h->image_capacity,
				    (struct markup_held_image){ line.pcs, line.module, line.id }))
				m->no_memory = true;
	}
	h->open = h->listed = false;
	h->size = 0;
	while (rest.size > 0) {
		const struct cairn_bytes part = bytes_take_part(&rest, '\n');
		process_whole_line(m, part.data, part.size);
	}
	h->images = 0;
	free(plain);
}

/*
 * Return true if a line may begin a Swift report. For speed, check only for characters that first
 * lines contain.
 */
static bool may_begin_report(struct cairn_bytes line)
{
	line = bytes_trim(line, "", " \r");
	return line.size > 0 &&
	       (line.data[line.size - 1] == ':' || line.data[line.size - 1] == '*' ||
	        memchr(line.data, 0xf0, line.size));
}

/* Hold a complete line if it belongs to a Swift report. Otherwise process it. */
static void take_whole_line(struct cairn_markup *m, const uint8_t *data, size_t size)
{
	const struct cairn_bytes line = { data, size };
	struct markup_held *h = &m->held;
	uint8_t plain[CAPTURED_LINE_MAX];
	struct captured_line read = { .kind = CAPTURED_OTHER };

	const bool held = markup_reads_reports(m) && !m->continued && size <= sizeof(plain) &&
	                  (h->open || may_begin_report(line));
	if (held) {
		if (!h->open)
			h->text = m->captured;
		captured_text_line(
			&h->text, (struct cairn_bytes){ plain, captured_strip_colors(line, plain) },
			&read);
	}
	const bool begins =
		read.kind == CAPTURED_REPORT || (read.kind == CAPTURED_HEADING && h->text.in_swift);
	/* a new report begins, or the list of images has ended */
	if (h->open &&
	    (!held || read.kind == CAPTURED_REPORT || (h->listed && read.kind != CAPTURED_IMAGE)))
		release_held_lines(m);
	if (!held || (!h->open && !begins)) {
		process_whole_line(m, data, size);
		return;
	}
	if (!array_grow(&h->bytes, &h->capacity, h->size + size + 1, 1)) {
		m->no_memory = true;
		return;
	}
	if (!h->open)
		h->others = 0;
	h->open = true;
	h->listed = h->listed || read.kind == CAPTURED_IMAGE;
	h->others = read.kind == CAPTURED_OTHER ? h->others + 1 : 0;
	memcpy(h->bytes + h->size, data, size);
	h->bytes[h->size + size] = '\n';
	h->size += size + 1;
	if (read.kind == CAPTURED_REPORT_END || h->others > MARKUP_HELD_OTHERS ||
	    h->size > MARKUP_HELD_MAX)
		release_held_lines(m);
}

/*
 * Return the number of bytes in an incomplete line that can be processed now: all bytes before an
 * incomplete element.
 */
static size_t complete_prefix(const struct cairn_markup *m, struct cairn_bytes line)
{
	struct markup in = markup_open(line, markup_rules_of(m));
	struct markup_node node = { .kind = MARKUP_TEXT };
	struct cairn_bytes last = { line.data, 0 };

	if (m->dump.open)
		return line.size > BRACES ? line.size - BRACES : 0;
	while (markup_next(&in, &node))
		last = node.text;
	if (node.kind == MARKUP_OPEN)
		return line.size - node.text.size;
	if (node.kind != MARKUP_TEXT)
		return line.size;
	size_t before = line.size - last.size, plain = markup_plain_prefix(last);
	/* one or two trailing braces may be the start of "{{{" */
	while (plain == last.size && plain > 0 && last.data[plain - 1] == '{' &&
	       last.size - plain < BRACES - 1)
		last.size = --plain;
	return before + plain;
}

static void process_carried_line(struct cairn_markup *m, size_t size)
{
	release_held_lines(m);
	if (!m->continued)
		markup_out_end_colour(&m->renderer.out);
	m->reporter.position.line = (struct cairn_bytes){ m->carry, size };
	m->renderer.carriage_return = false;
	process_line_part(m, false);
	m->continued = true;
	m->reporter.position.offset += m->reporter.position.line.size;
	memmove(m->carry, m->carry + size, m->carried - size);
	m->carried -= size;
}

static void flush_full_carry(struct cairn_markup *m)
{
	struct cairn_bytes line = { m->carry, m->carried };
	size_t size = complete_prefix(m, line);

	/* treat an element longer than half the buffer as text */
	if (size < CAIRN_MARKUP_LINE / 2)
		size = CAIRN_MARKUP_LINE;
	process_carried_line(m, size);
}

static bool append_carried_text(struct cairn_markup *m, const uint8_t *text, size_t size)
{
	size_t capacity = m->carry_capacity ? m->carry_capacity : FIRST_CARRY;

	while (capacity < m->carried + size)
		capacity *= 2;
	if (capacity > m->carry_capacity) {
		uint8_t *grown = realloc(m->carry, capacity);
		if (!grown) {
			m->no_memory = true;
			return false;
		}
		m->carry = grown;
		m->carry_capacity = capacity;
	}
	memcpy(m->carry + m->carried, text, size);
	m->carried += size;
	return true;
}

/*
 * Return true if lines without markup can be copied in bulk: no element is open, no color is
 * active, and neither an option nor an observer requires a look at each line.
 */
static bool is_quiet(const struct cairn_markup *m)
{
	const struct markup_observer *observer = &m->reporter.observer;

	return !m->renderer.info.open && !m->dump.open && !m->renderer.out.bold &&
	       !m->renderer.out.colour && (!observer->every_text || observer->take_lines) &&
	       !m->options.end_lines && !markup_reads_reports(m);
}

static uint64_t count_lines(const uint8_t *text, size_t size)
{
	uint64_t count = 0;
	size_t at = 0;

	for (; size - at >= BLOCK; at += BLOCK) {
		uint8_t some = 0;
		for (unsigned i = 0; i < BLOCK; i++)
			some = (uint8_t)(some + (text[at + i] == '\n'));
		count += some;
	}
	for (; at < size; at++)
		count += text[at] == '\n';
	return count;
}

static uint64_t pass_plain_lines(struct cairn_markup *m, struct cairn_bytes text)
{
	const struct markup_observer *observer = &m->reporter.observer;

	if (observer->every_text)
		return observer->take_lines(observer->context, m->reporter.position.lines + 1,
		                            text);
	markup_out_text(&m->renderer.out, text);
	return count_lines(text.data, text.size);
}

/*
 * Copy the lines without markup at the beginning of `text`, which ends with a line feed. Return
 * their total size.
 */
static size_t copy_plain_lines(struct cairn_markup *m, struct cairn_bytes text)
{
	size_t plain = markup_plain_prefix(text);

	while (plain > 0 && text.data[plain - 1] != '\n')
		plain--;
	m->reporter.position.lines += pass_plain_lines(m, (struct cairn_bytes){ text.data, plain });
	return plain;
}

static void process_complete_lines(struct cairn_markup *m, struct cairn_bytes text)
{
	while (text.size > 0) {
		size_t size = is_quiet(m) ? copy_plain_lines(m, text) : 0;
		if (size < text.size) {
			const uint8_t *line = text.data + size;
			const uint8_t *end = memchr(line, '\n', text.size - size);
			take_whole_line(m, line, (size_t)(end - line));
			size = (size_t)(end + 1 - text.data);
		}
		text.data += size;
		text.size -= size;
	}
}

/*
 * Append to the line that was carried over from the previous chunk, and process that line if it is
 * complete. Return the number of bytes taken from `text`.
 */
static size_t finish_line(struct cairn_markup *m, struct cairn_bytes text)
{
	size_t capacity = CAIRN_MARKUP_LINE - m->carried,
	       size = text.size < capacity ? text.size : capacity;
	const uint8_t *end = memchr(text.data, '\n', size);

	if (end)
		size = (size_t)(end - text.data);
	if (!append_carried_text(m, text.data, size))
		return text.size;
	if (end) {
		size_t carried = m->carried;
		m->carried = 0;
		take_whole_line(m, m->carry, carried);
		return size + 1;
	}
	if (m->carried == CAIRN_MARKUP_LINE)
		flush_full_carry(m);
	return size;
}

/*
 * Process a chunk of at most CAIRN_MARKUP_LINE bytes, which also limits the length of its lines.
 * Return the number of processed bytes.
 */
static size_t process_text_piece(struct cairn_markup *m, struct cairn_bytes text)
{
	if (m->carried > 0 || m->continued)
		return finish_line(m, text);
	size_t size = text.size;
	while (size > 0 && text.data[size - 1] != '\n')
		size--;
	process_complete_lines(m, (struct cairn_bytes){ text.data, size });
	if (size == 0)
		return finish_line(m, text);
	return size;
}

enum cairn_status cairn_markup_feed(struct cairn_markup *m, struct cairn_bytes text)
{
	while (text.size > 0 && !is_out_of_memory(m)) {
		struct cairn_bytes piece = text;
		if (piece.size > CAIRN_MARKUP_LINE)
			piece.size = CAIRN_MARKUP_LINE;
		size_t size = process_text_piece(m, piece);
		text.data += size;
		text.size -= size;
	}
	markup_out_flush(&m->renderer.out);
	return is_out_of_memory(m) ? CAIRN_NO_MEMORY : CAIRN_OK;
}

void cairn_markup_pause(struct cairn_markup *m)
{
	release_held_lines(m);
	/* frames without markup are only recognized in complete lines */
	if (m->carried > 0 && !markup_reads_reports(m)) {
		struct cairn_bytes line = { m->carry, m->carried };
		size_t size = complete_prefix(m, line);
		if (size > 0)
			process_carried_line(m, size);
	}
	markup_out_flush(&m->renderer.out);
}

enum cairn_status cairn_markup_finish(struct cairn_markup *m)
{
	size_t carried = m->carried;

	m->carried = 0;
	if (carried > 0 && !m->continued)
		take_whole_line(m, m->carry, carried);
	release_held_lines(m);
	if (m->continued)
		process_whole_line(m, m->carry, carried);
	module_line_end(&m->renderer);
	markup_out_end_colour(&m->renderer.out);
	markup_out_flush(&m->renderer.out);
	markup_context_reset(&m->resolver.own);
	markup_context_sweep(&m->resolver.own);
	markup_named_modules_forget(&m->resolver.named);
	m->captured = captured_text_open();
	m->dump.open = m->renderer.carriage_return = false;
	m->dump.notes = 0;
	m->last_prefix = 0;
	m->reporter.position.lines = 0;
	return is_out_of_memory(m) ? CAIRN_NO_MEMORY : CAIRN_OK;
}
