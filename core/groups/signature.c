/* SPDX-License-Identifier: MIT */
/* Computes the signature of a stack, and reads the user's rules. */
#include "signature.h"

#include "name_form.h"

#include "base/bytes.h"
#include "base/encoding.h"
#include "base/hash.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>

enum { VERSION_BYTES = 8 };

static const char *const kind_words[] = {
	[GROUP_RULE_INNER] = "inner", [GROUP_RULE_OUTER] = "outer", [GROUP_RULE_RUNTIME] = "runtime"
};

#define BLANKS " \t\r"

static bool is_blank_byte(uint8_t c)
{
	return memchr(BLANKS, c, sizeof(BLANKS) - 1) != NULL;
}

/*
 * Remove a comment. '#' starts a comment only at the start of a word, because a function name may
 * contain it elsewhere.
 */
static struct cairn_bytes cut_comment(struct cairn_bytes line)
{
	for (size_t i = 0; i < line.size; i++)
		if (line.data[i] == '#' && (i == 0 || is_blank_byte(line.data[i - 1]))) {
			line.size = i;
			break;
		}
	return bytes_trim(line, BLANKS, BLANKS);
}

static struct cairn_bytes take_word(struct cairn_bytes *line)
{
	struct cairn_bytes word = { line->data, 0 };

	while (word.size < line->size && !is_blank_byte(line->data[word.size]))
		word.size++;
	line->data += word.size;
	line->size -= word.size;
	*line = bytes_trim(*line, BLANKS, BLANKS);
	return word;
}

static bool read_rule_kind(struct cairn_bytes word, enum group_rule_kind *kind)
{
	for (size_t i = 0; i < sizeof(kind_words) / sizeof(*kind_words); i++)
		if (bytes_are(word, kind_words[i])) {
			*kind = (enum group_rule_kind)i;
			return true;
		}
	return false;
}

static const char *add_group_rule(struct group_rules *rules, struct group_rule rule)
{
	if (rules->count >= GROUP_RULES_MAX)
		return "too many rules (limit: 1,024)";
	if (rule.text.size > NAME_FORM_MAX)
		return "the pattern is longer than 1,024 bytes";
	if (!ARRAY_APPEND(rules->rule, rules->count, rules->capacity, rule))
		return "out of memory";
	return NULL;
}

static const char *read_rule_line(struct group_rules *rules, struct cairn_bytes line)
{
	struct group_rule rule = { .kind = GROUP_RULE_INNER };
	struct cairn_bytes rest = cut_comment(line);

	if (rest.size == 0)
		return NULL;
	if (!read_rule_kind(take_word(&rest), &rule.kind))
		return "a rule must begin with inner, outer or runtime";
	if (rest.size == 0)
		return "the rule has no pattern";
	rule.is_prefix = rest.data[rest.size - 1] == '*';
	rule.text = (struct cairn_bytes){ rest.data, rest.size - rule.is_prefix };
	if (rule.text.size == 0)
		return "the pattern matches every name";
	if (memchr(rule.text.data, '*', rule.text.size) && rule.kind == GROUP_RULE_RUNTIME)
		return "'*' must be at the end of the pattern";
	return add_group_rule(rules, rule);
}

static int compare_rules(const void *a, const void *b)
{
	const struct group_rule *one = a, *other = b;
	const int order = bytes_order(one->text, other->text);

	if (one->kind != other->kind)
		return one->kind < other->kind ? -1 : 1;
	return order != 0 ? order : (int)one->is_prefix - (int)other->is_prefix;
}

/*
 * Derive the version from a hash of the rules, sorted and without duplicates, so that it depends
 * neither on their order nor on comments.
 */
static void make_version(struct group_rules *rules)
{
	struct sha256 hash = sha256_open();
	uint8_t digest[SHA256_SIZE];
	char digits[2 * VERSION_BYTES + 1];

	if (rules->count > 0)
		qsort(rules->rule, rules->count, sizeof(*rules->rule), compare_rules);
	for (size_t i = 0; i < rules->count; i++) {
		const struct group_rule *rule = &rules->rule[i];
		if (i > 0 && compare_rules(rule - 1, rule) == 0)
			continue;
		const char *word = kind_words[rule->kind], *end = rule->is_prefix ? "*\n" : "\n";
		sha256_put(&hash, (struct cairn_bytes){ (const uint8_t *)word, strlen(word) });
		sha256_put(&hash, (struct cairn_bytes){ (const uint8_t *)" ", 1 });
		sha256_put(&hash, rule->text);
		sha256_put(&hash, (struct cairn_bytes){ (const uint8_t *)end, strlen(end) });
	}
	sha256_finish(&hash, digest);
	hex_encode((struct cairn_bytes){ digest, VERSION_BYTES }, digits);
	snprintf(rules->version, sizeof(rules->version), "%d+%s", SIGNATURE_RULES, digits);
}

static bool refuse_rules(struct group_rules_fault *fault, uint64_t line, const char *what)
{
	*fault = (struct group_rules_fault){ line, what };
	return false;
}

bool group_rules_read(struct group_rules *rules, struct cairn_bytes bytes,
                      struct group_rules_fault *fault)
{
	uint64_t line = 1;

	if (bytes.size > GROUP_RULES_BYTES_MAX)
		return refuse_rules(fault, 0, "too large (limit: 1 MiB)");
	for (; bytes.size > 0; line++) {
		const char *what = read_rule_line(rules, bytes_take_part(&bytes, '\n'));
		if (what)
			return refuse_rules(fault, line, what);
	}
	make_version(rules);
	return true;
}

static bool group_rules_match(const struct group_rules *rules, enum group_rule_kind kind,
                              struct cairn_bytes name)
{
	for (size_t i = 0; rules && i < rules->count; i++) {
		const struct group_rule *rule = &rules->rule[i];
		if (rule->kind == kind && name.size >= rule->text.size &&
		    (rule->is_prefix || name.size == rule->text.size) &&
		    memcmp(name.data, rule->text.data, rule->text.size) == 0)
			return true;
	}
	return false;
}

void group_rules_finish(struct group_rules *rules)
{
	free(rules->rule);
	*rules = (struct group_rules){ 0 };
}

/*
 * Folds repeated blocks in one pass. The items kept so far never contain a repetition, so a new
 * item can only complete a repetition that ends with this item. Removing the second copy of the
 * repeated block makes the sequence free of repetitions again.
 */

/*
 * The block that was repeated last. An incomplete copy of the block may have been kept after it;
 * `more` is the number of items in that copy.
 */
struct run {
	size_t period; /* 0 if no block has been repeated, or if other items have followed it */
	size_t more;
};

static bool repeats_block(const uint32_t *items, size_t count, size_t period)
{
	for (size_t i = 1; i <= period; i++)
		if (items[count - i] != items[count - i - period])
			return false;
	return true;
}

static size_t find_period(const uint32_t *items, size_t count)
{
	for (size_t period = 1; period <= RECURSION_PERIOD_MAX && 2 * period <= count; period++)
		if (repeats_block(items, count, period))
			return period;
	return 0;
}

static void continue_run(struct run *run, const uint32_t *items, size_t count)
{
	if (run->period > 0 && items[count - 1] == items[count - 1 - run->period])
		run->more++;
	else
		run->period = 0;
}

/*
 * Update the run after a block of `period` items has been removed. If a shorter block was repeated
 * inside the incomplete copy that follows a run, that run continues.
 */
static void repeat_run(struct run *run, size_t period)
{
	if (run->period > period && run->more + 1 >= period)
		run->more -= period - 1;
	else
		*run = (struct run){ period, 0 };
}

static size_t fold_blocks(uint32_t *items, size_t count, bool *all_run)
{
	struct run run = { 0, 0 };
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		items[kept++] = items[i];
		const size_t period = find_period(items, kept);
		if (period > 0) {
			kept -= period;
			repeat_run(&run, period);
		} else {
			continue_run(&run, items, kept);
		}
	}
	if (run.period > 0)
		kept -= run.more;
	*all_run = run.period > 0 && run.period == kept;
	return kept;
}

static void reverse_items(uint32_t *items, size_t count)
{
	for (size_t i = 0; i < count / 2; i++) {
		const uint32_t item = items[i];
		items[i] = items[count - 1 - i];
		items[count - 1 - i] = item;
	}
}

size_t recursion_fold(uint32_t *items, size_t count, bool is_cut, bool *all_run)
{
	if (is_cut)
		return fold_blocks(items, count, all_run);
	reverse_items(items, count);
	count = fold_blocks(items, count, all_run);
	reverse_items(items, count);
	return count;
}

enum step_kind {
	STEP_NAMED,
	STEP_NULL,
	STEP_UNNAMED, /* no function name; `text` is the name of the module */
};

/* A frame of the stack. `text` and `place` are indices in builder->texts. */
struct signature_step {
	uint32_t text, place;
	enum step_kind kind;
	bool in_runtime;
};

static const char null_call[] = "(null)", no_module[] = "(no module)";

static struct cairn_bytes bytes_of(const char *text)
{
	return (struct cairn_bytes){ (const uint8_t *)text, strlen(text) };
}

void signature_begin(struct signature_builder *builder)
{
	string_pool_finish(&builder->texts);
	builder->count = 0;
	builder->is_cut = builder->scarce = builder->after_handler = builder->in_async = false;
}

void signature_finish(struct signature_builder *builder)
{
	signature_begin(builder);
	free(builder->steps);
	builder->steps = NULL;
	builder->capacity = 0;
}

void signature_restart(struct signature_builder *builder)
{
	builder->count = 0;
	builder->is_cut = builder->in_async = false;
	builder->after_handler = true;
}

static uint32_t pool_text(struct signature_builder *b, struct cairn_bytes text)
{
	const uint32_t number = string_pool_add(&b->texts, text);

	b->scarce = b->scarce || number == STRING_POOL_FULL;
	return b->scarce ? 0 : number;
}

/*
 * Add "BUILD_ID+0xOFFSET" to builder->texts, or "MODULE+0xOFFSET" if the module has no build ID,
 * and return the index of this string.
 */
static uint32_t pool_place(struct signature_builder *b, const struct signature_frame *frame)
{
	const struct cairn_bytes module =
		frame->build_id.size > 0 ? frame->build_id : frame->module;
	char text[NAME_FORM_MAX + 1];

	if (module.size == 0)
		return pool_text(b, bytes_of(frame->is_null ? null_call : no_module));
	size_t size = name_form_plain(module, NAME_FORM_MAX - SIGNATURE_PLACE_MAX, b->form);
	memcpy(text, b->form, size);
	if (frame->has_offset)
		size += (size_t)snprintf(text + size, SIGNATURE_PLACE_MAX, "+0x%" PRIx64,
		                         frame->offset);
	return pool_text(b, (struct cairn_bytes){ (const uint8_t *)text, size });
}

/*
 * Add the frame's name to builder->texts and return its index. The name is the normal form of the
 * frame's function, or its module if the function is unknown.
 */
static uint32_t pool_name(struct signature_builder *b, const struct signature_frame *frame)
{
	if (frame->function.size == 0 && frame->module.size == 0)
		return pool_text(b, bytes_of(frame->is_null ? null_call : no_module));
	const size_t size = frame->function.size > 0
	                            ? name_form(frame->function, b->form)
	                            : name_form_plain(frame->module, NAME_FORM_MAX, b->form);
	return pool_text(b, (struct cairn_bytes){ (const uint8_t *)b->form, size });
}

void signature_add(struct signature_builder *builder, const struct signature_frame *frame)
{
	struct signature_step step = { .kind = frame->function.size > 0 ? STEP_NAMED
		                               : frame->is_null         ? STEP_NULL
		                                                        : STEP_UNNAMED };

	/*
	 * in_async stays set, because all frames further out are dropped unless they are async
	 * callers
	 */
	builder->in_async |= frame->is_async;
	if (builder->in_async && !frame->is_async)
		return;
	if (builder->count >= SIGNATURE_FRAMES_MAX) {
		builder->is_cut = true;
		return;
	}
	if (!array_grow(&builder->steps, &builder->capacity, builder->count + 1, sizeof(step))) {
		builder->scarce = true;
		return;
	}
	step.in_runtime = frame_list_is_runtime(frame->module) ||
	                  group_rules_match(builder->rules, GROUP_RULE_RUNTIME, frame->module);
	step.text = pool_name(builder, frame);
	/* store one frame more than needed, because find_inner_end() may skip the first one */
	if (builder->count <= SIGNATURE_ADDRESSES)
		step.place = pool_place(builder, frame);
	builder->steps[builder->count++] = step;
}

static struct cairn_bytes step_text(const struct signature_builder *b, size_t i)
{
	return string_pool_get(&b->texts, b->steps[i].text);
}

static bool is_unnamed_runtime(const struct signature_step *step)
{
	return step->kind == STEP_UNNAMED && step->in_runtime;
}

static bool is_inner(const struct signature_builder *b, size_t i)
{
	return frame_list_is_inner(step_text(b, i)) ||
	       group_rules_match(b->rules, GROUP_RULE_INNER, step_text(b, i));
}

/*
 * Return the index of the first frame to use. Skips a signal trampoline without a name, because
 * some builds of the C library and the kernel have no symbol for it.
 */
static size_t find_inner_end(const struct signature_builder *b)
{
	return b->after_handler && b->count > 1 && b->steps[0].kind == STEP_UNNAMED;
}

/*
 * Return the index of the innermost frame that matches a user's outer rule, or `end` if no frame
 * matches. This frame and its callers are dropped. The innermost frame is never dropped.
 */
static size_t cut_at_rule(const struct signature_builder *b, size_t end)
{
	for (size_t i = 1; b->rules && i < end; i++)
		if (b->steps[i].kind == STEP_NAMED &&
		    group_rules_match(b->rules, GROUP_RULE_OUTER, step_text(b, i)))
			return i;
	return end;
}

/*
 * Return the index of the first outer frame to drop. Outer frames only start the program or thread,
 * or are dropped by a user's rule. The innermost frame is never dropped.
 */
static size_t find_outer_end(const struct signature_builder *b)
{
	size_t end = b->count;

	for (size_t i = b->count; i-- > 0;)
		if (b->steps[i].kind == STEP_NAMED && bytes_are(step_text(b, i), "main"))
			return cut_at_rule(b, i + 1);
	while (end > 1 && (is_unnamed_runtime(&b->steps[end - 1]) ||
	                   (b->steps[end - 1].kind == STEP_NAMED &&
	                    frame_list_is_outer(step_text(b, end - 1)))))
		end--;
	return cut_at_rule(b, end);
}

/*
 * Return the index of the first frame after the inner frames that are not specific to the bug.
 * Unnamed frames in runtime libraries are skipped only if a named inner function has called them.
 */
static size_t count_inner(const struct signature_builder *b, size_t begin, size_t end)
{
	size_t count = begin;

	for (size_t i = begin; i < end; i++) {
		const struct signature_step *step = &b->steps[i];
		if (step->kind == STEP_NAMED && is_inner(b, i))
			count = i + 1;
		else if (!is_unnamed_runtime(step))
			break;
	}
	return count;
}

static struct cairn_bytes item_text(const struct signature_builder *b, uint32_t item)
{
	return string_pool_get(&b->texts, item >> 1);
}

static bool is_item_less(const struct signature_builder *b, uint32_t a, uint32_t c)
{
	const int order = bytes_order(item_text(b, a), item_text(b, c));

	return order != 0 ? order < 0 : a < c;
}

/*
 * Return true if the rotation of the cycle that starts at `a` sorts before the rotation that starts
 * at `c`.
 */
static bool is_rotation_less(const struct signature_builder *b, size_t count, size_t a, size_t c)
{
	for (size_t i = 0; i < count; i++) {
		const uint32_t one = b->items[(a + i) % count], other = b->items[(c + i) % count];
		if (one != other)
			return is_item_less(b, one, other);
	}
	return false;
}

/*
 * Return the start of the smallest rotation. If a stack of repeated calls is cut at both ends, the
 * start of the cycle is unknown, so all rotations must have the same signature.
 */
static size_t find_rotation(const struct signature_builder *b, size_t count)
{
	size_t best = 0;

	for (size_t i = 1; i < count; i++)
		if (is_rotation_less(b, count, i, best))
			best = i;
	return best;
}

static void put_items(struct signature_builder *b, size_t count, bool is_circle,
                      struct signature *signature)
{
	const size_t first = is_circle ? find_rotation(b, count) : 0;
	const size_t depth = count < SIGNATURE_DEPTH ? count : SIGNATURE_DEPTH;

	signature->names = SIGNATURE_ALL;
	for (size_t i = 0; i < depth; i++) {
		const uint32_t item = b->items[(first + i) % count];
		if (item & 1)
			signature->names = SIGNATURE_SOME;
		signature_put(signature, item_text(b, item));
	}
}

/* A non-empty range of frames that are specific to the bug. */
struct span {
	size_t begin, end;
};

static bool has_function(const struct signature_builder *b, struct span span)
{
	for (size_t i = span.begin; i < span.end; i++)
		if (b->steps[i].kind == STEP_NAMED)
			return true;
	return false;
}

static void put_names(struct signature_builder *b, struct span span, struct signature *signature)
{
	size_t count = 0;
	bool all_run = false;

	/* the lowest bit of an item is set if its string is not a function name */
	for (size_t i = span.begin; i < span.end; i++)
		b->items[count++] = b->steps[i].text << 1 | (b->steps[i].kind == STEP_UNNAMED);
	count = recursion_fold(b->items, count, b->is_cut, &all_run);
	put_items(b, count, b->is_cut && all_run, signature);
}

static void put_plain(struct signature_builder *b, struct cairn_bytes text,
                      struct signature *signature)
{
	size_t size = name_form_plain(text, NAME_FORM_MAX, b->form);

	if (size == 0)
		size = name_form_plain(bytes_of("-"), NAME_FORM_MAX, b->form);
	signature_put(signature, (struct cairn_bytes){ (const uint8_t *)b->form, size });
}

/*
 * Truncate a program name to the size that cores record, even if the full name is known. The kernel
 * may cut a UTF-8 character in the middle, and its bytes are then shown as a replacement character,
 * so drop such a character.
 */
static struct cairn_bytes cut_program(struct cairn_bytes program)
{
	enum { CONTINUES = 0x80, CONTINUES_MASK = 0xc0 };

	if (program.size <= SIGNATURE_PROGRAM)
		return program;
	program.size = SIGNATURE_PROGRAM;
	while (program.size > 0 && (program.data[program.size] & CONTINUES_MASK) == CONTINUES)
		program.size--;
	return program;
}

static void put_addresses(struct signature_builder *b, struct cairn_bytes program,
                          struct cairn_bytes signal, struct signature *signature)
{
	signature->names = SIGNATURE_NONE;
	put_plain(b, cut_program(program), signature);
	put_plain(b, bytes_are(signal, "SIGBUS") ? bytes_of("SIGSEGV") : signal, signature);
	const size_t first = find_inner_end(b);
	for (size_t i = first; i < b->count && i < first + SIGNATURE_ADDRESSES; i++)
		signature_put(signature, string_pool_get(&b->texts, b->steps[i].place));
}

bool signature_make(struct signature_builder *builder, struct cairn_bytes program,
                    struct cairn_bytes signal, struct signature *signature)
{
	if (builder->scarce || builder->count == 0)
		return false;
	const size_t first = find_inner_end(builder), end = find_outer_end(builder);
	struct span span = { count_inner(builder, first, end), end };
	if (span.begin >= end)
		span = (struct span){ first, first + 1 };
	signature->size = 0;
	if (has_function(builder, span))
		put_names(builder, span, signature);
	else
		put_addresses(builder, program, signal, signature);
	return true;
}

bool signature_put(struct signature *signature, struct cairn_bytes name)
{
	if (name.size >= sizeof(signature->text) - signature->size)
		return false;
	memcpy(signature->text + signature->size, name.data, name.size);
	signature->size += name.size;
	signature->text[signature->size++] = '\n';
	return true;
}

const char *signature_names_word(enum signature_names names)
{
	switch (names) {
	case SIGNATURE_ALL:
		return "all";
	case SIGNATURE_SOME:
		return "some";
	case SIGNATURE_NONE:
		break;
	}
	return "none";
}

void signature_digest(const struct group_rules *rules, enum signature_names names,
                      struct cairn_bytes text, uint8_t digest[SHA256_SIZE])
{
	struct sha256 hash = sha256_open();
	char head[GROUP_RULES_VERSION_SIZE + 16], version[GROUP_RULES_VERSION_SIZE];

	snprintf(version, sizeof(version), "%d", SIGNATURE_RULES);
	snprintf(head, sizeof(head), "%s %s\n", rules ? rules->version : version,
	         signature_names_word(names));
	sha256_put(&hash, bytes_of(head));
	sha256_put(&hash, text);
	sha256_finish(&hash, digest);
}

uint64_t signature_id(const struct group_rules *rules, enum signature_names names,
                      struct cairn_bytes text)
{
	uint8_t digest[SHA256_SIZE];
	uint64_t id = 0;

	signature_digest(rules, names, text, digest);
	for (size_t i = 0; i < sizeof(id); i++)
		id = id << 8 | digest[i];
	return id;
}
