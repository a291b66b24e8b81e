/* SPDX-License-Identifier: MIT */
/*
 * Opens the files of modules: each module's own file, checked by its build ID or else by comparing
 * its headers with memory; files for modules whose headers are not in the core; and, through the
 * symbolizer, separate debug files.
 */
#include "stacks.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/target_memory.h"
#include "process/snapshot/minidump_snapshot.h"
#include "process/snapshot/snapshot_modules.h"

#include <stdlib.h>
#include <string.h>

enum {
	PAGE = 4096,
	AT_EXECFN = 31,
	/*
	 * Maximum number of files to open while following the link map, because a damaged link map
	 * may be circular. Equals SNAPSHOT_MODULES_MAX.
	 */
	TRIES_MAX = 1 << 12,
};

static const struct cairn_bytes none = { (const uint8_t *)"", 0 };

/* Clear the fields that locate the section headers, because `strip` changes them. */
static void clear_sections(uint8_t *header, bool wide)
{
	const size_t word = wide ? 8 : 4, counts = wide ? 60 : 48;

	memset(header + 24 + 2 * word, 0, word);
	/* clear e_shnum and e_shstrndx */
	memset(header + counts, 0, 4);
}

/*
 * Return true if the headers of a file without a build ID equal the headers in memory, except for
 * the fields that `strip` changes.
 */
static bool has_same_headers(const struct cairn_stacks *stacks,
                             const struct snapshot_module *module, const struct elf *elf)
{
	const size_t segment = elf->wide ? ELF_SEGMENT_WIDE : ELF_SEGMENT_NARROW;
	uint8_t memory[PAGE], file[PAGE];
	uint64_t end = elf->segments_at + (uint64_t)elf->segments * segment;
	size_t size = end < sizeof(memory) ? (size_t)end : sizeof(memory);

	if (size <= ELF_HEADER_MAX || size > elf->bytes.size ||
	    !memory_read(&stacks->snapshot.memory, module->low, memory, size))
		return false;
	memcpy(file, elf->bytes.data, size);
	clear_sections(file, elf->wide);
	clear_sections(memory, elf->wide);
	return memcmp(memory, file, size) == 0;
}

/* Return the reason why the file does not belong to the module, or NULL if it does. */
static const char *judge_file(const struct cairn_stacks *stacks,
                              const struct snapshot_module *module, struct cairn_bytes file)
{
	struct elf elf;

	if (!elf_opens(file, &elf))
		return "its file is not an ELF file";
	if (!module->has_bias)
		return "its headers are not in the core, so no file can be checked";
	if (module->build_id.size > 0)
		return bytes_equal(elf_build_id(&elf), module->build_id)
		               ? NULL
		               : "its file has another build ID";
	return has_same_headers(stacks, module, &elf) ? NULL : "its file is from another build";
}

/*
 * Set the bias of a minidump's module from its file. A minidump records the address at which each
 * module is loaded, but usually not the address for which it is linked.
 */
static void set_bias(struct cairn_stacks *stacks, size_t index, struct cairn_bytes file)
{
	struct elf elf;

	if (stacks->snapshot.kind == CAIRN_STACKS_MINIDUMP && elf_opens(file, &elf))
		minidump_snapshot_set_bias(&stacks->snapshot.modules[index], &elf);
}

static void give_file(struct cairn_stacks *stacks, size_t index)
{
	const struct located *found = &stacks->modules[index].found;
	struct snapshot_module *module = &stacks->snapshot.modules[index];

	set_bias(stacks, index, found->file.bytes);
	module->file = found->file.bytes;
	module->file_path =
		(struct cairn_bytes){ (const uint8_t *)found->path, strlen(found->path) };
	module->file_why = NULL;
}

bool stacks_fetch_file(struct cairn_stacks *stacks, size_t index, enum cairn_module_file wanted,
                       char *path, size_t size)
{
	const struct snapshot_module *module = &stacks->snapshot.modules[index];

	return stacks->fetch && module->build_id.size > 0 &&
	       vdso_image_size(&stacks->snapshot, module) == 0 &&
	       stacks->fetch(stacks->fetch_context, wanted, module->build_id, path, size);
}

struct file_search {
	struct cairn_stacks *stacks;
	size_t index;
};

static const char *judge_found(void *context, struct cairn_bytes file)
{
	const struct file_search *s = context;

	return judge_file(s->stacks, &s->stacks->snapshot.modules[s->index], file);
}

static int open_kept(void *context)
{
	const struct file_search *s = context;
	const struct snapshot_module *module = &s->stacks->snapshot.modules[s->index];

	return s->stacks->options.open_module
	               ? s->stacks->options.open_module(s->stacks->options.context, module->low,
	                                                module->path)
	               : -1;
}

static bool fetch_program(void *context, char *path, size_t size)
{
	const struct file_search *s = context;

	return stacks_fetch_file(s->stacks, s->index, CAIRN_FILE_PROGRAM, path, size);
}

void stacks_find_file(void *context, size_t index)
{
	static const enum locate_place order[] = { LOCATE_GIVEN,   LOCATE_KEPT,    LOCATE_MAPPED,
		                                   LOCATE_PATH,    LOCATE_LIBRARY, LOCATE_TREES,
		                                   LOCATE_FETCHED, LOCATE_END };
	struct cairn_stacks *stacks = context;
	struct file_search own = { stacks, index };
	struct located *found = &stacks->modules[index].found;
	struct snapshot_module *module = &stacks->snapshot.modules[index];

	if (stacks->modules[index].looked)
		return;
	stacks->modules[index].looked = true;
	struct locate_search search = {
		.order = order,
		.path = module->path,
		.build_id = module->build_id,
		.given = &stacks->options.program,
		.given_count = stacks->options.program != NULL,
		.sysroot = stacks->search.sysroot,
		.directories = stacks->search.directories,
		.no_system = stacks->search.skip & CAIRN_SKIP_SYSTEM,
		.access = &stacks->search.files,
		.judge = judge_found,
		.kept = open_kept,
		.fetch = fetch_program,
		.context = &own,
	};
	const struct snapshot_mapping *mapping =
		snapshot_find_mapping(&stacks->snapshot, module->low);
	if (stacks->snapshot.kind == CAIRN_STACKS_PROCESS && !search.sysroot && mapping &&
	    mapping->has_file) {
		search.pid = stacks->snapshot.living;
		search.low = mapping->low;
		search.high = mapping->high;
	}
	if (locate_file(&search, found))
		give_file(stacks, index);
	else
		module->file_why = found->refused ? found->refused : "its file was not found";
}

const struct snapshot_module *stacks_find_module(struct cairn_stacks *stacks, uint64_t pc,
                                                 size_t *index)
{
	const struct snapshot_module *module = snapshot_find_module(&stacks->snapshot, pc);

	if (!module)
		return NULL;
	*index = (size_t)(module - stacks->snapshot.modules);
	stacks_find_file(stacks, *index);
	return module;
}

/* Copy the vDSO, which is a complete ELF file in memory. Return empty bytes for other modules. */
static struct cairn_bytes copy_image(struct cairn_stacks *stacks, size_t index)
{
	const struct snapshot_module *from = &stacks->snapshot.modules[index];
	struct stacks_module *module = &stacks->modules[index];
	const size_t size = vdso_image_size(&stacks->snapshot, from);

	if (!module->copied && size > 0)
		module->image = malloc(size);
	module->copied = true;
	if (module->image && module->image_size == 0 &&
	    memory_read(&stacks->snapshot.memory, from->low, module->image, size))
		module->image_size = size;
	return module->image_size > 0 ? (struct cairn_bytes){ module->image, module->image_size }
	                              : none;
}

struct cairn_symbol_module stacks_symbol_module(struct cairn_stacks *stacks, size_t index)
{
	struct cairn_symbol_module module = CAIRN_SYMBOL_MODULE;
	const struct snapshot_module *of = &stacks->snapshot.modules[index];
	const struct stacks_module *files = &stacks->modules[index];

	module.path = files->found.path;
	module.build_id = of->build_id;
	module.file = files->found.path ? files->found.file.bytes : copy_image(stacks, index);
	module.has_lowest = of->has_bias;
	module.lowest = of->has_bias ? snapshot_module_start(of) - of->bias : 0;
	return module;
}

struct cairn_bytes stacks_find_debug_file(struct cairn_stacks *stacks, size_t index)
{
	struct cairn_symbol_module module = stacks_symbol_module(stacks, index);
	struct cairn_open_file file;

	stacks->asked = index;
	if (!cairn_symbolizer_file(stacks->symbolizer, &module, CAIRN_FILE_DEBUG, &file))
		return none;
	if (!stacks->modules[index].found.path)
		set_bias(stacks, index, file.bytes);
	return file.bytes;
}

/*
 * Return true if nothing known about the module contradicts the file. A file that is already in use
 * for the module matches.
 */
static bool could_be_file(const struct cairn_stacks *stacks, const struct snapshot_module *module,
                          struct cairn_bytes file)
{
	const size_t length = strlen(stacks->options.program);

	return (!module->has_bias && module->build_id.size == 0) ||
	       (module->file_path.size == length &&
	        memcmp(module->file_path.data, stacks->options.program, length) == 0) ||
	       judge_file(stacks, module, file) == NULL;
}

enum cairn_status cairn_stacks_check_program(struct cairn_stacks *stacks, struct cairn_error *error)
{
	const char *program = stacks->options.program;
	const struct snapshot *snapshot = &stacks->snapshot;
	struct cairn_fault fault;
	struct os_file file;
	struct elf elf;
	size_t i = 0;

	if (!program || snapshot->module_count == 0)
		return CAIRN_OK; /* there is no file or no module to compare */
	const int number = os_file_open_by(&stacks->search.files, program, &file);
	if (number != 0)
		return error_set_system(error, number, program, "cannot be read");
	enum cairn_status status = elf_open(file.bytes, &elf, &fault);
	while (status == CAIRN_OK && i < snapshot->module_count &&
	       !could_be_file(stacks, &snapshot->modules[i], file.bytes))
		i++;
	os_file_close(&file);
	if (status != CAIRN_OK)
		return error_set_fault(error, program, NULL, &fault, NULL);
	return i < snapshot->module_count
	               ? CAIRN_OK
	               : error_set(error, CAIRN_MISMATCH, program, "does not belong to any module");
}

/*
 * Open a file and, if it matches the link map entry (or, if `entry` is NULL, looks like the
 * program), add its module. Keep the file open until a struct stacks_module exists that can own it.
 */
static bool try_file(struct stacks_unlisted *unlisted, const char *path,
                     const struct link_map_entry *entry)
{
	struct cairn_stacks *stacks = unlisted->stacks;
	struct snapshot *snapshot = &stacks->snapshot;
	const struct snapshot_module *module = NULL;
	struct located found = { .path = NULL };
	uint64_t bias = entry ? entry->bias : 0;
	struct elf elf;

	if (unlisted->tries == TRIES_MAX ||
	    os_file_open_by(&stacks->search.files, path, &found.file) != 0)
		return false;
	unlisted->tries++;
	if (elf_opens(found.file.bytes, &elf) &&
	    (entry ? snapshot_is_loaded(snapshot, &elf, entry)
	           : snapshot_is_program(snapshot, &elf, path == stacks->options.program, &bias)))
		module = snapshot_add_unlisted(
			snapshot, &elf, bias,
			entry ? entry->name
			      : (struct cairn_bytes){ (const uint8_t *)path, strlen(path) });
	if (!module || !(found.path = copy_text(path)) ||
	    !array_grow(&unlisted->files, &unlisted->capacity, unlisted->count + 1,
	                sizeof(*unlisted->files))) {
		located_close(&found);
		return false;
	}
	unlisted->files[unlisted->count++] = (struct stacks_unlisted_file){ found, module->low };
	if (!entry)
		unlisted->dynamic = snapshot_dynamic_address(&elf, bias);
	return true;
}

static bool try_name(struct stacks_unlisted *unlisted, struct cairn_bytes name,
                     const struct link_map_entry *entry)
{
	char path[LOCATE_PATH_MAX];

	return locate_path(unlisted->stacks->search.sysroot, name, path) &&
	       try_file(unlisted, path, entry);
}

static void report_missing(const struct cairn_stacks *stacks, struct cairn_bytes path)
{
	if (stacks->options.missing)
		stacks->options.missing(stacks->options.context, path);
}

/*
 * Find the program's file. Try the path given by the user, then the path passed to execve(), which
 * the kernel leaves on the stack, then the paths of mappings.
 */
static void find_program_file(struct stacks_unlisted *unlisted)
{
	struct snapshot *snapshot = &unlisted->stacks->snapshot;
	const char *given = unlisted->stacks->options.program;
	char text[LOCATE_PATH_MAX];
	uint64_t address;
	size_t size = 0;

	if (given && try_file(unlisted, given, NULL))
		return;
	if (snapshot_auxv(snapshot, AT_EXECFN, &address))
		size = memory_read_some(&snapshot->memory, address, text, sizeof(text));
	const char *end = size ? memchr(text, 0, size) : NULL;
	if (end &&
	    try_name(unlisted, (struct cairn_bytes){ (const uint8_t *)text, (size_t)(end - text) },
	             NULL))
		return;
	for (size_t i = 0; i < snapshot->module_count; i++)
		if (!snapshot->modules[i].has_bias &&
		    try_name(unlisted, snapshot->modules[i].path, NULL))
			return;
	report_missing(unlisted->stacks, none);
}

static bool take_entry(void *context, const struct link_map_entry *entry)
{
	struct stacks_unlisted *unlisted = context;
	const struct snapshot *snapshot = &unlisted->stacks->snapshot;

	if (entry->name.size > 0 && !snapshot_has_module(snapshot, entry->dynamic) &&
	    !try_name(unlisted, entry->name, entry))
		report_missing(unlisted->stacks, entry->name);
	return unlisted->tries < TRIES_MAX;
}

void stacks_find_unlisted(struct cairn_stacks *stacks, struct stacks_unlisted *unlisted)
{
	*unlisted = (struct stacks_unlisted){ .stacks = stacks };
	if (stacks->snapshot.kind != CAIRN_STACKS_CORE ||
	    stacks->snapshot.machine == CAIRN_MACHINE_NONE || stacks->options.open_module)
		/*
		 * a host that supplies module files has read the module headers from the live
		 * process
		 */
		return;
	if (snapshot_lacks_program(&stacks->snapshot))
		find_program_file(unlisted);
	snapshot_link_map(&stacks->snapshot, unlisted->dynamic, take_entry, unlisted);
	snapshot_sort_modules(&stacks->snapshot);
}

void stacks_adopt_unlisted(struct stacks_unlisted *unlisted)
{
	struct cairn_stacks *stacks = unlisted->stacks;

	for (size_t i = 0; i < unlisted->count; i++) {
		struct stacks_unlisted_file *kept = &unlisted->files[i];
		const struct snapshot_module *module =
			stacks->modules ? snapshot_find_module(&stacks->snapshot, kept->low) : NULL;
		if (!module || module->low != kept->low || module->file.size > 0) {
			located_close(&kept->found);
			continue;
		}
		const size_t index = (size_t)(module - stacks->snapshot.modules);
		stacks->modules[index].looked = true;
		stacks->modules[index].found = kept->found;
		stacks_report_opened(stacks, kept->found.file.bytes.size);
		give_file(stacks, index);
	}
	free(unlisted->files);
	*unlisted = (struct stacks_unlisted){ .stacks = stacks };
}
