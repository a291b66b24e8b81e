/* SPDX-License-Identifier: MIT */
/* `cairn gsym diff`: compares the symbols in two files for the same program. */
#include "gsym.h"

#include "base/threads.h"
#include "cli/front/functions.h"
#include "cli/front/rights.h"
#include "formats/elf/elf.h"
#include "output/escape.h"
#include "writers/gsym/create.h"
#include "writers/gsym/diff.h"

#include <inttypes.h>
#include <string.h>

/* the same exit statuses as diff(1) and cmp(1) */
enum { DIFF_EQUAL = 0, DIFF_DIFFERS = 1, DIFF_TROUBLE = 2 };

/* A file to compare: either GSYM data, or another format that was converted to GSYM in memory. */
struct diff_file {
	struct gsym_input input;
	/* functions of a converted file; NULL if the file is GSYM */
	struct cairn_functions *functions;
	const struct gsym *gsym;
};

struct diff {
	struct diff_file first, second;
	struct functions_input input;
	struct gsym_diff_options compare;
	bool quiet;
	enum form form;
	struct json json;
	struct allowance printed;
	struct gsym_diff_counts counts;
	bool differs;
	uint64_t head; /* start of the function whose name was printed last; valid if has_head */
	struct cairn_bytes head_name;
	bool has_head;
};

static void diff_file_close(struct diff_file *file);

static bool make_gsym(struct diff *diff, const char *path, struct diff_file *file)
{
	struct gsym_output output;
	struct cairn_fault fault;

	file->functions = functions_input_open(&diff->input, path);
	if (!file->functions)
		return false;
	if (gsym_build_image(file->functions, diff->compare.merged, &output, &diff->input.error) !=
	    CAIRN_OK) {
		functions_input_fail(&diff->input);
		return false;
	}
	progress_end(&diff->input.line);
	file->input.file =
		(struct os_file){ .bytes = { output.data, output.size }, .memory = output.data };
	if (cairn_symbols_open_bytes(file->input.file.bytes, NULL, &file->input.symbols, &fault) !=
	    CAIRN_OK) {
		print_fault_diagnostic(path, NULL, &fault, NULL);
		return false;
	}
	file->gsym = &file->input.symbols->image.gsym;
	return true;
}

/*
 * Return true if the file is neither GSYM nor ELF, for example a Breakpad file, a symbfile or a
 * compressed file.
 */
static bool is_other_format(const char *path)
{
	struct os_file file;

	if (!input_open(path, &file))
		return false;
	enum cairn_symbol_format format;
	const bool other = !symbol_format_of(file.bytes, &format) ||
	                   (format != CAIRN_SYMBOLS_GSYM && format != CAIRN_SYMBOLS_ELF);
	os_file_close(&file);
	return other;
}

static bool diff_file_open(struct diff *diff, const char *path, struct diff_file *file)
{
	struct cairn_fault fault;
	int status;

	*file = (struct diff_file){ .functions = NULL };
	if (gsym_input_try(path, &file->input, &fault, &status)) {
		file->gsym = file->input.gsym;
		return true;
	}
	if (fault.status == CAIRN_OK) /* gsym_input_try() has already printed a diagnostic */
		return false;
	file->input = (struct gsym_input){ .path = path };
	if (fault.status == CAIRN_NOT_FOUND || fault.status == CAIRN_UNSUPPORTED ||
	    is_other_format(path)) {
		if (make_gsym(diff, path, file))
			return true;
		diff_file_close(file);
		return false;
	}
	print_fault_diagnostic(path, NULL, &fault, NULL);
	return false;
}

static void diff_file_close(struct diff_file *file)
{
	gsym_input_close(&file->input);
	cairn_functions_close(file->functions);
	*file = (struct diff_file){ .functions = NULL };
}

/* Text output: "-" precedes contents of the first file, "+" contents of the second. */

static struct cairn_location diff_place(struct diff *diff, const struct function *function,
                                        uint32_t file, uint32_t line)
{
	const struct function_file *path = &function->files[file];
	const struct cairn_location place = { .directory = path->directory,
		                              .file = path->name,
		                              .function = { path->name.data, 0 },
		                              .line = line };

	return printed_location(&diff->printed, &place);
}

static void print_build_id(struct cairn_bytes bytes)
{
	print_hex(stdout, bytes);
	puts(bytes.size ? "" : "none");
}

/* Print a range. The end of a function without a size is unknown, so print only the start. */
static void print_range(uint64_t low, uint64_t high)
{
	if (high > low && high != UINT64_MAX)
		printf("0x%" PRIx64 "..0x%" PRIx64 " ", low, high);
	else
		printf("0x%" PRIx64 " ", low);
}

static void print_name(struct diff *diff, struct cairn_bytes name)
{
	print_text(stdout, printed_text(&diff->printed, name));
}

static void print_head(struct diff *diff, const struct function *function)
{
	if (diff->has_head && diff->head == function->start &&
	    diff->head_name.data == function->name.data &&
	    diff->head_name.size == function->name.size)
		return;
	diff->has_head = true;
	diff->head = function->start;
	diff->head_name = function->name;
	printf("  0x%" PRIx64 " ", function->start);
	print_name(diff, function->name);
	putchar('\n');
}

static void print_whole(struct diff *diff, char sign, const struct function *function)
{
	diff->has_head = false;
	printf("%c ", sign);
	print_range(function->start, function->start + function->size);
	print_name(diff, function->name);
	putchar('\n');
}

static void print_head_field(struct diff *diff, char sign, const struct gsym_difference *difference,
                             const struct function *function)
{
	printf("    %c ", sign);
	if (difference->kind == GSYM_DIFFERENT_RANGE) {
		printf("size 0x%" PRIx64 "\n", function->size);
		return;
	}
	fputs("name ", stdout);
	print_name(diff, function->name);
	putchar('\n');
}

static void print_row(struct diff *diff, char sign, const struct gsym_difference *difference,
                      const struct gsym_difference_side *side)
{
	struct cairn_location place = { .line = 0 };

	if (side->row)
		place = diff_place(diff, side->function, side->row->file, side->row->line);
	printf("    %c ", sign);
	print_range(difference->low, difference->high);
	print_source_location(stdout, &place);
	putchar('\n');
}

static void print_inlined_call(struct diff *diff, char sign,
                               const struct gsym_difference_side *side)
{
	const struct function_inline *call = side->call;

	if (!call)
		return;
	printf("    %c ", sign);
	for (uint32_t i = 0; i < call->ranges; i++)
		print_range(side->function->range[call->range + i].low,
		            side->function->range[call->range + i].high);
	printf("inlined %" PRIu32 " deep: ", call->depth);
	print_name(diff, call->name);
	fputs(" called at ", stdout);
	struct cairn_location place =
		diff_place(diff, side->function, call->call_file, call->call_line);
	print_source_location(stdout, &place);
	putchar('\n');
}

static void print_site(struct diff *diff, char sign, const struct gsym_difference *difference,
                       const struct function_call *site)
{
	if (!site)
		return;
	printf("    %c 0x%" PRIx64 " call site, flags %u:", sign, difference->low, site->flags);
	for (uint32_t i = 0; i < site->callees; i++) {
		putchar(' ');
		print_name(diff, site->callee[i]);
	}
	putchar('\n');
}

static void print_rows(struct diff *diff, const struct gsym_difference *difference)
{
	if (!difference->marks_only) {
		print_row(diff, '-', difference, &difference->first);
		print_row(diff, '+', difference, &difference->second);
		return;
	}
	fputs("    ~ ", stdout);
	print_range(difference->low, difference->high);
	puts("rows or marks for debuggers");
}

static void print_pair(struct diff *diff, const struct gsym_difference *difference)
{
	const struct gsym_difference_side *first = &difference->first,
					  *second = &difference->second;

	print_head(diff, first->function);
	switch (difference->kind) {
	case GSYM_ONLY_FIRST:
	case GSYM_ONLY_SECOND:
		break;
	case GSYM_DIFFERENT_RANGE:
	case GSYM_DIFFERENT_NAME:
		print_head_field(diff, '-', difference, first->function);
		print_head_field(diff, '+', difference, second->function);
		break;
	case GSYM_DIFFERENT_LINES:
		print_rows(diff, difference);
		break;
	case GSYM_DIFFERENT_INLINE:
		print_inlined_call(diff, '-', first);
		print_inlined_call(diff, '+', second);
		break;
	case GSYM_DIFFERENT_CALL:
		print_site(diff, '-', difference, first->site);
		print_site(diff, '+', difference, second->site);
		break;
	}
}

static const char *name_difference(const struct gsym_difference *difference)
{
	switch (difference->kind) {
	case GSYM_ONLY_FIRST:
	case GSYM_ONLY_SECOND:
		return "function";
	case GSYM_DIFFERENT_RANGE:
		return "size";
	case GSYM_DIFFERENT_NAME:
		return "name";
	case GSYM_DIFFERENT_LINES:
		return difference->marks_only ? "marks" : "place";
	case GSYM_DIFFERENT_INLINE:
		return "inlined";
	case GSYM_DIFFERENT_CALL:
		return "call_site";
	}
	return "";
}

static void write_name(struct diff *diff, const char *key, struct cairn_bytes name)
{
	json_text(&diff->json, key, printed_text(&diff->printed, name));
}

static void write_place(struct diff *diff, const struct function *function, uint32_t file,
                        uint32_t line)
{
	static struct location_path path;
	const struct cairn_location place = diff_place(diff, function, file, line);

	location_path(&path, &place);
	json_place(&diff->json, path.text, line, 0);
}

static bool has_side(const struct gsym_difference *difference,
                     const struct gsym_difference_side *side)
{
	if (difference->kind == GSYM_DIFFERENT_INLINE)
		return side->call != NULL;
	if (difference->kind == GSYM_DIFFERENT_CALL)
		return side->site != NULL;
	return side->function != NULL;
}

static void write_side(struct diff *diff, const char *key, const struct gsym_difference *difference,
                       const struct gsym_difference_side *side)
{
	if (!has_side(difference, side))
		return;
	json_object(&diff->json, key);
	if (difference->kind == GSYM_DIFFERENT_INLINE) {
		const struct function_inline *call = side->call;
		const struct cairn_range *range = side->function->range;
		write_name(diff, "function", call->name);
		json_number(&diff->json, "depth", call->depth);
		json_array(&diff->json, "ranges");
		for (uint32_t i = 0; i < call->ranges; i++) {
			json_array(&diff->json, NULL);
			json_address(&diff->json, NULL, range[call->range + i].low);
			json_address(&diff->json, NULL, range[call->range + i].high);
			json_end(&diff->json);
		}
		json_end(&diff->json);
		write_place(diff, side->function, call->call_file, call->call_line);
	} else if (difference->kind == GSYM_DIFFERENT_CALL) {
		json_number(&diff->json, "flags", side->site->flags);
		json_array(&diff->json, "callees");
		for (uint32_t i = 0; i < side->site->callees; i++)
			write_name(diff, NULL, side->site->callee[i]);
		json_end(&diff->json);
	} else if (difference->kind != GSYM_DIFFERENT_LINES) {
		if (difference->kind != GSYM_DIFFERENT_RANGE)
			write_name(diff, "function", side->function->name);
		if (difference->kind != GSYM_DIFFERENT_NAME)
			json_number(&diff->json, "size", side->function->size);
	} else if (side->row)
		write_place(diff, side->function, side->row->file, side->row->line);
	json_end(&diff->json);
}

static const char about[] =
	"Compare two files' information about the code of one program: functions, their names\n"
	"and ranges, the line of each address, inlined calls. A and B are GSYM files, or\n"
	"files that 'cairn gsym create' accepts. Lines of A alone begin with -, lines of B\n"
	"alone with +. Exit status 0: equal; 1: different; 2: a file cannot be read or is\n"
	"damaged.";

static bool take_difference(void *context, const struct gsym_difference *difference)
{
	struct diff *diff = context;

	diff->differs = true;
	if (diff->quiet)
		return false;
	if (diff->form == FORM_JSON) {
		const struct function *function = difference->first.function
		                                          ? difference->first.function
		                                          : difference->second.function;
		json_object(&diff->json, NULL);
		json_string(&diff->json, "difference", name_difference(difference));
		json_address(&diff->json, "start", function->start);
		write_name(diff, "function", function->name);
		json_address(&diff->json, "low", difference->low);
		if (difference->high > difference->low && difference->high != UINT64_MAX)
			json_address(&diff->json, "high", difference->high);
		write_side(diff, "first", difference, &difference->first);
		write_side(diff, "second", difference, &difference->second);
		json_end(&diff->json);
	} else {
		if (!difference->second.function)
			print_whole(diff, '-', difference->first.function);
		else if (!difference->first.function)
			print_whole(diff, '+', difference->second.function);
		else
			print_pair(diff, difference);
	}
	return !diff->printed.over;
}

static void compare_build_ids(struct diff *diff)
{
	struct cairn_bytes a = diff->first.gsym->uuid, b = diff->second.gsym->uuid;

	if (a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0))
		return;
	diff->differs = true;
	if (diff->quiet)
		return;
	if (diff->form == FORM_JSON) {
		json_object(&diff->json, NULL);
		json_string(&diff->json, "difference", "build_id");
		json_hex(&diff->json, "first", diff->first.gsym->uuid);
		json_hex(&diff->json, "second", diff->second.gsym->uuid);
		json_end(&diff->json);
	} else {
		fputs("- build ID ", stdout);
		print_build_id(diff->first.gsym->uuid);
		fputs("+ build ID ", stdout);
		print_build_id(diff->second.gsym->uuid);
	}
}

/*
 * Report damage. Return true if there is any. Such files must not be reported as equal, because
 * damage may hide differences.
 */
static bool report_losses(const struct diff_file *file, const struct gsym_losses *losses)
{
	if (losses->count)
		print_fault_diagnostic(file->input.path, NULL, &losses->first,
		                       "the damaged parts were not compared");
	return losses->count > 0 || (file->functions && file->functions->damaged);
}

static int compare_opened(struct diff *diff)
{
	const struct gsym *a = diff->first.gsym, *b = diff->second.gsym;
	const struct gsym_difference_sink sink = { take_difference, diff };
	struct cairn_fault fault;
	bool in_second;

	diff->printed = gsym_printed(a);
	allowance_add(&diff->printed, 1, gsym_printed(b).left);
	compare_build_ids(diff);
	enum cairn_status status =
		gsym_diff(a, b, &diff->compare, &sink, &diff->counts, &fault, &in_second);
	if (status == CAIRN_OK) {
		bool lost = report_losses(&diff->first, &diff->counts.lost_first);
		lost |= report_losses(&diff->second, &diff->counts.lost_second);
		if (diff->printed.over) {
			print_diagnostic(NULL, "names exceed the size limit; the remaining "
			                       "differences are omitted");
			return DIFF_TROUBLE;
		}
		if (!diff->quiet && diff->form == FORM_JSON) {
			json_object(&diff->json, NULL);
			json_bool(&diff->json, "equal", !diff->differs);
			json_number(&diff->json, "equal_functions", diff->counts.equal);
			json_number(&diff->json, "different_functions", diff->counts.differ);
			json_number(&diff->json, "only_first", diff->counts.only_first);
			json_number(&diff->json, "only_second", diff->counts.only_second);
			json_end(&diff->json);
		} else if (!diff->quiet) {
			const struct gsym_diff_counts *c = &diff->counts;
			printf("functions: %" PRIu64 " equal, %" PRIu64 " different, %" PRIu64
			       " only in the first file, %" PRIu64 " only in the second\n",
			       c->equal, c->differ, c->only_first, c->only_second);
		}
		return lost ? DIFF_TROUBLE : diff->differs ? DIFF_DIFFERS : DIFF_EQUAL;
	}
	const char *path = in_second ? diff->second.input.path : diff->first.input.path;
	if (status == CAIRN_NO_MEMORY)
		print_diagnostic(path, "out of memory");
	else
		print_fault_diagnostic(path, NULL, &fault,
		                       "run 'cairn gsym verify' to list all errors");
	return DIFF_TROUBLE;
}

int gsym_diff_verb(int argc, char **argv)
{
	struct diff diff = { .input = FUNCTIONS_INPUT, .json = json_to(stdout) };
	const struct option options[] = {
		OPTION_JSON(&diff.form),
		OPTION_FLAG("quiet", "print nothing but errors", &diff.quiet),
		OPTION_FLAG("statements", "also compare what breakpoints on lines need",
		            &diff.compare.statements),
		OPTION_FLAG("merged-functions",
		            "also compare functions that share the code of others",
		            &diff.compare.merged),
		OPTION_FLAG("call-sites", "also compare the return addresses of calls",
		            &diff.compare.calls),
		OPTION_DIRECTORIES("directory", "DIR[:DIR...]",
		                   "search these directories for debug files",
		                   &diff.input.options.directories),
		OPTION_NUMBER_OF('j', "jobs", "N", "threads that read DWARF", &diff.input.jobs),
	};
	const struct command command = COMMAND("cairn gsym diff [OPTION...] A B", about, options,
	                                       OPERANDS(2, 2, "A", "B"), .rights = RIGHT_FINDS);
	int status = EXIT_CLEAN;

	diff.input.jobs = threads_default();
	if (!options_parse(&command, &argc, argv, &status))
		return status;
	if (diff.input.jobs < 1 || diff.input.jobs > CAIRN_FUNCTIONS_JOBS_MAX)
		return usage_error(&command, "--jobs must be from 1 to 256");
	diff.input.quiet = true;
	diff.input.progress = !diff.quiet;
	diff.input.options.statements = diff.compare.statements;
	diff.input.options.merged = diff.compare.merged;
	diff.input.options.calls = diff.compare.calls;
	status = DIFF_TROUBLE;
	if (!diff_file_open(&diff, argv[0], &diff.first))
		return DIFF_TROUBLE;
	if (diff_file_open(&diff, argv[1], &diff.second)) {
		rights_end_search();
		status = compare_opened(&diff);
		diff_file_close(&diff.second);
	}
	diff_file_close(&diff.first);
	return status;
}
