/* SPDX-License-Identifier: MIT */
/* Prints the modules and their build IDs, problems with the input, and modules without symbols. */
#include "bt.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "base/sort.h"
#include "locate/separate_debug_files.h"
#include "os/symbol_path.h"
#include "output/escape.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void print_module_json(struct bt *bt, const struct cairn_loaded_module *module)
{
	struct json json = json_to(stdout);

	json_object(&json, NULL);
	json_address(&json, "low", module->low);
	json_address(&json, "high", module->high);
	if (module->has_bias)
		json_address(&json, "bias", module->bias);
	if (module->remapped)
		json_bool(&json, "remapped", true);
	json_text(&json, "module", bt_printed(bt, module->path));
	if (module->build_id.size > 0)
		json_hex(&json, "build_id", bt_printed_id(bt, module->build_id));
	if (module->package.size > 0)
		json_text(&json, "package", bt_printed(bt, module->package));
	if (module->file.size > 0)
		json_text(&json, "file", bt_printed(bt, module->file));
	else if (module->file_missing)
		json_string(&json, "file_missing", module->file_missing);
	json_end(&json);
}

void bt_print_modules(struct bt *bt)
{
	struct cairn_loaded_module module = CAIRN_SIZED(struct cairn_loaded_module);

	cairn_stacks_find_files(bt->opened);
	for (size_t i = 0; cairn_stacks_module(bt->opened, i, &module); i++)
		if (bt->options.form == FORM_JSON)
			print_module_json(bt, &module);
		else {
			const struct cairn_bytes id = bt_printed_id(bt, module.build_id);
			printf("0x%016" PRIx64 " 0x%016" PRIx64 " ", module.low, module.high);
			print_hex_word(stdout, id);
			fputc(' ', stdout);
			print_word(stdout, bt_printed(bt, module.path));
			if (module.file.size == 0 && module.file_missing)
				printf(" (%s)", module.file_missing);
			fputc('\n', stdout);
		}
}

void bt_print_new_problems(struct bt *bt)
{
	struct cairn_source_problem problem = CAIRN_SIZED(struct cairn_source_problem);

	for (; cairn_stacks_problem(bt->opened, bt->problems, &problem); bt->problems++) {
		/* the offset of a problem may be a thread ID or an address; print it as such */
		static const char next[] = "printing the parts that could be read";
		if (strcmp(problem.part, "JIT code") == 0)
			print_diagnostic(bt->path, "%s: %s at address 0x%" PRIx64 "; %s",
			                 problem.part, problem.fault.what, problem.fault.offset,
			                 next);
		else if (bt->process.kind == CAIRN_STACKS_PROCESS &&
		         problem.fault.status != CAIRN_NOT_FOUND)
			print_diagnostic(bt->path, "%s: %s (LWP %" PRIu64 "); %s", problem.part,
			                 problem.fault.what, problem.fault.offset, next);
		else
			print_fault_diagnostic(bt->path, problem.part, &problem.fault, next);
	}
}

void bt_print_problems(struct bt *bt)
{
	const struct cairn_process *process = &bt->process;

	bt_print_new_problems(bt);
	if (process->left_out > 0)
		print_diagnostic(bt->path,
		                 "too many threads, mappings or modules; %zu of them are omitted",
		                 process->left_out);
	if (process->machine == CAIRN_MACHINE_NONE && process->machine_name)
		print_diagnostic(bt->path, "cannot unwind the stacks of programs for %s",
		                 process->machine_name);
}

/*
 * Return the index of the module that contains `pc`, or `count` if none does. The modules are
 * sorted by address.
 */
static size_t find_module_number(const struct bt *bt, size_t count, uint64_t pc)
{
	struct cairn_loaded_module module = CAIRN_SIZED(struct cairn_loaded_module);
	struct bisection search = bisect_begin(count);

	while (search.low < search.high)
		bisect_narrow(&search, cairn_stacks_module(bt->opened, search.middle, &module) &&
		                               module.low <= pc);
	return search.low > 0 && cairn_stacks_module(bt->opened, search.low - 1, &module) &&
	                       pc - module.low < module.high - module.low
	               ? search.low - 1
	               : count;
}

static bool is_repeated(const struct bt *bt, const bool *seen, size_t number, struct cairn_bytes id)
{
	struct cairn_loaded_module module = CAIRN_SIZED(struct cairn_loaded_module);

	for (size_t i = 0; i < number && cairn_stacks_module(bt->opened, i, &module); i++)
		if (seen[i] && bytes_equal(module.build_id, id))
			return true;
	return false;
}

bool bt_print_build_ids(struct bt *bt)
{
	const size_t count = cairn_stacks_modules(bt->opened);
	bool *seen = calloc(count + 1, sizeof(*seen));
	struct cairn_loaded_module module = CAIRN_SIZED(struct cairn_loaded_module);
	bool any = false;

	if (!seen)
		return false;
	/* seen[count] stands for all addresses outside modules */
	for (size_t i = 0; i < bt->stack_count; i++)
		for (size_t k = 0; k < bt->stacks[i].count; k++)
			seen[find_module_number(bt, count, bt->stacks[i].frames[k].lookup)] = true;
	for (size_t k = 0; cairn_stacks_module(bt->opened, k, &module); k++) {
		/* skip the vDSO, because the core contains it and there is no file to look for */
		if (!seen[k] || module.build_id.size == 0 || module.path.size == 0 ||
		    module.path.data[0] == '[' || is_repeated(bt, seen, k, module.build_id))
			continue;
		const struct cairn_bytes id = bt_printed_id(bt, module.build_id);
		print_hex(stdout, id);
		putchar('\n');
		any = true;
	}
	free(seen);
	return any;
}

/*
 * Reports modules whose frames have no names: where cairn searched for symbols, and what the user
 * can do.
 */

enum {
	/* maximum number of modules named in the message on standard error; --explain prints all */
	NAMED_MODULES = 2,
	/*
	 * maximum number of recorded modules, because each nameless frame is compared with all of
	 * them
	 */
	MODULES_MAX = 1 << 8
};

void bt_note_nameless(struct bt *bt, uint64_t address)
{
	struct bt_nameless_modules *all = &bt->nameless;
	struct cairn_loaded_module module = CAIRN_SIZED(struct cairn_loaded_module);
	size_t i = 0;

	if (!cairn_stacks_module_at(bt->opened, address, &module))
		return;
	while (i < all->count && all->module[i].low != module.low)
		i++;
	if (i == all->count) {
		if (i == MODULES_MAX ||
		    !array_grow(&all->module, &all->capacity, i + 1, sizeof(*all->module)))
			return;
		all->module[all->count++] = (struct bt_nameless_module){ .low = module.low };
	}
	all->module[i].frames++;
}

/*
 * Choose the best advice for the user. The symbols of a module without a build ID can only come
 * from its own file.
 */
static struct cairn_missing_symbols describe_missing(const struct bt *bt,
                                                     const struct cairn_loaded_module *module)
{
	struct cairn_missing_symbols missing = CAIRN_MISSING_SYMBOLS;

	missing.directories = bt->options.directories ? "--directory" : NULL;
	missing.without_id =
		module->file.size > 0
			? "link it with --build-id, or give an unstripped copy as PROGRAM"
			: "give its file as PROGRAM, or its root directory with --sysroot";
	if (!bt->options.use_debuginfod)
		missing.by_servers = "--debuginfod asks the servers for them";
	missing.by_hand = module->file.size > 0
	                          ? "'cairn gsym create' creates them from an unstripped copy, and "
	                            "--directory names their directory"
	                          : "its file is missing too: give it as PROGRAM, or its root "
	                            "directory with --sysroot";
	return missing;
}

struct missing_line {
	struct bt *bt;
	FILE *out;
};

static void write_piece(void *context, const char *bytes, size_t size, bool is_name)
{
	const struct missing_line *line = context;

	if (is_name)
		print_text(line->out, bt_printed(line->bt, (struct cairn_bytes){
								   (const uint8_t *)bytes, size }));
	else
		fwrite(bytes, 1, size, line->out);
}

static void write_line(struct bt *bt, FILE *out, const struct cairn_loaded_module *first)
{
	const struct bt_nameless_modules *all = &bt->nameless;
	struct cairn_missing_symbols missing = describe_missing(bt, first);
	struct cairn_missing_module named[NAMED_MODULES];
	struct missing_line line = { bt, out };
	struct cairn_loaded_module module = CAIRN_SIZED(struct cairn_loaded_module);

	for (size_t i = 0; i < all->count && i < NAMED_MODULES; i++)
		if (cairn_stacks_module_at(bt->opened, all->module[i].low, &module))
			named[missing.module_count++] =
				(struct cairn_missing_module){ module.path, module.low,
				                               bt_printed_id(bt, module.build_id) };
	missing.modules = named;
	missing.count = all->count;
	missing.write = write_piece;
	missing.context = &line;
	cairn_missing_symbols_write(&missing);
}

/* Writes to standard error, because scripts parse the stacks on standard output. */
void bt_report_nameless(struct bt *bt)
{
	const struct bt_nameless_modules *all = &bt->nameless;
	struct cairn_loaded_module first = CAIRN_SIZED(struct cairn_loaded_module);
	size_t size = 0;
	char *text = NULL;

	if (bt->options.quiet || all->count == 0 ||
	    !cairn_stacks_module_at(bt->opened, all->module[0].low, &first))
		return;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return;
	write_line(bt, out, &first);
	if (fclose(out) == 0)
		print_diagnostic(
			bt->path, "%s%s", text,
			bt->options.explain ? "" : "; use --explain to list all paths searched");
	free(text);
}

static void print_place(struct bt *bt, const char *path)
{
	fputs("  ", stdout);
	print_text(stdout, bt_printed(bt, borrow_string(path)));
}

static void explain_symbol_paths(struct bt *bt, const struct cairn_loaded_module *module,
                                 const char *extension)
{
	const struct cairn_bytes known = module->file.size > 0 ? module->file : module->path;
	char binary[SYMBOL_PATH_MAX];

	snprintf(binary, sizeof(binary), "%.*s", (int)known.size, (const char *)known.data);
	struct symbol_path paths =
		symbol_path(binary, module->build_id, bt->options.directories, extension);
	while (symbol_path_next(&paths)) {
		struct cairn_symbols *file;
		struct cairn_symbols_options options = CAIRN_SYMBOLS_OPTIONS;
		struct cairn_error error;
		options.build_id = module->build_id;
		const enum cairn_status status =
			cairn_symbols_open(paths.path, &options, &file, &error);
		print_place(bt, paths.path);
		printf(": %s\n",
		       status == CAIRN_OK ? "has no symbols for these addresses" : error.text);
		if (status == CAIRN_OK)
			cairn_symbols_free(file);
	}
}

/*
 * Print the directories that were searched for GSYM files. The GSYM files in them are all from
 * other builds, because a file from this build would have been used.
 */
static void explain_directories(struct bt *bt, const struct cairn_loaded_module *module)
{
	const struct cairn_bytes known = module->file.size > 0 ? module->file : module->path;
	const char *rest = bt->options.directories ? bt->options.directories : "";
	size_t slash = known.size;

	while (slash > 0 && known.data[slash - 1] != '/')
		slash--;
	print_text_between(stdout, "  ", bt_printed(bt, (struct cairn_bytes){ known.data, slash }),
	                   "*.gsym: none is from this build\n");
	while (*rest) {
		const size_t length = strcspn(rest, ":");
		print_text_between(
			stdout, "  ",
			bt_printed(bt, (struct cairn_bytes){ (const uint8_t *)rest, length }),
			"/*.gsym: none is from this build\n");
		rest += length + (rest[length] == ':');
	}
}

/*
 * Print the paths that were tried for debug files. An existing file at one of these paths was used,
 * is damaged, or belongs to a different build.
 */
static void explain_debug_paths(struct bt *bt, const struct cairn_loaded_module *module)
{
	const struct separate_debug_rules rules = { .directories = bt->options.directories };
	struct separate_debug_files *found = malloc(sizeof(*found));
	struct os_file program = { .bytes = { (const uint8_t *)"", 0 } };
	char path[SYMBOL_PATH_MAX];

	snprintf(path, sizeof(path), "%.*s", (int)module->file.size,
	         (const char *)module->file.data);
	if (!found)
		return;
	if (module->file.size > 0 && os_file_open_regular(path, &program) == 0)
		separate_debug_files_find_by(found, path, program.bytes, &rules);
	else
		separate_debug_files_find_by_id(found, path, module->build_id, &rules);
	for (char *at = found->absent, *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
		*end = '\0';
		print_place(bt, at);
		puts(": no such file");
	}
	if (found->absent_more > 0)
		printf("  and %u more paths: no such file\n", found->absent_more);
	if (found->refused[0]) {
		print_place(bt, found->refused);
		puts(": is from another build");
	}
	if (found->debug.path[0]) {
		print_place(bt, found->debug.path);
		puts(": has no symbols for these addresses");
	}
	separate_debug_files_finish(found);
	os_file_close(&program);
	free(found);
}

static void explain_module(struct bt *bt, const struct bt_nameless_module *nameless)
{
	struct cairn_loaded_module module = CAIRN_SIZED(struct cairn_loaded_module);

	if (bt->printed.over || !cairn_stacks_module_at(bt->opened, nameless->low, &module))
		return;
	if (module.path.size > 0)
		print_text(stdout, bt_printed(bt, module.path));
	else
		printf("the module at 0x%" PRIx64, module.low);
	printf(" (%zu frame%s, %s", nameless->frames, nameless->frames == 1 ? "" : "s",
	       module.build_id.size > 0 ? "build ID " : "no build ID");
	print_hex(stdout, bt_printed_id(bt, module.build_id));
	const struct cairn_missing_symbols missing = describe_missing(bt, &module);
	printf("): %s; %s\n",
	       module.file.size > 0  ? "its file was found, but has no names for these addresses"
	       : module.file_missing ? module.file_missing
	                             : "its file was not found",
	       cairn_missing_symbols_help(&missing, module.build_id));
	if (module.build_id.size == 0)
		return;
	explain_symbol_paths(bt, &module, "gsym");
	explain_symbol_paths(bt, &module, "sym");
	explain_directories(bt, &module);
	explain_debug_paths(bt, &module);
}

void bt_explain_nameless(struct bt *bt)
{
	if (bt->nameless.count > 0)
		puts("\nModules without names:");
	for (size_t i = 0; i < bt->nameless.count; i++)
		explain_module(bt, &bt->nameless.module[i]);
}
