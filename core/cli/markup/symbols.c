/* SPDX-License-Identifier: MIT */
/* Finds the symbols of the modules in a log, and demangles names. */
#include "markup.h"

#include "base/bytes.h"
#include "base/path.h"
#include "symbols/symbolizer.h"
#include "symbols/symbols.h"

#include <cairn/dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Return the demangled name in s->readable if `size` is not 0, otherwise `name`. The result is
 * valid until the next call.
 */
static struct cairn_bytes choose_name(struct markup_symbols *s, struct cairn_bytes name,
                                      size_t size)
{
	/* llvm-symbolizer prints Swift names mangled */
	const bool keeps =
		s->any_build && (bytes_begin_with(name, "$") || bytes_begin_with(name, "_$"));

	return size && !keeps ? (struct cairn_bytes){ (uint8_t *)s->readable, size } : name;
}

/*
 * Demangle into s->readable, and return the size or 0. Results are cached, because frames repeat
 * names. A cached name costs the same number of steps as before, so that the limit does not depend
 * on the cache.
 */
static size_t read_remembered_name(struct markup_symbols *s, struct cairn_bytes name)
{
	const bool plain = name.size == 0 || !strchr("_$.", name.data[0]);
	const struct text_cache_entry *known =
		plain || s->naming.over ? NULL : text_cache_find(&s->names, name);
	const uint64_t before = s->naming.left;

	if (known) {
		allowance_draw(&s->naming, known->cost);
		memcpy(s->readable, text_cache_made(known).data, known->made_size);
		return known->made_size;
	}
	const size_t size = demangle_name_within(name, DEMANGLE_LLVM, s->readable,
	                                         sizeof(s->readable), &s->naming);
	const struct cairn_bytes made = { (const uint8_t *)s->readable, size };
	if (!plain && !s->naming.over)
		text_cache_keep(&s->names, name, made, before - s->naming.left);
	return size;
}

/* Return a copy of the demangled name, which is kept in texts[index] until the next lookup. */
static struct cairn_bytes markup_keep_readable(struct markup_symbols *s, size_t index,
                                               struct cairn_bytes name)
{
	size_t size = 0;

	if (!s->raw_names)
		size = read_remembered_name(s, name);
	struct cairn_bytes text = choose_name(s, name, size);
	s->texts[index] = malloc(text.size + 1);
	if (!s->texts[index])
		return name;
	memcpy(s->texts[index], text.data, text.size);
	return (struct cairn_bytes){ (uint8_t *)s->texts[index], text.size };
}

/*
 * Demangle a name that contains a NUL. Like llvm-symbolizer, return the part of the demangled name
 * before the NUL. For demangling, replace the NUL with a byte that does not occur in the name.
 */
static struct cairn_bytes read_to_nul(struct markup_symbols *s, struct cairn_bytes name)
{
	uint8_t copy[DEMANGLE_NAME_MAX], mark = 1;

	while (mark < ' ' && memchr(name.data, mark, name.size))
		mark++;
	if (name.size > sizeof(copy) || mark == ' ')
		return name;
	for (size_t i = 0; i < name.size; i++)
		copy[i] = name.data[i] ? name.data[i] : mark;
	struct cairn_bytes word = { copy, name.size };
	size_t size = demangle_word_within(word, DEMANGLE_LLVM, s->readable, sizeof(s->readable),
	                                   &s->naming);
	const char *end = memchr(s->readable, mark, size);
	if (size == 0)
		return name;
	return (struct cairn_bytes){ (uint8_t *)s->readable,
		                     end ? (size_t)(end - s->readable) : size };
}

struct cairn_bytes markup_symbols_readable(void *symbols, struct cairn_bytes name)
{
	struct markup_symbols *s = symbols;

	if (s->any_build && name.size > 0 && memchr(name.data, '\0', name.size))
		return read_to_nul(s, name);
	size_t size = demangle_word_within(name, DEMANGLE_LLVM, s->readable, sizeof(s->readable),
	                                   &s->naming);

	return choose_name(s, name, size);
}

/*
 * Addresses in a Breakpad file are relative to the first byte of the module. If the program is not
 * available, the link-time address of this byte is inferred from the mappings in the log and the
 * functions in the Breakpad file.
 *
 * Functions are in code mappings, and the first byte is at a page boundary. If the functions fill
 * the mappings so tightly that only one page fits, that page is used. Otherwise the headers are
 * assumed to be at the start of the lowest mapping, unless that is a code mapping: the log may list
 * only code mappings, with the headers in a separate mapping before them.
 */

enum {
	/* a program whose lowest link-time address is below this limit is linked at 0 */
	LINKED_HIGH = 1 << 16,
	/* a module begins with its ELF header, so no function starts before this offset */
	HEADER_SIZE = 52,
	PAGE = 4096, /* smallest page size of the supported machines */
};

void markup_places_add(struct markup_places *places, struct cairn_range vas, bool code)
{
	if (!places->any || vas.low < places->lowest) {
		places->lowest = vas.low;
		places->lowest_is_code = code;
	}
	places->any = true;
	if (!code)
		return;
	if (!places->any_code || vas.low < places->code.low)
		places->code.low = vas.low;
	if (!places->any_code || vas.high > places->code.high)
		places->code.high = vas.high;
	places->any_code = true;
}

static bool find_extent(const struct function_table *list, struct cairn_range *extent)
{
	*extent = (struct cairn_range){ UINT64_MAX, 0 };

	for (size_t i = 0; i < list->count; i++) {
		const struct cairn_range *range = &list->function[i].range;
		if (range->low < HEADER_SIZE)
			continue;
		if (range->low < extent->low)
			extent->low = range->low;
		if (range->high > extent->high)
			extent->high = range->high;
	}
	return extent->low < extent->high;
}

/*
 * Compute the lowest and the highest page in which the module's first byte may be. That byte cannot
 * be above the lowest mapping. Return false if no page is possible.
 */
static bool bound_first_byte(const struct markup_places *places, const struct function_table *list,
                             struct cairn_range *pages)
{
	struct cairn_range extent;

	if (!places->any_code || !find_extent(list, &extent) || extent.high > places->code.high)
		return false;
	uint64_t low = places->code.low > extent.low ? places->code.low - extent.low : 0;
	uint64_t high = places->code.high - extent.high;
	if (high > places->lowest)
		high = places->lowest;
	pages->low = low / PAGE + (low % PAGE != 0);
	pages->high = high / PAGE;
	return pages->low <= pages->high;
}

/*
 * Infer the link-time address of the first byte of a Breakpad file's module. Return false if the
 * log does not determine it.
 */
static bool markup_first_byte(const struct markup_places *places,
                              const struct cairn_symbols *symbols, uint64_t *va)
{
	const uint64_t lowest = places->lowest < LINKED_HIGH ? 0 : places->lowest;
	struct cairn_range pages;

	if (!places->any)
		return false;
	bool bounded = lowest > 0 && bound_first_byte(places, &symbols->functions.list, &pages);
	if (bounded && pages.low == pages.high) {
		*va = pages.low * PAGE;
		return true;
	}
	*va = lowest;
	return lowest == 0 || (!places->lowest_is_code && (!bounded || lowest / PAGE >= pages.low));
}

enum {
	MODULES_MAX = 1024,
	TOLD_MAX = 1 << 24,
};

static void forget_texts(struct markup_symbols *s)
{
	for (size_t i = 0; i < MARKUP_LOCATIONS && s->texts[i]; i++) {
		free(s->texts[i]);
		s->texts[i] = NULL;
	}
}

void markup_symbols_close(struct markup_symbols *s)
{
	forget_texts(s);
	if (s->flaw)
		print_diagnostic("debug information", "%s requested", s->flaw);
	cairn_symbolizer_free(s->symbolizer);
	debuginfod_close(&s->debuginfod);
	interner_finish(&s->told);
	text_cache_finish(&s->names);
	for (size_t i = 0; i < s->exes.count; i++)
		free(s->programs[i]);
}

static bool list_programs(struct markup_symbols *s)
{
	char path[SYMBOL_PATH_MAX];
	uint64_t base;

	for (size_t i = 0; i < s->exes.count; i++) {
		s->programs[i] = calloc(1, sizeof(path));
		if (!s->programs[i])
			return false;
		if (parse_placed_file(s->exes.word[i], path, &base, NULL))
			memcpy(s->programs[i], path, sizeof(path));
	}
	return true;
}

#define NO_FILE "no file with symbols was found"

static bool fetch_debug_file(void *symbols, enum cairn_module_file wanted,
                             struct cairn_bytes build_id, char *path, size_t size)
{
	struct markup_symbols *s = symbols;
	enum debuginfod_answer answer;

	if (wanted != CAIRN_FILE_DEBUG || build_id.size < 2)
		return false;
	const bool found = debuginfod_fetch(&s->debuginfod, wanted, build_id, path, size, &answer);
	if (answer != DEBUGINFOD_FOUND) {
		snprintf(s->no_file, sizeof(s->no_file), NO_FILE "; %s",
		         debuginfod_explain(answer));
		s->why = s->no_file;
	}
	return found;
}

static void credit_file(void *symbols, const char *path, uint64_t size)
{
	(void)path;
	markup_symbols_credit(symbols, size);
}

/*
 * Find the link-time address of the module's first byte, to which addresses in a Breakpad file are
 * relative. Without this address, the file cannot be used.
 */
static bool place_module(void *symbols, const struct cairn_symbol_module *module,
                         const struct cairn_symbols *file, uint64_t *lowest)
{
	struct markup_symbols *s = symbols;
	const struct markup_places places = s->places(s->context, s->asked);

	(void)module;
	if (markup_first_byte(&places, file, lowest))
		return true;
	s->why = "the log does not show where the addresses of the Breakpad file begin; --exe can";
	return false;
}

static void set_search_rules(struct markup_symbols *s, struct cairn_symbolizer_options *options)
{
	options->directories = s->directories;
	options->skip =
		(s->no_system_folders ? CAIRN_SKIP_SYSTEM : 0) |
		((!s->by_path && !s->reports) || s->any_build ? CAIRN_SKIP_MODULE_PATHS : 0) |
		(s->any_build ? CAIRN_SKIP_BUILTIN_SOURCES : 0);
	options->programs = (const char *const *)s->programs;
	options->program_count = s->exes.count;
	options->builds = s->any_build ? CAIRN_BUILD_ANY : CAIRN_BUILD_PROVEN;
	options->ranking = s->any_build ? CAIRN_RANK_FIRST : CAIRN_RANK_LINES;
	options->modules_max = MODULES_MAX;
	options->fetch = s->use_debuginfod && !s->any_build ? fetch_debug_file : NULL;
	options->fetch_context = s;
	options->opened = credit_file;
	options->opened_context = s;
	options->find_lowest = place_module;
	options->find_lowest_context = s;
}

bool markup_symbols_open(struct markup_symbols *s)
{
	struct cairn_symbolizer_options options = CAIRN_SYMBOLIZER_OPTIONS;

	if (!list_programs(s) || !interner_init(&s->told, TOLD_MAX))
		return false;
	set_search_rules(s, &options);
	options.names = s->functions == FUNCTIONS_SHORT ? CAIRN_NAMES_SHORT
	                : s->any_build                  ? CAIRN_NAMES_PLAIN
	                                                : CAIRN_NAMES_QUALIFIED;
	options.paths = s->relative_names ? CAIRN_PATHS_RELATIVE : CAIRN_PATHS_WHOLE;
	options.accept_unnamed = true;
	s->symbolizer = cairn_symbolizer_new(&options);
	return s->symbolizer &&
	       (!s->any_build || !s->symbols_first ||
	        cairn_symbolizer_add(s->symbolizer, &symbolizer_symbol_files) == CAIRN_OK) &&
	       cairn_symbolizer_add(s->symbolizer, cairn_dwarf_source()) == CAIRN_OK;
}

/*
 * Prepare a query about a module. Its path is stored in `path`, which has a capacity of
 * SYMBOL_PATH_MAX bytes.
 */
static struct cairn_symbol_module begin_question(struct markup_symbols *s,
                                                 const struct cairn_markup_module *module,
                                                 char *path)
{
	/*
	 * No file can exist in this directory, so the symbolizer searches for the base name in the
	 * user's directories only.
	 */
	static const char nowhere[] = "/dev/null/";
	const struct cairn_bytes name = module->name, base = base_name(name);
	struct cairn_symbol_module asked = CAIRN_SYMBOL_MODULE;

	forget_texts(s);
	s->asked = module;
	s->why = NULL;
	asked.build_id = module->build_id;
	if (markup_exe_made_path(s, module->build_id, path)) {
		asked.path = path;
		asked.build_id.size = 0;
	} else if (((s->by_path && name.size > 0 && name.data[0] == '/') ||
	            markup_is_opened_path(s, name)) &&
	           name.size < SYMBOL_PATH_MAX && !memchr(name.data, '\0', name.size)) {
		memcpy(path, name.data, name.size);
		path[name.size] = '\0';
		asked.path = path;
	} else if (!s->any_build && asked.build_id.size > 0 && base.size > 0 &&
	           base.size < SYMBOL_PATH_MAX - sizeof(nowhere) &&
	           !memchr(base.data, '\0', base.size)) {
		snprintf(path, SYMBOL_PATH_MAX, "%s%.*s", nowhere, (int)base.size,
		         (const char *)base.data);
		asked.path = path;
	}
	return asked;
}

void markup_symbols_miss(struct markup_symbols *s, const struct cairn_markup_module *module,
                         const char *why)
{
	const uint32_t known = s->told.count;

	s->missing++;
	if (interner_add_copy(&s->told,
	                      module->build_id.size > 0 ? module->build_id : module->name) == known)
		s->say(s->context, module, why);
}

static void report_missing_once(struct markup_symbols *s, const char *why)
{
	markup_symbols_miss(s, s->asked, why);
}

static bool ask_symbolizer(struct markup_symbols *s, const struct cairn_symbol_module *module,
                           uint64_t va, struct cairn_symbol_answer *answer)
{
	if (module->build_id.size == 0 && !module->path) {
		s->missing++;
		return false;
	}
	if (module->build_id.size > MARKUP_ID_MAX) {
		report_missing_once(s, "the build ID is too long");
		return false;
	}
	if (cairn_symbolizer_find(s->symbolizer, module, &va, 1, answer, sizeof(*answer)) !=
	    CAIRN_OK)
		return false;
	s->flaw = answer->flaw ? answer->flaw : s->flaw;
	if (!(answer->missing & CAIRN_MISSING_ALL))
		return true;
	report_missing_once(s, s->why ? s->why
	                       : answer->missing & CAIRN_MISSING_BUILD
	                               ? "a file from another build was found"
	                               : NO_FILE);
	return false;
}

/*
 * Copy up to MARKUP_LOCATIONS locations. If there are more, omit inlined calls but keep the
 * outermost function.
 */
static size_t copy_locations(struct markup_symbols *s, const struct cairn_symbol_answer *answer)
{
	size_t count = answer->count < MARKUP_LOCATIONS ? answer->count : MARKUP_LOCATIONS;

	for (size_t i = 0; i < count; i++)
		s->locations[i] = answer->locations[i];
	if (count > 0)
		s->locations[count - 1] = answer->locations[answer->count - 1];
	return count;
}

/*
 * Complete a result from the symbol table: add the function if it is missing, and the source file
 * if the function has no line. With any_build, function names always come from symbols, as in
 * llvm-symbolizer.
 */
static size_t add_label(struct markup_symbols *s, const struct cairn_symbol_module *module,
                        uint64_t va, size_t count)
{
	struct cairn_location *last = &s->locations[count > 0 ? count - 1 : 0], label;

	if ((!s->any_build && count > 0 && last->file.size > 0) ||
	    !cairn_symbolizer_label(s->symbolizer, module, va, &label))
		return count;
	if (count == 0) {
		*last = label;
		return 1;
	}
	if (s->any_build)
		last->function = label.function;
	if (last->file.size == 0 && bytes_equal(last->function, label.function))
		last->file = label.file;
	return count;
}

/*
 * Return true if a result from DWARF has a function name but no source location. It must be
 * discarded, because llvm-symbolizer prints such a name only with --functions=linkage.
 */
static bool is_name_alone(const struct markup_symbols *s, size_t count)
{
	return s->functions != FUNCTIONS_LINKAGE && count == 1 && s->locations[0].file.size == 0 &&
	       s->locations[0].line == 0;
}

bool markup_symbols_code(void *symbols, const struct cairn_markup_query *question,
                         struct cairn_markup_result *result)
{
	struct markup_symbols *s = symbols;
	char path[SYMBOL_PATH_MAX];
	const struct cairn_symbol_module module = begin_question(s, question->module, path);
	struct cairn_symbol_answer answer;

	if (!ask_symbolizer(s, &module, question->va, &answer))
		return false;
	const bool by_linkage = s->functions == FUNCTIONS_LINKAGE;
	const bool dwarf = !answer.source || strcmp(answer.source, "symbols") != 0;
	size_t count = copy_locations(s, &answer);
	if (dwarf && by_linkage)
		count = add_label(s, &module, question->va, count);
	if (dwarf && is_name_alone(s, count))
		count = 0;
	const bool own = count > 0 && s->locations[count - 1].function.size > 0;
	for (size_t i = 0; i < count; i++) {
		struct cairn_location *l = &s->locations[i];
		if (s->functions == FUNCTIONS_NONE)
			l->function.size = 0;
		if (s->basenames) {
			l->directory.size = 0;
			l->file = base_name(l->file);
		}
		l->function = markup_keep_readable(s, i, l->function);
	}
	result->locations = s->locations;
	result->count = count;
	if (count > 0)
		result->name = s->locations[own && (by_linkage || !dwarf) ? count - 1 : 0].function;
	else
		s->missing++;
	return true;
}

bool markup_symbols_data(void *symbols, const struct cairn_markup_query *question,
                         struct cairn_location *location)
{
	struct markup_symbols *s = symbols;
	char path[SYMBOL_PATH_MAX];
	const struct cairn_symbol_module module = begin_question(s, question->module, path);
	struct cairn_symbol_answer answer = { .count = 0 };
	bool found = module.build_id.size <= MARKUP_ID_MAX &&
	             cairn_symbolizer_label(s->symbolizer, &module, question->va, location);

	if (!found && !ask_symbolizer(s, &module, question->va, &answer))
		return false;
	if (!found && answer.count > 0 && strcmp(answer.source, "symbols") == 0) {
		*location = answer.locations[answer.count - 1];
		found = true;
	}
	if (found)
		location->function = markup_keep_readable(s, 0, location->function);
	else
		s->missing++;
	return true;
}
