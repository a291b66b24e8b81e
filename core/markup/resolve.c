/* SPDX-License-Identifier: MIT */
/*
 * Resolves tokens to facts by means of the context, the cache of symbolization results and the
 * host.
 */
#include "resolver.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/sort.h"
#include "formats/elf/elf.h"

#include <stdlib.h>
#include <string.h>

static enum context_outcome apply_mmap(struct markup_resolver *r, struct markup_facts *facts)
{
	struct markup_mmap mmap;

	if (!markup_read_mmap(facts->node, &mmap, &facts->problem))
		return CONTEXT_REJECTED;
	enum context_outcome outcome =
		markup_context_mmap(&r->own, &mmap, &facts->mapping, &facts->problem);
	if (facts->mapping) {
		const struct context_mapping *known = facts->mapping;
		facts->context.module = known->module;
		facts->context.range =
			(struct module_line_range){ known->start, known->size, known->mode };
		if (outcome == CONTEXT_REJECTED)
			facts->problem.found = known->module->told.name;
	}
	return outcome;
}

void markup_resolve_context(struct markup_resolver *r, const struct markup_node *node,
                            struct markup_facts *facts)
{
	*facts = (struct markup_facts){ .node = node,
		                        .text = node->text,
		                        .context = { .tag = node->tag } };
	if (node->tag == MARKUP_RESET) {
		facts->kind = EVENT_RESET;
		facts->context.outcome =
			markup_context_is_empty(&r->own) ? CONTEXT_KNOWN : CONTEXT_NEW;
		markup_context_reset(&r->own);
	} else if (node->tag == MARKUP_MMAP) {
		facts->kind = EVENT_MMAP;
		facts->context.outcome = apply_mmap(r, facts);
	} else {
		struct markup_module module;
		facts->kind = EVENT_MODULE;
		facts->context.outcome = CONTEXT_REJECTED;
		if (markup_read_module(node, &module, &facts->problem))
			facts->context.outcome = markup_context_module(
				&r->own, &module, &facts->context.module, &facts->problem);
	}
	if (facts->context.outcome == CONTEXT_REJECTED)
		facts->kind = EVENT_INVALID;
}

/*
 * Write a build ID as hexadecimal digits for markup_context_module(), truncated to NAMED_MODULES_ID
 * bytes.
 */
static struct cairn_bytes resolver_id_digits(struct cairn_bytes id,
                                             uint8_t digits[2 * NAMED_MODULES_ID])
{
	size_t size = id.size < NAMED_MODULES_ID ? id.size : NAMED_MODULES_ID;

	for (size_t i = 0; i < size; i++) {
		digits[2 * i] = (uint8_t) "0123456789abcdef"[id.data[i] >> 4];
		digits[2 * i + 1] = (uint8_t) "0123456789abcdef"[id.data[i] & 15];
	}
	return (struct cairn_bytes){ digits, 2 * size };
}

bool resolver_add_host_module(struct markup_resolver *r, const struct cairn_markup_module *module,
                              const struct cairn_range *pcs, uint64_t va, unsigned mode)
{
	uint8_t digits[2 * NAMED_MODULES_ID];
	const struct markup_module told = { module->id, module->name,
		                            resolver_id_digits(module->build_id, digits) };
	const struct markup_mmap mmap = { .start = pcs->low,
		                          .size = pcs->high - pcs->low,
		                          .module = module->id,
		                          .relative = va,
		                          .mode = mode,
		                          .module_text = module->name };
	const struct context_module *known;
	const struct context_mapping *mapping;
	struct markup_fault fault;

	return markup_context_module(&r->lent, &told, &known, &fault) != CONTEXT_REJECTED &&
	       markup_context_mmap(&r->lent, &mmap, &mapping, &fault) != CONTEXT_REJECTED;
}

/*
 * Finds the locations of frames in their modules' files. Segments lead from offsets to addresses,
 * and symbol tables from functions to addresses. The functions are sorted by hash on the first
 * lookup.
 */

enum {
	TABLES = 2,
	/*
	 * maximum padding after a function; the kernel includes it in the function size that it
	 * prints
	 */
	PADDING = 64,
	/*
	 * maximum number of functions whose names have the same hash; a name with more candidates
	 * is not looked up
	 */
	CANDIDATES = 64,
	PAGE_MASK = 0xfff,
};

struct function_entry {
	uint64_t hash;
	uint32_t table, index;
};

/* Functions sorted by the hash of their symbol name or of their demangled name. */
struct function_list {
	struct function_entry *function;
	size_t count;
	bool sorted; /* sorting was attempted; the list remains empty if allocation fails */
};

struct cairn_markup_file {
	struct elf elf;
	struct elf_section table[TABLES];
	struct function_list symbols, readable;
	struct demangled_names *names;
};

struct cairn_markup_file *cairn_markup_file_new(struct cairn_bytes bytes)
{
	struct cairn_markup_file *file = calloc(1, sizeof(*file));

	if (file && !elf_opens(bytes, &file->elf)) {
		free(file);
		return NULL;
	}
	return file;
}

void cairn_markup_file_free(struct cairn_markup_file *file)
{
	if (!file)
		return;
	free(file->symbols.function);
	free(file->readable.function);
	free(file->names);
	free(file);
}

static bool is_code_symbol(const struct elf_symbol *symbol)
{
	return symbol->section != 0 && symbol->section < ELF_SHN_RESERVED &&
	       (symbol->type == ELF_STT_FUNC || symbol->type == ELF_STT_NOTYPE);
}

static struct cairn_bytes name_symbol(struct cairn_markup_file *f, bool readable, uint32_t table,
                                      const struct elf_symbol *symbol)
{
	const struct cairn_bytes name = elf_symbol_name(&f->elf, &f->table[table], symbol);

	return readable ? demangled_name_make(f->names, name) : name;
}

static void sort_functions(struct cairn_markup_file *f, struct function_list *list)
{
	static const char *const names[TABLES] = { ".symtab", ".dynsym" };
	struct elf_symbol symbol;
	size_t capacity = 0;

	list->sorted = true;
	for (uint32_t table = 0; table < TABLES; table++) {
		if (!elf_find_section(&f->elf, names[table], &f->table[table]))
			continue;
		for (uint32_t i = 0;
		     i < UINT32_MAX && elf_symbol(&f->elf, &f->table[table], i, &symbol); i++) {
			if (!is_code_symbol(&symbol))
				continue;
			const struct cairn_bytes name =
				name_symbol(f, list == &f->readable, table, &symbol);
			if (name.size > 0 &&
			    !ARRAY_APPEND(list->function, list->count, capacity,
			                  (struct function_entry){ hash_bytes(name), table, i })) {
				list->count = 0;
				return;
			}
		}
	}
	if (list == &f->readable)
		/*
		 * do not count the bytes of these names against the limit, because each lookup
		 * demangles its candidates again
		 */
		f->names->bytes = 0;
	SORT_BY_FIRST(list->function, list->count, hash);
}

/*
 * Return true if `symbol` is a part of a split async Swift function, but cannot be the part that
 * contains the offset: it is too short, or the offset is 0 and execution does not resume at its
 * start. All parts of a function have the same demangled name.
 */
static bool is_other_part(struct cairn_bytes symbol, uint64_t size, uint64_t offset)
{
	/* strip the number from a suffix such as "TQ0_" or "TY0_" */
	while (symbol.size > 1 &&
	       (symbol.data[symbol.size - 1] == '_' ||
	        (symbol.data[symbol.size - 1] >= '0' && symbol.data[symbol.size - 1] <= '9')))
		symbol.size--;
	const bool resumes = symbol.size > 2 && symbol.data[symbol.size - 2] == 'T' &&
	                     symbol.data[symbol.size - 1] == 'Q';
	return offset == 0 ? !resumes : size > 0 && offset > size;
}

/*
 * Rate a function with the requested name: a matching size counts more than global binding. Return
 * 0 if the sizes contradict each other or the function is another part of a split function.
 */
static unsigned rate_function(const struct elf_symbol *symbol, struct cairn_bytes mangled,
                              const struct cairn_markup_place *place)
{
	const uint64_t size = place->function_size;
	const bool fits = size == 0 || symbol->size == 0 ||
	                  (symbol->size <= size && size - symbol->size < PADDING);

	if (mangled.size > 0 && is_other_part(mangled, symbol->size, place->offset))
		return 0;
	return fits ? 1u + (size > 0 && symbol->size > 0 ? 2u : 0u) + (symbol->local ? 0u : 1u)
	            : 0u;
}

/*
 * Find the best function named `wanted`. Return false if there is no such function, or if the best
 * ones have different addresses.
 */
static bool find_in_list(struct cairn_markup_file *f, struct function_list *list,
                         struct cairn_bytes wanted, const struct cairn_markup_place *place,
                         uint64_t *va)
{
	const uint64_t hash = hash_bytes(wanted);
	unsigned best = 0;
	bool unique = false;
	struct elf_symbol symbol;

	if (!list->sorted)
		sort_functions(f, list);
	const size_t first = SORTED_BELOW(list->function, list->count, hash, hash);
	if (list->count - first > CANDIDATES && list->function[first + CANDIDATES].hash == hash)
		return false;
	for (size_t i = first; i < list->count && list->function[i].hash == hash; i++) {
		const uint32_t table = list->function[i].table;
		if (!elf_symbol(&f->elf, &f->table[table], list->function[i].index, &symbol))
			continue;
		const struct cairn_bytes name =
			name_symbol(f, list == &f->readable, table, &symbol);
		struct cairn_bytes mangled = { NULL, 0 };
		if (list == &f->readable)
			mangled = elf_symbol_name(&f->elf, &f->table[table], &symbol);
		const bool is_swift = swift_is_mangled(mangled);
		const unsigned rate = rate_function(
			&symbol, is_swift ? mangled : (struct cairn_bytes){ NULL, 0 }, place);
		if (rate == 0 || rate < best || !bytes_equal(name, wanted))
			continue;
		/* all parts of an async function are equally good, so use the first */
		if (is_swift && unique && rate == best)
			continue;
		unique = rate > best || (unique && symbol.va == *va);
		best = rate;
		*va = symbol.va;
	}
	return unique;
}

static bool find_demangled_function(struct cairn_markup_file *f,
                                    const struct cairn_markup_place *place, uint64_t *va)
{
	char text[ITANIUM_TEXT_MAX];

	if (!demangled_name_may_be(place->function))
		return false;
	f->names = f->names ? f->names : calloc(1, sizeof(*f->names));
	if (!f->names)
		return false;
	const struct cairn_bytes wanted = demangled_name_squeeze(f->names, place->function);
	if (wanted.size == 0)
		return false;
	memcpy(text, wanted.data, wanted.size);
	return find_in_list(f, &f->readable,
	                    (struct cairn_bytes){ (const uint8_t *)text, wanted.size }, place, va);
}

/*
 * Return true if the segment is executable and contains the offset, and set *va. The kernel maps a
 * segment from a page boundary, so bytes before its start are included.
 */
static bool is_in_segment(const struct elf_segment *s, const struct cairn_markup_place *place,
                          uint64_t *va)
{
	const uint64_t before = s->va & PAGE_MASK;
	const bool file = place->origin == CAIRN_MARKUP_FROM_FILE;
	const uint64_t start = file ? s->offset - before : 0;
	const uint64_t size = file ? s->file_size : s->memory_size;

	*va = s->va - before + (place->offset - start);
	return (s->flags & ELF_PF_EXECUTE) && (!file || before <= s->offset) &&
	       place->offset >= start && size <= UINT64_MAX - before &&
	       place->offset - start < before + size;
}

static bool find_in_segments(const struct cairn_markup_file *f,
                             const struct cairn_markup_place *place, uint64_t *va)
{
	uint64_t found = 0, at;
	struct elf_segment segment;
	bool any = false;

	for (uint32_t i = 0; elf_segment(&f->elf, i, &segment); i++) {
		if (segment.type != ELF_PT_LOAD || !is_in_segment(&segment, place, &at))
			continue;
		/* the offset is ambiguous, because two code segments contain it */
		if (any && at != found)
			return false;
		found = at;
		any = true;
	}
	*va = found;
	return any;
}

/*
 * Return true if the offset is an address within the code of a program that is linked at a fixed
 * address. Older versions of Boost print such addresses, whereas newer ones print file offsets; the
 * caller tries file offsets first.
 */
static bool is_linked_code(const struct cairn_markup_file *f,
                           const struct cairn_markup_place *place)
{
	struct elf_segment s;

	for (uint32_t i = 0; f->elf.type == ELF_TYPE_EXEC && elf_segment(&f->elf, i, &s); i++)
		if (s.type == ELF_PT_LOAD && (s.flags & ELF_PF_EXECUTE) &&
		    place->offset - s.va < s.memory_size)
			return place->origin == CAIRN_MARKUP_FROM_FILE;
	return false;
}

bool cairn_markup_file_locate(struct cairn_markup_file *f, const struct cairn_markup_place *place,
                              uint64_t *va)
{
	uint64_t found = place->offset;
	bool good = f->elf.type != ELF_TYPE_REL;
	struct cairn_range span;

	switch (place->origin) {
	case CAIRN_MARKUP_FROM_ZERO:
		break;
	case CAIRN_MARKUP_FROM_MODULE:
		good = good && elf_load_span(&f->elf, &span);
		found += good ? span.low & ~(uint64_t)PAGE_MASK : 0;
		break;
	case CAIRN_MARKUP_FROM_FILE:
	case CAIRN_MARKUP_FROM_MAPPING:
		if (good && !find_in_segments(f, place, &found)) {
			found = place->offset;
			good = is_linked_code(f, place);
		}
		break;
	case CAIRN_MARKUP_FROM_SYMBOL:
		good = good && (find_in_list(f, &f->symbols, place->function, place, &found) ||
		                find_demangled_function(f, place, &found));
		found += place->offset;
		break;
	}
	if (good)
		*va = found;
	return good;
}

void markup_named_modules_forget(struct markup_named_modules *m)
{
	markup_context_reset(&m->context);
	memset(m->slot, 0, sizeof(m->slot));
	free(m->ids);
	m->ids = NULL;
	m->after_signal = false;
}

static size_t choose_slot(struct cairn_bytes name, uint64_t more)
{
	return (size_t)((hash_bytes(name) + more) % NAMED_MODULES_SLOTS);
}

void markup_named_modules_note(struct markup_named_modules *m, struct cairn_bytes path,
                               struct cairn_bytes digits)
{
	const struct cairn_bytes name = base_name(path);

	if (name.size > NAMED_MODULES_NAME || digits.size > 2 * NAMED_MODULES_ID)
		return;
	if (!m->ids)
		m->ids = calloc(NAMED_MODULES_SLOTS, sizeof(*m->ids));
	m->context.no_memory = m->context.no_memory || !m->ids;
	if (!m->ids)
		return;
	struct markup_named_id *id = &m->ids[choose_slot(name, 0)];
	memcpy(id->name, name.data, name.size);
	memcpy(id->digits, digits.data, digits.size);
	id->name_size = name.size;
	id->digits_size = digits.size;
}

static struct cairn_bytes markup_named_modules_id(const struct markup_named_modules *m,
                                                  struct cairn_bytes path)
{
	const struct cairn_bytes name = base_name(path);
	const struct markup_named_id *id = m->ids ? &m->ids[choose_slot(name, 0)] : NULL;

	if (!id || name.size == 0 ||
	    !bytes_equal(name, (struct cairn_bytes){ id->name, id->name_size }))
		return (struct cairn_bytes){ path.data, 0 };
	return (struct cairn_bytes){ id->digits, id->digits_size };
}

/*
 * Return the module with this name and build ID (digits, may be empty), or NULL if allocation
 * fails.
 */
static const struct context_module *markup_named_modules_get(struct markup_named_modules *m,
                                                             struct cairn_bytes name,
                                                             struct cairn_bytes digits)
{
	const size_t slot = choose_slot(name, hash_bytes(digits));
	const struct context_module *known = m->slot[slot];
	struct markup_fault fault;

	if (digits.size > 2 * NAMED_MODULES_ID)
		digits.size = 0;
	if (known && bytes_equal(name, known->told.name) && markup_context_has_id(known, digits))
		return known;
	if (m->context.bytes > NAMED_MODULES_BYTES) {
		markup_context_reset(&m->context);
		memset(m->slot, 0, sizeof(m->slot));
	}
	const struct markup_module module = { m->context.modules.count, name, digits };
	if (markup_context_module(&m->context, &module, &known, &fault) == CONTEXT_REJECTED)
		return NULL;
	m->slot[slot] = known;
	return known;
}

/* Query the host for the module at an address, unless the log defines a context. */
static const struct context_mapping *ask_module(struct markup_resolver *r, uint64_t address)
{
	struct cairn_markup_module module = { .id = r->lent.modules.count };
	struct cairn_range pcs;
	uint64_t va;

	if (!r->host->module || !markup_context_is_empty(&r->own) ||
	    !r->host->module(r->host->context, address, &module, &pcs, &va) ||
	    !resolver_add_host_module(r, &module, &pcs, va, MARKUP_READ | MARKUP_EXECUTE))
		return NULL;
	return markup_context_find(&r->lent, address);
}

static struct markup_resolved_address markup_resolve_address(struct markup_resolver *r,
                                                             uint64_t address)
{
	const struct context_mapping *mapping = markup_context_find(resolver_context(r), address);
	struct markup_resolved_address place = { .pc = address };

	if (!mapping)
		mapping = ask_module(r, address);
	if (mapping) {
		place.relative = address - mapping->start + mapping->relative;
		place.module = mapping->module;
		place.mode = mapping->mode;
	}
	return place;
}

/*
 * Return the frames at an address in a module, never NULL. The count is 0 if no symbol covers the
 * address.
 */
static const struct cached_answer *markup_look_up_code(struct markup_resolver *r,
                                                       const struct markup_resolved_address *place)
{
	static const struct cached_answer nothing = { .count = 0 };
	uint64_t serial = place->module->serial;
	const struct cached_answer *known = markup_cache_find(&r->cache, serial, place->relative);
	struct cairn_markup_query question = { &place->module->told, place->pc, place->relative };
	struct cairn_markup_result answer = { .name = { (const uint8_t *)"", 0 } };

	if (known)
		return known;
	bool good = r->host->code && r->host->code(r->host->context, &question, &answer);
	known = markup_cache_add(&r->cache, serial, place->relative, good ? &answer : NULL);
	if (!known)
		r->no_memory = true;
	return known ? known : &nothing;
}

static bool markup_look_up_data(struct markup_resolver *r,
                                const struct markup_resolved_address *place,
                                struct cairn_location *location)
{
	struct cairn_markup_query question = { &place->module->told, place->pc, place->relative };

	*location = (struct cairn_location){ .function = { (const uint8_t *)"", 0 } };
	return r->host->data && r->host->data(r->host->context, &question, location);
}

void markup_resolver_finish(struct markup_resolver *r)
{
	markup_context_finish(&r->own);
	markup_context_finish(&r->lent);
	markup_named_modules_forget(&r->named);
	markup_context_sweep(&r->named.context);
	markup_cache_finish(&r->cache);
}

enum { CLOSING = 3 };

/*
 * Read the key-value pairs in a chunk of a hexdict, and keep values that are addresses in a module.
 */
static void read_pairs(struct markup_resolver *r, struct markup_dump *dump,
                       struct cairn_bytes piece)
{
	struct markup_pair pair;

	markup_pairs_feed(&dump->pairs, piece);
	while (markup_pairs_next(&dump->pairs, &pair)) {
		struct markup_resolved_address place = markup_resolve_address(r, pair.value);
		if (!place.module)
			continue;
		if (dump->notes == MARKUP_NOTES) {
			dump->too_many_notes = true;
			continue;
		}
		if (!array_grow(&dump->note, &dump->capacity, dump->notes + 1,
		                sizeof(*dump->note))) {
			r->no_memory = true;
			return;
		}
		struct hexdict_note *note = &dump->note[dump->notes++];
		*note = (struct hexdict_note){ .key_size = pair.key.size,
			                       .value = pair.value,
			                       .place = place };
		memcpy(note->key, pair.key.data, pair.key.size);
	}
}

void markup_dump_begin(struct markup_resolver *r, struct markup_dump *dump,
                       const struct markup_node *node)
{
	dump->pairs.key_size = 0;
	read_pairs(r, dump,
	           (struct cairn_bytes){ node->fields.data,
	                                 node->has_fields ? node->fields.size : 0 });
	dump->open = node->kind == MARKUP_OPEN;
}

/*
 * Return the offset of the "}}}" that ends the hexdict, or line.size if the hexdict continues on
 * the next line.
 */
static size_t find_end(struct cairn_bytes line)
{
	for (size_t at = 0; line.size - at >= CLOSING; at++) {
		const uint8_t *brace = memchr(line.data + at, '}', line.size - at - CLOSING + 1);
		if (!brace)
			return line.size;
		at = (size_t)(brace - line.data);
		if (brace[1] == '}' && brace[2] == '}')
			return at;
	}
	return line.size;
}

size_t markup_dump_continue(struct markup_resolver *r, struct markup_dump *dump,
                            struct cairn_bytes line)
{
	size_t end = find_end(line);

	read_pairs(r, dump, (struct cairn_bytes){ line.data, end });
	if (end == line.size)
		return end;
	dump->open = false;
	return end + CLOSING;
}

void markup_resolve_note(struct markup_resolver *r, const struct hexdict_note *note,
                         struct markup_facts *facts)
{
	struct cairn_location location;

	*facts = (struct markup_facts){ .kind = EVENT_VALUE,
		                        .text = { note->key, note->key_size },
		                        .place = note->place,
		                        .value = note->value,
		                        .name = { note->key, 0 } };
	if (note->place.mode & MARKUP_EXECUTE)
		facts->known = markup_look_up_code(r, &note->place);
	const struct cached_answer *known = facts->known;
	const bool has_line = known && known->count > 0 && known->frame[0].file.size > 0 &&
	                      known->frame[0].function.size > 0;
	if (has_line || !markup_look_up_data(r, &note->place, &location) ||
	    location.function.size == 0)
		return;
	facts->name = location.function;
	facts->offset = location.offset;
}

static void resolve_symbol(struct markup_resolver *r, struct markup_facts *facts)
{
	struct cairn_bytes name;

	if (!markup_read_symbol(facts->node, &name, &facts->problem)) {
		facts->kind = EVENT_INVALID;
		return;
	}
	facts->kind = EVENT_SYMBOL;
	/* like llvm-symbolizer, leave a Swift name in an element as it is */
	const bool keeps = bytes_begin_with(name, "$") || bytes_begin_with(name, "_$");

	facts->name =
		r->host->readable && !keeps ? r->host->readable(r->host->context, name) : name;
}

/*
 * Imitate llvm-symbolizer: reject a frame whose last field should be "ra" or "pc" but is neither,
 * and ignore "ra" and "pc" if there are more than `most` fields.
 */
static bool follow_llvm_frame(struct markup_facts *facts, size_t most)
{
	struct markup_frame *frame = &facts->frame;

	if (frame->is_odd) {
		facts->problem = (struct markup_fault){ "expected ra or pc", frame->message,
			                                frame->message.data };
		return false;
	}
	if (frame->fields > most)
		frame->kind = MARKUP_PC_UNSPECIFIED;
	return true;
}

static bool read_frame(const struct markup_resolver *r, struct markup_facts *facts)
{
	enum markup_tag tag = facts->node->tag;

	if (!markup_read_frame(facts->node, &facts->frame, &facts->problem))
		return false;
	return !resolver_is_llvm(r) || tag == MARKUP_DATA ||
	       follow_llvm_frame(facts, tag == MARKUP_BT ? 3 : 2);
}

/* Return the distance from the address back to the call: 1 for a return address, otherwise 0. */
static uint64_t distance_to_call(const struct markup_resolver *r, enum markup_tag tag,
                                 enum markup_pc kind)
{
	if (tag == MARKUP_BT)
		return kind == MARKUP_PC_RETURN ||
		       (kind == MARKUP_PC_UNSPECIFIED && !r->options->already_before);
	return tag == MARKUP_PC && kind == MARKUP_PC_RETURN;
}

/*
 * Read a frame and resolve its address. Return false if the element is invalid or no mapping
 * contains the address.
 */
static bool resolve_place(struct markup_resolver *r, struct markup_facts *facts,
                          enum markup_event_kind kind)
{
	struct markup_frame *frame = &facts->frame;

	if (!read_frame(r, facts)) {
		facts->kind = EVENT_INVALID;
		return false;
	}
	facts->kind = kind;
	facts->place = markup_resolve_address(
		r, frame->address - distance_to_call(r, facts->node->tag, frame->kind));
	if (facts->place.module)
		return true;
	facts->problem = (struct markup_fault){ "no mapping covers the address",
		                                frame->address_text, frame->address_text.data };
	return false;
}

static void resolve_code(struct markup_resolver *r, struct markup_facts *facts,
                         enum markup_event_kind kind)
{
	if (resolve_place(r, facts, kind))
		facts->known = markup_look_up_code(r, &facts->place);
}

static void resolve_data(struct markup_resolver *r, struct markup_facts *facts)
{
	struct cairn_location location;

	facts->name.data = facts->text.data;
	if (!resolve_place(r, facts, EVENT_DATA))
		return;
	facts->has_data = markup_look_up_data(r, &facts->place, &location);
	if (facts->has_data && location.function.size > 0) {
		facts->name = location.function;
		facts->offset = location.offset;
	}
}

void markup_resolve_element(struct markup_resolver *r, const struct markup_node *node,
                            struct markup_facts *facts)
{
	*facts = (struct markup_facts){ .kind = EVENT_TEXT, .node = node, .text = node->text };
	if (node->kind == MARKUP_SGR)
		facts->kind = EVENT_COLOUR;
	if (node->kind != MARKUP_ELEMENT)
		return;
	switch (node->tag) {
	case MARKUP_SYMBOL:
		resolve_symbol(r, facts);
		break;
	case MARKUP_PC:
		resolve_code(r, facts, EVENT_PC);
		break;
	case MARKUP_DATA:
		resolve_data(r, facts);
		break;
	case MARKUP_BT:
		resolve_code(r, facts, EVENT_BT);
		break;
	case MARKUP_HEXDICT:
		break;
	case MARKUP_DUMPFILE:
		facts->kind = EVENT_DUMPFILE;
		break;
	case MARKUP_UNKNOWN:
	case MARKUP_RESET:
	case MARKUP_MODULE:
	case MARKUP_MMAP:
		facts->kind = EVENT_UNKNOWN;
		break;
	}
}

bool demangled_name_may_be(struct cairn_bytes name)
{
	return name.size > 2 &&
	       (memchr(name.data, '(', name.size) || memchr(name.data, ':', name.size));
}

struct cairn_bytes demangled_name_squeeze(struct demangled_names *names, struct cairn_bytes name)
{
	size_t size = 0;

	for (size_t i = 0; i < name.size && name.size <= sizeof(names->text); i++)
		if (name.data[i] != ' ')
			names->text[size++] = (char)name.data[i];
	return (struct cairn_bytes){ (const uint8_t *)names->text, size };
}

struct cairn_bytes demangled_name_make(struct demangled_names *names, struct cairn_bytes symbol)
{
	struct cairn_bytes text = { (const uint8_t *)names->text, 0 };
	const bool is_swift = swift_is_mangled(symbol);
	bool exhausted;

	if (symbol.size < 3 || (memcmp(symbol.data, "_Z", 2) != 0 && !is_swift) ||
	    symbol.size > READABLE_BYTES_MAX - names->bytes || names->steps >= READABLE_STEPS_MAX)
		return text;
	names->bytes += symbol.size;
	if (is_swift) {
		text.size = swift_demangle(&names->swift, symbol, SWIFT_SHORT, names->text,
		                           sizeof(names->text), &exhausted);
		names->steps += SWIFT_STEPS_TIMES * symbol.size;
	} else {
		text.size =
			itanium_demangle(&names->work, symbol, names->text, sizeof(names->text));
		names->steps += names->work.steps;
	}
	return demangled_name_squeeze(names, text);
}

enum { FIXED_BELOW_BITS = 32 };

/*
 * Guess a frame's link-time address if the module's file is not available. A position-independent
 * module is linked at 0. Any other module is below 4 GiB, where link-time addresses and addresses
 * in the process are equal.
 */
static bool guess_address(const struct captured_frame *frame, uint64_t *va)
{
	const uint64_t start = frame->address - frame->offset;
	const bool fixed = frame->has_address && start != 0 && start >> FIXED_BELOW_BITS == 0;

	if (frame->origin != CAPTURED_FROM_ZERO && frame->origin != CAPTURED_FROM_MODULE)
		return false;
	*va = frame->origin == CAPTURED_FROM_MODULE && fixed ? frame->address : frame->offset;
	return true;
}

/* Query the host, which may have the module's file, for the location of a frame. */
static bool ask_host(struct markup_resolver *r, const struct captured_frame *frame,
                     struct cairn_bytes digits, struct markup_resolved_address *place)
{
	uint8_t id[NAMED_MODULES_ID], found[2 * NAMED_MODULES_ID];
	struct cairn_markup_module module = { .id = 0, .name = frame->module };
	struct cairn_markup_place asked;

	if (!r->host->locate || !captured_frame_place(frame, &asked))
		return false;
	asked.build_id.data = id;
	if (!markup_build_id(digits, id, sizeof(id), &asked.build_id.size))
		asked.build_id.size = 0;
	if (!r->host->locate(r->host->context, &asked, &module, &place->relative))
		return false;
	place->module = markup_named_modules_get(&r->named, module.name,
	                                         resolver_id_digits(module.build_id, found));
	return place->module != NULL;
}

static bool find_report_place(struct markup_resolver *r, const struct captured_frame *frame,
                              struct markup_resolved_address *place)
{
	const struct cairn_bytes digits =
		frame->id.size > 0 ? frame->id : markup_named_modules_id(&r->named, frame->module);
	const bool mapped = frame->has_address &&
	                    markup_context_find(resolver_context(r), frame->address) != NULL;

	if (mapped && digits.size == 0) {
		*place = markup_resolve_address(r, frame->address);
		return true;
	}
	if (ask_host(r, frame, digits, place))
		return true;
	if (digits.size > 0 && guess_address(frame, &place->relative)) {
		place->module = markup_named_modules_get(&r->named, frame->module, digits);
		return place->module != NULL;
	}
	if (frame->has_address)
		*place = markup_resolve_address(r, frame->address);
	return place->module != NULL;
}

/*
 * Look up the call before a return address. If no symbol covers the call and the return address
 * itself is in a signal trampoline, look up the exact address: the byte before a trampoline, where
 * a call would be, often belongs to no function.
 */
static void look_up_frame(struct markup_resolver *r, struct markup_facts *facts)
{
	const uint64_t back = facts->frame.kind == MARKUP_PC_RETURN;
	struct markup_resolved_address exact = facts->place;

	facts->place.pc -= back;
	facts->place.relative -= back;
	facts->known = markup_look_up_code(r, &facts->place);
	if (back == 0 || facts->known->count > 0)
		return;
	const struct cached_answer *known = markup_look_up_code(r, &exact);
	if (known->count == 1 && bytes_are(known->name, "__restore_rt")) {
		facts->frame.kind = MARKUP_PC_EXACT;
		facts->place = exact;
		r->named.after_signal = true;
	} else {
		known = markup_look_up_code(r, &facts->place);
	}
	facts->known = known;
}

void markup_resolve_report(struct markup_resolver *r, const struct captured_frame *frame,
                           struct markup_facts *facts)
{
	const bool back = frame->pc == CAPTURED_PC_RETURN && !r->named.after_signal;

	*facts = (struct markup_facts){ .kind = EVENT_REPORT,
		                        .text = frame->text,
		                        .captured = frame,
		                        .place = { .pc = frame->address } };
	facts->frame = (struct markup_frame){
		.number = frame->number,
		.address = frame->address,
		.kind = back ? MARKUP_PC_RETURN : MARKUP_PC_EXACT,
		.message = { frame->text.data, 0 },
	};
	facts->name = facts->frame.message;
	r->named.after_signal = false;
	r->report_pc = frame->pc == CAPTURED_PC_RETURN && !back ? CAPTURED_PC_EXACT : frame->pc;
	if (find_report_place(r, frame, &facts->place))
		look_up_frame(r, facts);
	else
		facts->place.module = NULL;
}
