/* SPDX-License-Identifier: MIT */
/* Reads and stores facts that are in a module's files but not in memory. */
#include "program_files.h"

#include "modules.h"
#include "sframe_rules.h"
#include "unwind_tables.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/fileid.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/range.h"
#include "base/sort.h"
#include "formats/ehframe/ehframe.h"
#include "formats/elf/elf.h"
#include "formats/swift/mangled.h"

#include <cairn.h>

#include <stdlib.h>
#include <string.h>

/* Reads program files for hosts that have no process yet (see cairn.h). */

static enum cairn_status add_program_section(const struct elf_section *s,
                                             struct cairn_program *program,
                                             struct cairn_fault *fault)
{
	struct cairn_section *to = &program->section[program->sections];

	if (program->sections == CAIRN_SECTIONS)
		return fault_set(fault, CAIRN_UNSUPPORTED, "too many sections");
	if (s->name.size >= sizeof(to->name))
		return fault_set(fault, CAIRN_UNSUPPORTED, "the name of a section is too long");
	if (s->size > UINT64_MAX - s->va)
		return fault_set(fault, CAIRN_MALFORMED, "a section ends past the last address");
	*to = (struct cairn_section){ .flags = s->flags,
		                      .alignment = s->alignment,
		                      .range = { s->va, s->va + s->size } };
	memcpy(to->name, s->name.data, s->name.size);
	program->sections++;
	return CAIRN_OK;
}

static enum cairn_status read_program_sections(const struct elf *elf, struct cairn_program *program,
                                               struct cairn_fault *fault)
{
	enum cairn_status status = CAIRN_OK;
	struct elf_section s;

	for (uint32_t i = 1; i < elf->sections && status == CAIRN_OK; i++) {
		if (!elf_section(elf, i, &s))
			continue;
		if (s.flags & ELF_SHF_ALLOC)
			status = add_program_section(&s, program, fault);
		else
			/* the prefix .zdebug denotes an older compression scheme */
			program->debug_info = program->debug_info ||
			                      bytes_are(s.name, ".debug_info") ||
			                      bytes_are(s.name, ".zdebug_info");
	}
	if (status == CAIRN_OK && program->sections == 0)
		return fault_set(fault, CAIRN_NOT_FOUND, "no section of it is loaded");
	return status;
}

enum cairn_status cairn_program_parse(struct cairn_bytes file, struct cairn_program *program,
                                      struct cairn_fault *fault)
{
	struct elf elf;
	enum cairn_status status = elf_open(file, &elf, fault);

	if (status != CAIRN_OK)
		return status;
	struct cairn_bytes id = elf_build_id(&elf);
	if (id.size > sizeof(program->build_id))
		return fault_set(fault, CAIRN_UNSUPPORTED, "a build ID that is too long");
	program->machine = elf_machine(&elf);
	program->big_endian = elf.big;
	program->entry = elf.entry;
	program->build_id_size = id.size;
	memcpy(program->build_id, id.data, id.size);
	program->build_id_hidden = id.size > 0 && !elf_shows_build_id(&elf);
	program->sections = 0;
	program->debug_info = false;
	program->by_clang = elf_by_clang(&elf);
	program->unwinds = elf_unwinds(&elf);
	(void)elf_load_span(&elf, &program->span);
	return read_program_sections(&elf, program, fault);
}

/*
 * Request the start and the end of the file, which determine the FileID, and then the ranges that
 * the ELF reader needs.
 */
bool cairn_program_next_part(struct cairn_bytes file, struct cairn_program_parts *parts,
                             struct cairn_range *part)
{
	enum { STEP_FIRST, STEP_LAST, STEP_ELF };
	const uint64_t block = file.size < FILEID_BLOCK ? file.size : FILEID_BLOCK;
	struct elf_parts elf = { parts->step - STEP_ELF, parts->index, parts->runs,
		                 parts->comment };

	if (parts->step < STEP_ELF) {
		uint64_t low = parts->step++ == STEP_FIRST ? 0 : file.size - block;
		*part = (struct cairn_range){ low, low + block };
		return block > 0;
	}
	bool more = elf_next_part(file, &elf, part);
	*parts = (struct cairn_program_parts){ elf.step + STEP_ELF, elf.index, elf.runs,
		                               elf.comment };
	return more;
}

struct cairn_files *cairn_files_new(bool symbols)
{
	struct cairn_files *files = calloc(1, sizeof(*files));

	if (files)
		files->wants_symbols = symbols;
	return files;
}

void cairn_files_want_async(struct cairn_files *files)
{
	files->wants_symbols = files->wants_async = true;
}

void cairn_files_free(struct cairn_files *files)
{
	if (!files)
		return;
	free(files->frames.range);
	free(files->functions.range);
	free(files->async);
	free(files);
}

static void append_covered_range(struct files_list *list, uint64_t low, uint64_t size)
{
	if (list->count == FILES_RANGES || !ARRAY_APPEND(list->range, list->count, list->capacity,
	                                                 (struct cairn_range){ low, low + size }))
		list->everywhere = true;
}

/*
 * Keep one entry per address: an entry without size if there is one, otherwise the longest entry.
 */
static void choose_one_per_address(struct files_list *list)
{
	size_t kept = 0;

	for (size_t i = 1; i < list->count; i++) {
		struct cairn_range *last = &list->range[kept], next = list->range[i];
		if (next.low > last->low)
			list->range[++kept] = next;
		else if (range_size(*last) > 0)
			*last = next;
	}
	list->count = list->count ? kept + 1 : 0;
}

static const struct cairn_range *last_before(const struct files_list *list, uint64_t va)
{
	const size_t next = SORTED_UP_TO(list->range, list->count, low, va);

	return next > 0 ? &list->range[next - 1] : NULL;
}

void files_add_frames(struct cairn_files *files, struct cairn_bytes section, bool big, uint8_t word)
{
	struct debug_frame frames = debug_frame_open(section, big, word);
	struct files_list *list = &files->frames;
	struct cairn_fault fault;
	uint64_t start, size;
	enum cairn_status status = CAIRN_OK;

	while (status == CAIRN_OK && !list->everywhere) {
		status = debug_frame_next(&frames, &start, &size, &fault);
		if (status == CAIRN_OK && size > 0)
			append_covered_range(list, start, size);
	}
	list->everywhere = list->everywhere || status != CAIRN_NOT_FOUND;
	list->count = range_merge(list->range, list->count);
}

/* Return true for a symbol in code whose type can denote a location. */
static bool is_in_code(const struct elf *elf, const struct elf_symbol *symbol)
{
	struct elf_section section;
	bool named = symbol->type == ELF_STT_NOTYPE || symbol->type == ELF_STT_FUNC ||
	             symbol->type == ELF_STT_IFUNC;

	return named && symbol->section != 0 && elf_section(elf, symbol->section, &section) &&
	       (section.flags & ELF_SHF_EXECUTE) && symbol->size <= UINT64_MAX - symbol->va;
}

static void files_add_symbols(struct cairn_files *files, const struct elf *elf,
                              const struct elf_section *table)
{
	struct files_list *list = &files->functions;
	struct elf_symbol symbol;

	for (uint64_t i = 1; !list->everywhere && elf_symbol(elf, table, i, &symbol); i++)
		if (is_in_code(elf, &symbol))
			append_covered_range(list, symbol.va, symbol.size);
	if (list->count > 0)
		qsort(list->range, list->count, sizeof(*list->range), range_compare);
	choose_one_per_address(list);
}

/* An async function pointer is a data symbol named after its function, with the suffix "Tu". */
void async_names_add(struct async_names *names, const struct elf *elf,
                     const struct elf_section *table, uint64_t *left)
{
	struct elf_symbol symbol;

	for (uint64_t i = 0; *left > 0 && elf_symbol(elf, table, i, &symbol); i++, --*left) {
		struct cairn_bytes name = elf_symbol_name(elf, table, &symbol);
		if (name.size <= 2 || memcmp(name.data + name.size - 2, "Tu", 2) != 0)
			continue;
		name.size -= 2;
		if (!ARRAY_APPEND(names->name, names->count, names->capacity,
		                  (struct async_name){ hash_bytes(name) }))
			break;
	}
	SORT_BY_FIRST(names->name, names->count, hash);
}

bool async_names_has(const struct async_names *names, struct cairn_bytes function)
{
	/* hash only names of Swift, because a hostile table may share one long name */
	if (names->count == 0 || !bytes_begin_with(function, "$s"))
		return false;
	const uint64_t hash = hash_bytes(function);
	const size_t at = SORTED_BELOW(names->name, names->count, hash, hash);
	return at < names->count && names->name[at].hash == hash;
}

static void files_add_async(struct cairn_files *files, const struct elf *elf,
                            const struct elf_section *table)
{
	struct async_names names = { .name = NULL };
	uint64_t left = FILES_RANGES;
	struct elf_symbol symbol;

	if (files->functions.everywhere)
		return;
	async_names_add(&names, elf, table, &left);
	for (uint64_t i = 1;
	     files->async_count < FILES_RANGES && elf_symbol(elf, table, i, &symbol); i++) {
		if (!is_in_code(elf, &symbol))
			continue;
		const struct cairn_bytes name = elf_symbol_name(elf, table, &symbol);
		const char funclet = swift_funclet(name);
		const struct files_async_function function = { symbol.va, funclet == 'Q'
			                                                          ? FILES_AWAITED
			                                                          : FILES_ASYNC };
		if ((funclet || async_names_has(&names, name)) &&
		    !ARRAY_APPEND(files->async, files->async_count, files->async_capacity,
		                  function))
			break;
	}
	SORT_BY_FIRST(files->async, files->async_count, va);
	free(names.name);
}

/*
 * Find the function of `va` as a debugger with these symbols does: the last symbol at or before
 * `va`, unless its size shows that it ends before `va`. A symbol without size extends to the next
 * symbol.
 */
static const struct cairn_range *find_function(const struct cairn_files *files, uint64_t va)
{
	const struct cairn_range *range = last_before(&files->functions, va);

	return range && (range->low == range->high || va < range->high) ? range : NULL;
}

enum files_async files_find_async(const struct cairn_files *files, uint64_t va, uint64_t *start)
{
	const struct cairn_range *range = find_function(files, va);

	if (files->functions.everywhere || !range)
		return FILES_NO_NAME;
	*start = range->low;
	const size_t at = SORTED_BELOW(files->async, files->async_count, va, *start);
	return at < files->async_count && files->async[at].va == *start ? files->async[at].kind
	                                                                : FILES_NOT_ASYNC;
}

bool files_have_cfi(const struct cairn_files *files, uint64_t va)
{
	const struct cairn_range *range = last_before(&files->frames, va);

	return files->frames.everywhere || (range && va < range->high);
}

/* Selects the ranges to read from a module's file, and processes their contents. */

bool cairn_files_are_of(const struct cairn_module *module, struct cairn_bytes file, bool named)
{
	struct cairn_bytes first = file;
	struct elf elf;

	if (!elf_opens(file, &elf) || elf_machine(&elf) != module->machine ||
	    elf.big != module->big_endian)
		return false;
	struct cairn_bytes id = elf_build_id(&elf);
	if (module->build_id.size > 0 && id.size > 0)
		return bytes_equal(id, module->build_id);
	if (named)
		return module->build_id.size == 0 && id.size == 0;
	first.size = first.size < module->headers.size ? first.size : module->headers.size;
	return first.size > 0 && bytes_equal(first, module->headers);
}

/*
 * Return true for a program, and false for a separate debug file, whose loaded sections have no
 * contents.
 */
static bool is_program(const struct elf *elf)
{
	struct elf_section section;

	for (uint32_t i = 1; i < elf->sections; i++)
		if (elf_section(elf, i, &section) && (section.flags & ELF_SHF_EXECUTE))
			return section.type != ELF_SHT_NOBITS;
	return elf->sections == 0;
}

static bool locate_section_bytes(const struct elf *elf, const struct elf_section *section,
                                 struct cairn_range *part)
{
	const struct cairn_bytes bytes = elf_section_bytes(elf, section);

	*part = (struct cairn_range){ section->offset, section->offset + section->size };
	return bytes.size > 0 && bytes.size <= FILES_SECTION;
}

static bool want_frames(struct cairn_files *files, const struct elf *elf, uint32_t type,
                        struct cairn_range *part)
{
	struct elf_section section;

	(void)type;
	if (elf_find_section(elf, ".zdebug_frame", &section))
		files->frames.everywhere = true;
	if (!elf_find_section(elf, ".debug_frame", &section) || section.size == 0 ||
	    section.type == ELF_SHT_NOBITS)
		return false;
	if (!(section.flags & ELF_SHF_COMPRESSED) && locate_section_bytes(elf, &section, part))
		return true;
	files->frames.everywhere = true;
	return false;
}

static void take_frames(struct cairn_files *files, const struct elf *elf, uint32_t type,
                        bool unread)
{
	struct elf_section section;

	(void)type;
	if (unread || !elf_find_section(elf, ".debug_frame", &section))
		files->frames.everywhere = true;
	else
		files_add_frames(files, elf_section_bytes(elf, &section), elf->big,
		                 elf->wide ? 8 : 4);
}

static bool want_link(struct cairn_files *files, const struct elf *elf, uint32_t type,
                      struct cairn_range *part)
{
	struct elf_section section;

	(void)type;
	if (files->program || !is_program(elf))
		return false;
	files->program = true;
	return elf_find_section(elf, ".gnu_debuglink", &section) && section.size < FILES_LINK &&
	       locate_section_bytes(elf, &section, part);
}

static void take_link(struct cairn_files *files, const struct elf *elf, uint32_t type, bool unread)
{
	struct elf_section section;

	(void)type;
	if (unread || !elf_find_section(elf, ".gnu_debuglink", &section))
		return;
	struct cairn_bytes bytes = elf_section_bytes(elf, &section);
	memcpy(files->link, bytes.data, bytes.size);
	files->link[bytes.size] = '\0';
}

static bool want_symbols(struct cairn_files *files, const struct elf *elf, uint32_t type,
                         struct cairn_range *part)
{
	struct elf_section table;

	if (!files->wants_symbols || !elf_find_section_of_type(elf, type, &table) ||
	    table.size == 0)
		return false;
	if (locate_section_bytes(elf, &table, part))
		return true;
	files->functions.everywhere = true;
	return false;
}

static void take_symbols(struct cairn_files *files, const struct elf *elf, uint32_t type,
                         bool unread)
{
	struct elf_section table;

	if (unread || !elf_find_section_of_type(elf, type, &table))
		files->functions.everywhere = true;
	else
		files_add_symbols(files, elf, &table);
}

static bool want_async(struct cairn_files *files, const struct elf *elf, uint32_t type,
                       struct cairn_range *part)
{
	struct elf_section table, names;

	return files->wants_async && elf_find_section_of_type(elf, type, &table) &&
	       elf_section(elf, table.link, &names) && locate_section_bytes(elf, &names, part);
}

/* The table itself has been read before its names (want_symbols()). */
static void take_async(struct cairn_files *files, const struct elf *elf, uint32_t type, bool unread)
{
	struct elf_section table;

	if (!unread && elf_find_section_of_type(elf, type, &table))
		files_add_async(files, elf, &table);
}

/*
 * The parts of a file that are needed. `want` sets the range of a part in the file; `take`
 * processes its contents, or is called with `unread` set if they are unreadable.
 */
static const struct {
	bool (*want)(struct cairn_files *files, const struct elf *elf, uint32_t type,
	             struct cairn_range *part);
	void (*take)(struct cairn_files *files, const struct elf *elf, uint32_t type, bool unread);
	uint32_t type;
} parts[] = {
	{ want_frames, take_frames, 0 },
	{ want_link, take_link, 0 },
	{ want_symbols, take_symbols, ELF_SHT_SYMTAB },
	{ want_async, take_async, ELF_SHT_SYMTAB },
	{ want_symbols, take_symbols, ELF_SHT_DYNSYM },
	{ want_async, take_async, ELF_SHT_DYNSYM },
};

/*
 * Each part takes two steps: the first requests a range of the file, the second processes its
 * contents. The second step is skipped if the first one requests nothing.
 */
bool cairn_files_part(struct cairn_files *files, struct cairn_bytes file, unsigned *step,
                      bool unread, struct cairn_range *part)
{
	struct elf elf;

	if (!elf_opens(file, &elf))
		return false;
	while (*step / 2 < sizeof(parts) / sizeof(parts[0])) {
		const unsigned now = (*step)++, number = now / 2;
		if (now % 2 == 1)
			parts[number].take(files, &elf, parts[number].type, unread);
		else if (parts[number].want(files, &elf, parts[number].type, part))
			return true;
		else
			++*step;
	}
	return false;
}

bool cairn_files_other_part(struct cairn_files *files, struct cairn_bytes file, bool read,
                            struct cairn_range *part)
{
	struct elf_section section;
	struct elf elf;

	if (files->other_count == FILES_OTHERS || !elf_opens(file, &elf) ||
	    !elf_find_section(&elf, ".sframe", &section) ||
	    !locate_section_bytes(&elf, &section, part))
		return false;
	if (section.size > FILES_OTHER)
		part->high = part->low + FILES_OTHER;
	const struct cairn_bytes start = { file.data + part->low,
		                           (size_t)(part->high - part->low) };
	if (read)
		files->others[files->other_count++] =
			(struct files_other){ section.va, section.size, hash_bytes(start) };
	return true;
}

bool cairn_files_have_program(const struct cairn_files *files)
{
	return files->program;
}

const char *cairn_files_link(const struct cairn_files *files)
{
	return files->link;
}

/*
 * Stores the files that the host supplies for a module, and answers queries about their contents.
 */

void cairn_space_give_files(struct cairn_space *space, uint64_t pc, struct cairn_files *files)
{
	struct module *module = space_query(space, pc);

	if (!module) {
		cairn_files_free(files);
		return;
	}
	cairn_files_free(module->files);
	module->files = files;
}

/* Return true if the .sframe section in memory belongs to a different build at the same address. */
static bool has_table_of_other(const struct module *module, const struct cairn_files *files)
{
	if (files->program || module->sframe != MODULE_SFRAME_READY)
		return false;
	for (size_t i = 0; i < files->other_count; i++) {
		const struct files_other *other = &files->others[i];
		const struct cairn_bytes table = { module->sframe_bytes,
			                           other->size < FILES_OTHER ? (size_t)other->size
			                                                     : FILES_OTHER };
		if (other->va == module->sframe_va && other->size == module->sframe_size &&
		    table.size <= module->sframe_held && hash_bytes(table) == other->hash)
			return true;
	}
	return false;
}

struct cairn_in_files cairn_space_in_files(struct cairn_space *space, uint64_t pc)
{
	struct cairn_in_files answer = { .given = false };

	const struct module *module = space_query(space, pc);
	if (!module || !module->files)
		return answer;
	answer.given = true;
	answer.symbols = module->files->wants_symbols;
	answer.program = module->files->program;
	answer.cfi = files_have_cfi(module->files, pc - module->bias);
	answer.function = module->files->functions.everywhere ||
	                  find_function(module->files, pc - module->bias);
	answer.other = has_table_of_other(module, module->files);
	return answer;
}

/* Assigns the SFrame table in a file created by `cairn sframe create` to its module. */

/*
 * Return true if the file was created for the module's build. A module known only from a report has
 * no build ID, so its file is not checked.
 */
static bool is_made_for(const struct module *module, const struct elf *elf)
{
	const struct cairn_bytes id = elf_build_id(elf);

	if (module->report)
		return true;
	return id.size == module->id_size && memcmp(id.data, module->id, id.size) == 0;
}

enum cairn_status cairn_space_give_sframe(struct cairn_space *space, uint64_t pc,
                                          struct cairn_bytes file, struct cairn_fault *fault)
{
	struct sframe_section section;
	struct elf elf;

	struct module *module = space_query(space, pc);
	if (!module)
		return fault_set(fault, CAIRN_NOT_FOUND, "no module contains the address");
	enum cairn_status status = elf_open(file, &elf, fault);
	if (status != CAIRN_OK)
		return status;
	if (elf_machine(&elf) != module->machine || elf.big != module->big ||
	    !is_made_for(module, &elf))
		return fault_set(fault, CAIRN_MISMATCH, "the file belongs to another build");
	if (sframe_section_find(&elf, &section) != CAIRN_OK)
		return fault_set(fault, CAIRN_NOT_FOUND, "no .sframe in the file");
	if (module_rules(space, module))
		return fault_set(fault, CAIRN_NOT_FOUND, "the module has an .sframe already");
	if (module_adopt_sframe(space, module, section.bytes, section.address))
		return CAIRN_OK;
	*fault = module->fault;
	return fault->status;
}

bool cairn_space_wants_sframe(struct cairn_space *space, uint64_t pc)
{
	struct module *module = space_query(space, pc);

	if (!module || module->side_looked)
		return false;
	module->side_looked = true;
	return module_rules(space, module) == NULL;
}
