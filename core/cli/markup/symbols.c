/* SPDX-License-Identifier: MIT */
/*
 * Finds the symbol files of each module in a log by build ID and looks up code and data addresses
 * in them.
 */
#include "markup.h"

#include "os/heap.h"

#include <stdlib.h>
#include <string.h>

enum {
	FIRST_ROOM = 64,
	FILES_MAX = 4096,
	KEY_MAX = MARKUP_ID_MAX + 1, /* bytes of a build ID that files are known by */
	DWARF_BYTES = 16 << 20, /* that are kept of what was read; then all of it is forgotten */
	DWARF_QUESTIONS = 32,   /* between two looks at how much that is */
	DWARF_OFTEN = 4096,     /* questions in which forgetting twice is too often */
	DWARF_GROWTH = 4,       /* of the bound then, up to the last: */
	DWARF_BYTES_MAX = 1 << 30,
};

static const uint64_t hash_basis = 0xcbf29ce484222325;

static void close_file(struct markup_file *file)
{
	const char *cut = file->names ? debuginfo_names_cut(file->names) : NULL;

	if (cut)
		print_diagnostic("debug information", "%s that was asked for", cut);
	debuginfo_names_close(file->names);
	cairn_symbol_file_close(file->symbols);
	if (file->names)
		os_file_close(&file->elf);
	free(file->id);
	*file = (struct markup_file){ .id = NULL };
}

static void forget_texts(struct markup_symbols *s)
{
	for (size_t i = 0; i < DEBUGINFO_LOCATIONS && s->texts[i]; i++) {
		free(s->texts[i]);
		s->texts[i] = NULL;
	}
}

static void close_files(struct markup_symbols *s)
{
	for (size_t i = 0; i < s->room; i++)
		if (s->files[i].id)
			close_file(&s->files[i]);
	free(s->files);
	s->files = NULL;
	s->room = s->count = 0;
}

void markup_symbols_close(struct markup_symbols *s)
{
	forget_texts(s);
	close_files(s);
	debuginfod_close(&s->debuginfod);
}

/* Where this build ID is, or would be. */
static struct markup_file *find_file_slot(struct markup_file *files, size_t room,
                                          struct cairn_bytes id)
{
	uint64_t hash = hash_basis;

	for (size_t i = 0; i < id.size; i++)
		hash = (hash ^ id.data[i]) * 0x100000001b3;
	for (size_t at = (size_t)hash % room;; at = (at + 1) % room) {
		struct markup_file *f = &files[at];
		if (!f->id || (f->id_size == id.size && memcmp(f->id, id.data, id.size) == 0))
			return f;
	}
}

static bool grow_file_table(struct markup_symbols *s)
{
	size_t room = s->room ? 2 * s->room : FIRST_ROOM;
	struct markup_file *files = calloc(room, sizeof(*files));

	if (!files)
		return false;
	for (size_t i = 0; i < s->room; i++) {
		struct cairn_bytes id = { s->files[i].id, s->files[i].id_size };
		if (s->files[i].id)
			*find_file_slot(files, room, id) = s->files[i];
	}
	free(s->files);
	s->files = files;
	s->room = room;
	return true;
}

/* What is known of the build; NULL when memory is short.  Of very many all are forgotten. */
static struct markup_file *find_or_add_file(struct markup_symbols *s, struct cairn_bytes id)
{
	if (s->count == FILES_MAX)
		close_files(s);
	if (2 * s->count >= s->room && !grow_file_table(s))
		return NULL;
	struct markup_file *f = find_file_slot(s->files, s->room, id);
	if (!f->id) {
		f->id = malloc(id.size + 1);
		if (!f->id)
			return NULL;
		memcpy(f->id, id.data, id.size);
		f->id_size = id.size;
		s->count++;
	}
	return f;
}

/* What is opened counts among the files, not among what is read of them. */
static void search_module_file(struct markup_symbols *s, struct markup_file *f,
                               const struct cairn_markup_module *module)
{
	size_t before = os_heap_used();

	f->looked = true;
	f->why = "no file with symbols was found";
	markup_file_find(s, f, module);
	s->heap = (s->heap ? s->heap : before) + os_heap_used() - before;
}

/* Every frame asks for the ID of its module, so that one without an end has only its beginning compared. */
static struct markup_file *find_build(struct markup_symbols *s, struct cairn_bytes id)
{
	const bool long_id = id.size > MARKUP_ID_MAX;
	struct markup_file *f =
		id.size ? find_or_add_file(s,
	                                   long_id ? (struct cairn_bytes){ id.data, KEY_MAX } : id)
			: NULL;

	if (f && long_id) {
		f->looked = true;
		f->why = "its build ID is too long";
	}
	return f;
}

/* The files of a module, looked for once; NULL when there is none, which is reported once. */
static struct markup_file *find_module_file(struct markup_symbols *s,
                                            const struct cairn_markup_module *module)
{
	struct markup_file *f = find_build(s, module->build_id);

	if (f && !f->looked)
		search_module_file(s, f, module);
	if (f && (f->names || f->symbols))
		return f;
	if (f && !f->told) {
		s->say(s->context, module, f->why);
		f->told = true;
	}
	s->missing++;
	return NULL;
}

/* The readable form, good until the next one; the name itself when it has none. */
static struct cairn_bytes choose_name(struct markup_symbols *s, struct cairn_bytes name,
                                      size_t size)
{
	return size ? (struct cairn_bytes){ (uint8_t *)s->readable, size } : name;
}

/* A copy of the readable name, kept until the next answer. */
static struct cairn_bytes keep_readable(struct markup_symbols *s, size_t index,
                                        struct cairn_bytes name)
{
	size_t size = 0;

	if (!s->raw_names)
		size = demangle_name_within(name, DEMANGLE_LLVM, s->readable, sizeof(s->readable),
		                            &s->naming);
	struct cairn_bytes text = choose_name(s, name, size);
	s->texts[index] = malloc(text.size + 1);
	if (!s->texts[index])
		return name;
	memcpy(s->texts[index], text.data, text.size);
	return (struct cairn_bytes){ (uint8_t *)s->texts[index], text.size };
}

/* The address as the file counts it: Breakpad's from the module's first byte. */
static uint64_t find_file_address(const struct markup_file *f, uint64_t va)
{
	bool from_first = cairn_symbols_format(cairn_symbol_file_symbols(f->symbols)) ==
	                  CAIRN_SYMBOLS_BREAKPAD;

	return from_first ? va - f->first : va;
}

static size_t ask_symbols(struct markup_symbols *s, const struct markup_file *f, uint64_t va)
{
	struct cairn_lookup_result answer;
	size_t count = 0;

	if (cairn_symbols_find(cairn_symbol_file_symbols(f->symbols), find_file_address(f, va),
	                       &answer) != CAIRN_OK)
		return 0;
	while (count < DEBUGINFO_LOCATIONS &&
	       cairn_lookup_result_next(&answer, &s->locations[count]))
		count++;
	return count;
}

static enum debuginfo_paths choose_path_style(const struct markup_symbols *s)
{
	return s->basenames        ? DEBUGINFO_PATH_NAME
	       : s->relative_names ? DEBUGINFO_PATH_RELATIVE
	                           : DEBUGINFO_PATH_WHOLE;
}

static void forget_all(struct markup_symbols *s)
{
	for (size_t i = 0; i < s->room; i++)
		if (s->files[i].names)
			debuginfo_names_release(s->files[i].names);
}

/*
 * A log may ask about all that a program has: what was read of DWARF is bounded.  Reading it again
 * and again takes the number of questions times the size of a unit, so that the bound grows where
 * that happens: what one unit needs is in no proportion to the size of its file.
 */
static void bound_memory(struct markup_symbols *s)
{
	size_t most = s->dwarf_bytes ? s->dwarf_bytes : DWARF_BYTES;

	/* a look walks over the free lists of the heap, which may be long */
	if (++s->questions - s->looked < DWARF_QUESTIONS || !s->has_read)
		return;
	s->looked = s->questions;
	s->has_read = false;
	if (os_heap_used() < s->heap + most)
		return;
	if (s->questions < DWARF_OFTEN && most < DWARF_BYTES_MAX)
		s->dwarf_bytes = DWARF_GROWTH * most;
	forget_all(s);
	s->heap = os_heap_used();
	s->questions = s->looked = 0;
}

/*
 * DWARF's chain of calls; the name of the function itself is better known to the symbol table, and
 * where DWARF knows nothing that may even know the source file.  *own: the table had it.
 */
static size_t ask_elf(struct markup_symbols *s, struct debuginfo_names *names, uint64_t va,
                      bool *own)
{
	struct cairn_location symbol, *last;

	bound_memory(s);
	size_t read = debuginfo_names_units_read(names);
	size_t count = debuginfo_names_chain(names, va, choose_path_style(s),
	                                     s->functions == FUNCTIONS_SHORT, s->locations);
	s->has_read |= debuginfo_names_units_read(names) != read;
	*own = s->functions == FUNCTIONS_LINKAGE && debuginfo_names_symbol(names, va, &symbol);
	if (!*own)
		return count;
	if (count == 0)
		s->locations[count++] = symbol;
	last = &s->locations[count - 1];
	last->function = symbol.function;
	if (last->file.size == 0)
		last->file = symbol.file;
	return count;
}

static struct cairn_bytes find_base_name(struct cairn_bytes path)
{
	for (size_t i = path.size; i > 0; i--)
		if (path.data[i - 1] == '/')
			return (struct cairn_bytes){ path.data + i, path.size - i };
	return path;
}

/* Names as the options want them. */
static void finish_names(struct markup_symbols *s, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct cairn_location *l = &s->locations[i];
		if (s->functions == FUNCTIONS_NONE)
			l->function.size = 0;
		if (s->basenames) {
			l->directory.size = 0;
			l->file = find_base_name(l->file);
		}
		l->function = keep_readable(s, i, l->function);
	}
}

bool markup_symbols_code(void *symbols, const struct cairn_markup_query *question,
                         struct cairn_markup_result *answer)
{
	struct markup_symbols *s = symbols;
	struct markup_file *f = find_module_file(s, question->module);
	bool own = true;
	size_t count;

	forget_texts(s);
	if (!f)
		return false;
	if (f->symbols)
		count = ask_symbols(s, f, question->va);
	else
		count = ask_elf(s, f->names, question->va, &own);
	finish_names(s, count);
	answer->locations = s->locations;
	answer->count = count;
	if (count > 0)
		answer->name = s->locations[own ? count - 1 : 0].function;
	else
		s->missing++;
	return true;
}

bool markup_symbols_data(void *symbols, const struct cairn_markup_query *question,
                         struct cairn_location *location)
{
	struct markup_symbols *s = symbols;
	struct markup_file *f = find_module_file(s, question->module);
	struct cairn_fault fault;
	bool found = false;

	forget_texts(s);
	if (!f)
		return false;
	markup_file_find_data(s, f);
	if (f->names)
		found = debuginfo_names_symbol(f->names, question->va, location);
	else
		found = cairn_symbols_find_function(cairn_symbol_file_symbols(f->symbols),
		                                    find_file_address(f, question->va), location,
		                                    &fault) == CAIRN_OK;
	if (found)
		location->function = keep_readable(s, 0, location->function);
	else
		s->missing++;
	return true;
}

/*
 * As llvm-symbolizer writes a name with NUL in it: readable, up to the NUL.  What stands for it while
 * the name is read is a byte that the name does not have.
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
