/* SPDX-License-Identifier: MIT */
/*
 * Finds the modules of frames and the modules' load addresses, and from these the addresses of
 * frames. A load address that the host does not supply is derived from a frame that has both an
 * address and an offset in the module. If there is no such frame, it is guessed from the name of a
 * function, which works because modules begin at page boundaries. For code outside of modules, a
 * module is added that is named after the function in the log. It covers the part of the page that
 * no other module uses.
 */
#include "backtraces.h"

#include "base/bytes.h"
#include "base/encoding.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/path.h"
#include "formats/markup.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	ID_MAX = 64,
	DIGITS = 2 * ID_MAX + 1,
	FRAMES_SPAN = 1 << 30, /* maximum size of a module without a file */
};
static const uint64_t page_mask = 0xfff;
static const uint64_t user_end = UINT64_C(1) << 56;
static const uint64_t made_base = UINT64_C(0x555555554000), made_distance = UINT64_C(1) << 32;

/*
 * Return true if the frame may be in a module that the host supplied. If the frame names a module,
 * only the base names need to match, because the host knows the full path and the build ID.
 */
static bool may_be_in(const struct captured_frame *frame,
                      const struct cairn_captured_module *module)
{
	return module->path.size > 0 &&
	       (frame->module.size == 0 ||
	        (frame->id.size == 0 &&
	         bytes_equal(base_name(frame->module), base_name(module->path))));
}

static void place_frame(struct captured *c, struct captured_frame *frame)
{
	const struct cairn_captured_options *options = c->options;
	const uint64_t lookup = frame->address - (frame->pc == CAPTURED_PC_RETURN);

	for (size_t i = 0; i < options->module_count; i++) {
		const struct cairn_captured_module *module = &options->modules[i];
		if (lookup < module->pcs.low || lookup >= module->pcs.high ||
		    !may_be_in(frame, module))
			continue;
		struct cairn_bytes id = module->build_id;
		if (id.size > ID_MAX)
			id.size = 0;
		hex_encode(id, &c->ids[i * DIGITS]);
		frame->module = module->path;
		frame->id =
			(struct cairn_bytes){ (const uint8_t *)&c->ids[i * DIGITS], 2 * id.size };
		frame->origin = CAPTURED_FROM_ZERO;
		frame->offset = frame->address - module->bias;
		return;
	}
}

void captured_place_in_modules(struct captured *c)
{
	const size_t count = c->options->module_count;

	if (count == 0)
		return;
	c->ids = calloc(count, DIGITS);
	c->scarce = c->scarce || !c->ids;
	for (size_t i = 0; i < c->step_count && c->ids; i++)
		if (c->steps[i].frame.has_address)
			place_frame(c, &c->steps[i].frame);
}

static struct captured_module *add_named_module(struct captured *c, struct cairn_bytes name,
                                                struct cairn_bytes id)
{
	if (c->module_count >= CAPTURED_MODULES_MAX)
		return NULL;
	if (!array_grow(&c->modules, &c->module_capacity, c->module_count + 1,
	                sizeof(*c->modules))) {
		c->scarce = true;
		return NULL;
	}
	struct captured_module *module = &c->modules[c->module_count++];
	*module = (struct captured_module){ .name = name,
		                            .id = id,
		                            .hash = hash_bytes(base_name(name)),
		                            .build_id = { name.data, 0 } };
	return module;
}

static bool measure_file(const struct elf *elf, struct cairn_range *vas)
{
	const bool is_loaded = elf_load_span(elf, vas);

	vas->low &= ~page_mask;
	return is_loaded;
}

static bool give_file(struct captured_module *module, const struct cairn_captured_file *file)
{
	struct cairn_range vas;

	if (!elf_opens(file->bytes, &module->elf) || !measure_file(&module->elf, &vas))
		return false;
	module->places = cairn_markup_file_new(file->bytes);
	module->file = *file;
	module->build_id = elf_build_id(&module->elf);
	module->has_file = module->places != NULL;
	if (file->has_base || module->elf.type == ELF_TYPE_EXEC) {
		module->has_bias = true;
		module->bias = file->has_base ? file->base - vas.low : 0;
	}
	return module->has_file;
}

static bool is_same_id(struct cairn_bytes digits, struct cairn_bytes id)
{
	if (digits.size != 2 * id.size)
		return false;
	for (size_t i = 0; i < digits.size; i++)
		if (hex_digit(digits.data[i]) !=
		    (i % 2 ? id.data[i / 2] & 15u : id.data[i / 2] >> 4))
			return false;
	return true;
}

static struct captured_module *find_named_module(struct captured *c, struct cairn_bytes name,
                                                 struct cairn_bytes id)
{
	const struct cairn_bytes base = base_name(name);
	const uint64_t hash = hash_bytes(base);

	for (size_t i = 0; i < c->module_count; i++) {
		struct captured_module *m = &c->modules[i];
		if (id.size > 0 && m->build_id.size > 0 && is_same_id(id, m->build_id))
			return m;
		if (m->hash == hash && bytes_equal(base_name(m->name), base) &&
		    (id.size == 0 || m->id.size == 0 || bytes_equal(m->id, id)))
			return m;
	}
	return NULL;
}

/* Set a module's load bias from the location that a report lists. */
static void place_listed(const struct captured *c, struct captured_module *module)
{
	struct cairn_range vas = { 0, 0 };

	if (module->has_bias || (module->has_file && !measure_file(&module->elf, &vas)))
		return;
	for (size_t i = 0; i < c->image_count && !module->has_bias; i++) {
		module->has_bias = bytes_equal(c->images[i].path, module->name) &&
		                   bytes_equal(c->images[i].id, module->id);
		module->bias = c->images[i].base - vas.low;
	}
}

static struct captured_module *take_module(struct captured *c, const struct captured_frame *frame)
{
	struct captured_module *module = find_named_module(c, frame->module, frame->id);
	const struct cairn_captured_options *options = c->options;
	struct cairn_captured_file file;
	uint8_t id[ID_MAX];
	size_t size = 0;

	if (module)
		return module;
	module = add_named_module(c, frame->module, frame->id);
	if (!markup_build_id(frame->id, id, sizeof(id), &size))
		size = 0;
	if (module && options->find &&
	    options->find(options->context, frame->module, (struct cairn_bytes){ id, size }, &file))
		(void)give_file(module, &file);
	if (module)
		place_listed(c, module);
	return module;
}

static bool find_va(const struct captured_module *module, const struct captured_frame *frame,
                    uint64_t *va)
{
	struct cairn_markup_place place;

	if (!captured_frame_place(frame, &place))
		return false;
	if (module->has_file)
		return cairn_markup_file_locate(module->places, &place, va);
	*va = frame->offset;
	return frame->origin == CAPTURED_FROM_ZERO || frame->origin == CAPTURED_FROM_MODULE ||
	       frame->source == CAPTURED_BOOST;
}

static void learn_bias(struct captured_module *module, const struct captured_frame *frame)
{
	uint64_t va;

	if (module->has_bias || !frame->has_address || !find_va(module, frame, &va))
		return;
	module->bias = frame->address - va;
	module->has_bias = (module->bias & page_mask) == 0;
}

/*
 * Return true if the frame does not name a module with a file. A program may have changed its
 * title; the log then shows words from the title instead of the module's name.
 */
static bool lacks_file(struct captured *c, const struct captured_frame *frame)
{
	const struct captured_module *named =
		frame->module.size > 0 ? find_named_module(c, frame->module, frame->id) : NULL;

	return !named || !named->has_file;
}

/*
 * Guess a file's load bias from a function's name alone, assuming that the frame's address is less
 * than a page above the start of the function.
 */
static void guess_bias(struct captured_module *module, const struct captured_frame *frame)
{
	const struct cairn_markup_place place = { .function = frame->function,
		                                  .origin = CAIRN_MARKUP_FROM_SYMBOL };
	uint64_t va;

	if (module->has_bias || !module->has_file || !frame->has_address ||
	    frame->function.size == 0 || frame->module.size > 0 ||
	    !cairn_markup_file_locate(module->places, &place, &va) || va > frame->address)
		return;
	module->bias = (frame->address - va) & ~page_mask;
	module->has_bias = true;
}

/*
 * Extend a module without a file, whose size is unknown, to the end of the page after this frame.
 */
static void learn_size(struct captured_module *module, const struct captured_frame *frame)
{
	uint64_t va;

	if (module->has_file || !find_va(module, frame, &va) || va >= FRAMES_SPAN)
		return;
	const uint64_t end = (va & ~page_mask) + 2 * (page_mask + 1);
	if (end > module->frames_end)
		module->frames_end = end;
}

static void learn_all(struct captured *c)
{
	for (size_t i = 0; i < c->step_count && !c->scarce; i++) {
		const struct captured_frame *frame = &c->steps[i].frame;
		struct captured_module *module =
			frame->module.size > 0 ? take_module(c, frame) : NULL;
		if (!module)
			continue;
		learn_bias(module, frame);
		learn_size(module, frame);
	}
	for (size_t m = 0; m < c->module_count && m < c->options->file_count; m++) {
		/* also use frames that have a function and an offset but do not name the file */
		for (size_t i = 0; i < c->step_count && !c->modules[m].has_bias; i++) {
			const struct captured_frame *frame = &c->steps[i].frame;
			if (c->modules[m].has_file && frame->origin == CAPTURED_FROM_SYMBOL &&
			    lacks_file(c, frame))
				learn_bias(&c->modules[m], frame);
		}
		for (size_t i = 0; i < c->step_count && !c->modules[m].has_bias; i++)
			guess_bias(&c->modules[m], &c->steps[i].frame);
	}
}

/* Set a module's address range. A module at an unknown address is put into an unused range. */
static void place_module(struct captured_module *module, size_t number)
{
	struct cairn_range vas = { 0, module->frames_end };

	if (module->has_file ? !measure_file(&module->elf, &vas) : vas.high == 0)
		return;
	if (!module->has_bias)
		module->bias = made_base + made_distance * number - vas.low;
	module->has_bias = true;
	module->low = vas.low + module->bias;
	module->high = vas.high + module->bias;
	/* The kernel is above user space, at the address for which it is linked. */
	const bool is_kernel =
		module->has_file && module->elf.type == ELF_TYPE_EXEC && module->bias == 0;
	if (module->low >= module->high || (module->high > user_end && !is_kernel)) {
		module->has_bias = false;
		module->low = module->high = 0;
	}
}

/* Remove the later of two overlapping modules, because the modules of a process cannot overlap. */
static void drop_overlapping(struct captured *c)
{
	for (size_t i = 0; i < c->module_count; i++)
		for (size_t k = 0; k < i; k++) {
			struct captured_module *a = &c->modules[i];
			const struct captured_module *b = &c->modules[k];
			if (a->low < b->high && b->low < a->high)
				a->low = a->high = 0;
		}
}

/*
 * Return the first user-supplied file that contains the function of a frame without a module, such
 * as a kernel frame.
 */
static const struct captured_module *find_by_function(const struct captured *c,
                                                      const struct captured_frame *frame,
                                                      uint64_t *va)
{
	if (frame->module.size > 0 || frame->function.size == 0 ||
	    frame->origin != CAPTURED_FROM_SYMBOL)
		return NULL;
	for (size_t i = 0; i < c->module_count && i < c->options->file_count; i++)
		if (c->modules[i].has_file && c->modules[i].has_bias &&
		    find_va(&c->modules[i], frame, va))
			return &c->modules[i];
	return NULL;
}

/*
 * Find the address of a frame. Except in the innermost frame, increment the address of a call or a
 * resume point, so that it is handled like a return address.
 */
static void find_address(struct captured *c, struct captured_step *step, bool innermost)
{
	const struct captured_frame *frame = &step->frame;
	const struct captured_module *module =
		frame->module.size > 0 ? find_named_module(c, frame->module, frame->id) : NULL;
	uint64_t va = 0;

	step->known = frame->has_address;
	step->pc = frame->address;
	if (module && (!module->has_bias || !find_va(module, frame, &va)))
		module = NULL;
	else if (!module && !step->known)
		module = find_by_function(c, frame, &va);
	if (!step->known && module) {
		step->known = true;
		step->pc = va + module->bias;
	}
	step->exact = frame->pc == CAPTURED_PC_EXACT || innermost;
	if ((frame->pc == CAPTURED_PC_CALL || frame->pc == CAPTURED_PC_RESUME) && !innermost)
		step->pc++;
	else if (frame->pc == CAPTURED_PC_RETURN && innermost)
		step->pc--;
	c->lost += !step->known;
}

const struct captured_module *captured_module_at(const struct captured *c, uint64_t pc)
{
	for (size_t i = 0; i < c->module_count; i++)
		if (pc >= c->modules[i].low && pc < c->modules[i].high)
			return &c->modules[i];
	return NULL;
}

/* Return the range around `pc`, at most a page, that no module covers. */
static struct cairn_range find_free_part(const struct captured *c, uint64_t pc)
{
	struct cairn_range part = { pc & ~page_mask, (pc | page_mask) + 1 };

	for (size_t i = 0; i < c->module_count; i++) {
		const struct captured_module *m = &c->modules[i];
		if (m->low < m->high && m->high <= pc && m->high > part.low)
			part.low = m->high;
		if (m->low < m->high && m->low > pc && m->low < part.high)
			part.high = m->low;
	}
	return part;
}

/*
 * Return the function name that all frames in an address range have in common, or an empty string.
 */
static struct cairn_bytes find_only_function(const struct captured *c, struct cairn_range part)
{
	struct cairn_bytes only = { c->options->text.data, 0 };

	for (size_t i = 0; i < c->step_count; i++) {
		const struct captured_step *step = &c->steps[i];
		if (!step->known || step->pc < part.low || step->pc >= part.high)
			continue;
		const struct cairn_bytes function = step->frame.function;
		if (function.size == 0 || (only.size > 0 && !bytes_equal(only, function)))
			return (struct cairn_bytes){ only.data, 0 };
		only = function;
	}
	return only;
}

/*
 * Write a function's name without its arguments to `out`, with every character except letters and
 * digits replaced by "_". Return the size.
 */
static int put_plain_name(char *out, size_t capacity, struct cairn_bytes function)
{
	size_t size = 0;

	for (size_t i = 0; i < function.size && size + 1 < capacity; i++) {
		const uint8_t byte = function.data[i];
		const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
		                   (byte >= '0' && byte <= '9');
		if (byte == '(' || byte == '<')
			break;
		if (plain || (size > 0 && out[size - 1] != '_'))
			out[size++] = plain ? (char)byte : '_';
	}
	return (int)size;
}

/*
 * Return a unique name for a range of code, for debuggers to show. The name is empty if allocation
 * fails.
 */
static struct cairn_bytes name_part(struct captured *c, struct cairn_range part)
{
	enum { NAME_MAX_SIZE = 96, FUNCTION_CAPACITY = 64 };
	struct captured_kept *kept = malloc(sizeof(*kept) + NAME_MAX_SIZE);
	char function[FUNCTION_CAPACITY];

	c->scarce = c->scarce || !kept;
	if (!kept)
		return (struct cairn_bytes){ c->options->text.data, 0 };
	kept->next = c->kept;
	c->kept = kept;
	const int plain = put_plain_name(function, sizeof(function), find_only_function(c, part));
	const int size = snprintf((char *)kept->text, NAME_MAX_SIZE, "%.*s-%" PRIx64,
	                          plain > 0 ? plain : 4, plain > 0 ? function : "code", part.low);
	return (struct cairn_bytes){ kept->text, (size_t)size };
}

/*
 * Return true if the frame was entered by a call through a bad pointer: it is the innermost frame,
 * has no name, lies outside of modules, and its caller, if there is one, is code in a file.
 */
static bool is_bad_pointer(const struct captured *c, const struct captured_thread *thread, size_t i)
{
	const struct captured_step *step = &c->steps[thread->first + i];

	if (i != 0 || step->frame.function.size > 0)
		return false;
	if (thread->count == 1)
		return true;
	const struct captured_module *caller = captured_module_at(c, step[1].pc);
	return caller && caller->has_file;
}

/*
 * Add a placeholder module, with no file, for a frame that lies in no known module. Some logs do
 * not list modules, and the stack would otherwise end at this frame.
 */
static void add_page(struct captured *c, const struct captured_step *step)
{
	if (c->module_count >= CAPTURED_MODULES_MAX || !step->known || step->pc <= page_mask ||
	    step->pc >= user_end || captured_module_at(c, step->pc))
		return;
	const struct cairn_range part = find_free_part(c, step->pc);
	const struct cairn_bytes name = name_part(c, part);
	struct captured_module *module =
		add_named_module(c, name, (struct cairn_bytes){ name.data, 0 });
	if (!module)
		return;
	module->has_bias = true;
	module->bias = module->low = part.low;
	module->high = part.high;
}

/*
 * Drop Swift frames without an address, because the stack would otherwise end before them. Swift's
 * setting preset=friendly prints few addresses.
 */
static void drop_unknown_calls(struct captured *c, struct captured_thread *thread)
{
	struct captured_step *steps = &c->steps[thread->first];
	size_t kept = 0;

	for (size_t i = 0; i < thread->count; i++)
		if (steps[i].known || steps[i].frame.source != CAPTURED_SWIFT)
			steps[kept++] = steps[i];
	thread->count = kept > 0 ? kept : thread->count;
}

void captured_find_modules(struct captured *c)
{
	for (size_t i = 0; i < c->options->file_count; i++) {
		const struct cairn_captured_file *file = &c->options->files[i];
		const struct cairn_bytes path = { (const uint8_t *)file->path, strlen(file->path) };
		struct captured_module *module =
			add_named_module(c, path, (struct cairn_bytes){ path.data, 0 });
		if (module)
			(void)give_file(module, file);
	}
	learn_all(c);
	for (size_t i = 0; i < c->module_count; i++)
		place_module(&c->modules[i], i);
	drop_overlapping(c);
	for (size_t t = 0; t < c->thread_count; t++)
		for (size_t i = 0; i < c->threads[t].count; i++)
			find_address(c, &c->steps[c->threads[t].first + i], i == 0);
	for (size_t t = 0; t < c->thread_count; t++)
		drop_unknown_calls(c, &c->threads[t]);
	for (size_t t = 0; t < c->thread_count && !c->scarce; t++)
		for (size_t i = 0; i < c->threads[t].count; i++)
			if (!is_bad_pointer(c, &c->threads[t], i))
				add_page(c, &c->steps[c->threads[t].first + i]);
}
