/* SPDX-License-Identifier: MIT */
/* cairn/functions.h: inputs of functions, and the files that are made of them, through the callbacks of a host. */
#include <cairn.h>
#include <cairn/functions.h>
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKED FIXTURES "/dwarf/linked"
#define GSYM FIXTURES "/gsym/prog.gsym"

struct bytes {
	uint8_t *data;
	size_t size;
};

/* What a host is told, and the bytes that it takes. */
struct host {
	struct bytes file[2];
	const char *suffix[2]; /* of the files */
	size_t files;
	unsigned messages[CAIRN_MESSAGE_DETAIL + 1];
	char last[512];  /* the text of the last message */
	uint64_t shown;  /* times that progress was told */
	uint64_t cancel; /* at this one; 0: never */
	int failure;     /* what write() returns */
};

static int take_bytes(void *context, const char *suffix, const void *bytes, size_t size)
{
	static const char *const known[] = { "", ".ranges", ".returnpads" };
	struct host *host = context;

	if (host->files == 0 || strcmp(host->suffix[host->files - 1], suffix) != 0) {
		ck_assert(host->files < 2);
		for (size_t i = 0; i < 3; i++)
			if (strcmp(suffix, known[i]) == 0)
				host->suffix[host->files] = known[i];
		ck_assert_ptr_nonnull(host->suffix[host->files]);
		host->files++;
	}
	struct bytes *file = &host->file[host->files - 1];
	file->data = realloc(file->data, file->size + size);
	memcpy(file->data + file->size, bytes, size);
	file->size += size;
	return host->failure;
}

static void take_message(void *context, const struct cairn_message *message)
{
	struct host *host = context;

	host->messages[message->level]++;
	snprintf(host->last, sizeof(host->last), "%s", message->text);
}

static bool show_progress(void *context, uint64_t done, uint64_t all)
{
	struct host *host = context;

	ck_assert(done <= all);
	return ++host->shown != host->cancel;
}

static void free_host(struct host *host)
{
	free(host->file[0].data);
	free(host->file[1].data);
}

static struct cairn_output output_to(struct host *host)
{
	return (struct cairn_output){ sizeof(struct cairn_output), NULL, take_bytes, host };
}

static struct cairn_functions_options options_of(struct host *host)
{
	struct cairn_functions_options options = CAIRN_FUNCTIONS_OPTIONS;

	options.message = take_message;
	options.progress = show_progress;
	options.context = host;
	return options;
}

static struct cairn_functions *open_input(const char *path,
                                          const struct cairn_functions_options *options)
{
	struct cairn_functions *functions = NULL;
	struct cairn_error error;

	ck_assert_msg(cairn_functions_open(path, options, &functions, &error) == CAIRN_OK, "%s: %s",
	              error.path, error.text);
	return functions;
}

/* The GSYM of a file, made with this many threads. */
static void make_gsym(const char *path, unsigned jobs, struct host *host)
{
	struct cairn_functions_options options = options_of(host);
	struct cairn_gsym_summary summary = { .size = sizeof(summary) };
	const struct cairn_output output = output_to(host);
	struct cairn_error error;

	options.jobs = jobs;
	struct cairn_functions *functions = open_input(path, &options);
	ck_assert_msg(cairn_functions_write_gsym(functions, NULL, &output, &summary, &error) ==
	                      CAIRN_OK,
	              "%s", error.text);
	ck_assert_uint_gt(summary.functions, 0);
	ck_assert_uint_eq(summary.bytes, host->file[0].size);
	ck_assert_uint_eq(summary.pieces, 1);
	ck_assert_uint_eq(summary.version, 1);
	cairn_functions_close(functions);
}

START_TEST(gsym_answers_lookups)
{
	struct host host = { .files = 0 };
	struct cairn_lookup_result answer;
	struct cairn_location location;
	struct cairn_symbols *symbols;
	struct cairn_fault fault;

	make_gsym(GSYM, 1, &host);
	const struct cairn_bytes made = { host.file[0].data, host.file[0].size };
	ck_assert(cairn_symbols_open_bytes(made, NULL, &symbols, &fault) == CAIRN_OK);
	ck_assert(cairn_symbols_find(symbols, 0x400110, &answer) == CAIRN_OK);
	ck_assert(cairn_lookup_result_next(&answer, &location));
	ck_assert_uint_eq(location.line, 19);
	ck_assert(memcmp(location.function.data, "work", 4) == 0);
	cairn_symbols_free(symbols);
	free_host(&host);
}
END_TEST

START_TEST(threads_do_not_matter)
{
	struct host one = { .files = 0 }, four = { .files = 0 };

	make_gsym(LINKED, 1, &one);
	make_gsym(LINKED, 4, &four);
	ck_assert_uint_eq(one.file[0].size, four.file[0].size);
	ck_assert_mem_eq(one.file[0].data, four.file[0].data, one.file[0].size);
	ck_assert_uint_gt(one.shown, 0);
	free_host(&one);
	free_host(&four);
}
END_TEST

START_TEST(one_input_is_written_in_several_formats)
{
	struct host host = { .files = 0 }, object = { .files = 0 };
	struct cairn_symbfile_summary summary = { .size = sizeof(summary) };
	struct cairn_symbol_object_summary written = { .size = sizeof(written) };
	struct cairn_symbol_object_options options = CAIRN_SYMBOL_OBJECT_OPTIONS;
	const struct cairn_output output = output_to(&host), to_object = output_to(&object);
	struct cairn_functions *functions = open_input(LINKED, NULL);
	struct cairn_error error;

	ck_assert_int_eq(cairn_functions_format(functions), CAIRN_FUNCTIONS_ELF);
	ck_assert_int_eq(CAIRN_FUNCTIONS_ELF, CAIRN_SYMBOLS_ELF);
	ck_assert(cairn_functions_write_symbfiles(functions, NULL, &output, &summary, &error) ==
	          CAIRN_OK);
	ck_assert_uint_eq(host.files, 2);
	ck_assert_str_eq(host.suffix[0], ".ranges");
	ck_assert_str_eq(host.suffix[1], ".returnpads");
	ck_assert_uint_eq(summary.range_bytes, host.file[0].size);
	ck_assert_uint_eq(summary.pad_bytes, host.file[1].size);
	options.machine = 62;
	ck_assert(cairn_functions_write_object(functions, &options, &to_object, &written, &error) ==
	          CAIRN_OK);
	ck_assert_uint_eq(written.bytes, object.file[0].size);
	ck_assert_mem_eq(object.file[0].data, "\177ELF", 4);
	cairn_functions_close(functions);
	free_host(&host);
	free_host(&object);
}
END_TEST

/* The summary of a host that knows only the first numbers of it. */
struct short_summary {
	size_t size;
	uint64_t functions, guard;
};

START_TEST(sizes_of_structs_are_kept)
{
	struct host host = { .files = 0 };
	struct short_summary summary = { offsetof(struct short_summary, guard), 0, 77 };
	struct cairn_functions_options options;
	const struct cairn_output output = output_to(&host);
	struct cairn_error error;

	memset(&options, 0xff, sizeof(options)); /* what is after the size is not looked at */
	options.size = sizeof(options.size);
	struct cairn_functions *functions = open_input(GSYM, &options);
	ck_assert(cairn_functions_write_gsym(functions, NULL, &output,
	                                     (struct cairn_gsym_summary *)(void *)&summary,
	                                     &error) == CAIRN_OK);
	ck_assert_uint_gt(summary.functions, 0);
	ck_assert_uint_eq(summary.guard, 77);
	cairn_functions_close(functions);
	free_host(&host);
}
END_TEST

START_TEST(errors_name_file_and_errno)
{
	struct host host = { .failure = ENOSPC };
	struct cairn_functions *functions;
	const struct cairn_output output = output_to(&host);
	const struct cairn_output nowhere = { sizeof(nowhere), "/nowhere/out", NULL, NULL };
	struct cairn_error error;

	ck_assert(cairn_functions_open("/nowhere/prog", NULL, &functions, &error) ==
	          CAIRN_UNREADABLE);
	ck_assert_int_eq(error.system, ENOENT);
	ck_assert_str_eq(error.path, "/nowhere/prog");
	functions = open_input(GSYM, NULL);
	ck_assert(cairn_functions_write_gsym(functions, NULL, &output, NULL, &error) ==
	          CAIRN_UNREADABLE);
	ck_assert_int_eq(error.system, ENOSPC);
	ck_assert(cairn_functions_write_gsym(functions, NULL, &nowhere, NULL, &error) ==
	          CAIRN_UNREADABLE);
	ck_assert_int_eq(error.system, ENOENT);
	ck_assert_str_eq(error.path, "/nowhere/out");
	cairn_functions_close(functions);
	free_host(&host);
}
END_TEST

START_TEST(a_host_cancels)
{
	struct host host = { .cancel = 1 };
	const struct cairn_functions_options options = options_of(&host);
	const struct cairn_output output = output_to(&host);
	struct cairn_functions *functions = open_input(LINKED, &options);
	struct cairn_error error;

	ck_assert(cairn_functions_write_gsym(functions, NULL, &output, NULL, &error) ==
	          CAIRN_CANCELLED);
	ck_assert_int_eq(error.status, CAIRN_CANCELLED);
	ck_assert_uint_eq(host.files, 0);
	host.cancel = 0;
	ck_assert(cairn_functions_write_gsym(functions, NULL, &output, NULL, &error) == CAIRN_OK);
	cairn_functions_close(functions);
	free_host(&host);
}
END_TEST

static const char malformed[] = "MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 prog\n"
				"FUNC 1000 10 0 f\n1000 10 1 0\nODD record\n"
				"FUNC x\nFUNC x\nFUNC x\nFUNC x\nFUNC x\nFUNC x\nFUNC x\n";

/* Messages of a Breakpad file with 7 malformed lines and an unknown one, by what the host wants to hear. */
static const struct {
	const char *name;
	enum cairn_message_level wanted;
	unsigned notes, details;
	const char *last;
} tellings[] = {
	{ "damage alone", CAIRN_MESSAGE_DAMAGE, 0, 0, "" },
	{ "the first flaws", CAIRN_MESSAGE_NOTE, 6, 0, "2 more malformed lines" },
	{ "every flaw", CAIRN_MESSAGE_DETAIL, 5, 4,
	  "ignored: 0 unwind rules, 0 parameter sizes, 0 'm' flags (code shared by several "
	  "symbols)" },
};

START_TEST(messages_are_those_that_are_wanted)
{
	struct host host = { .files = 0 };
	struct cairn_functions_options options = options_of(&host);
	const struct cairn_output output = output_to(&host);
	struct cairn_functions_drop drop;
	struct cairn_error error;
	size_t at = 0;

	options.bytes = (struct cairn_bytes){ (const uint8_t *)malformed, sizeof(malformed) - 1 };
	options.messages = tellings[_i].wanted;
	struct cairn_functions *functions = open_input("lines.sym", &options);
	ck_assert(cairn_functions_write_gsym(functions, NULL, &output, NULL, &error) == CAIRN_OK);
	ck_assert_msg(host.messages[CAIRN_MESSAGE_NOTE] == tellings[_i].notes &&
	                      host.messages[CAIRN_MESSAGE_DETAIL] == tellings[_i].details &&
	                      host.messages[CAIRN_MESSAGE_DAMAGE] == 0,
	              "%s: %u notes, %u details", tellings[_i].name,
	              host.messages[CAIRN_MESSAGE_NOTE], host.messages[CAIRN_MESSAGE_DETAIL]);
	ck_assert_str_eq(host.last, tellings[_i].last);
	ck_assert(cairn_functions_next_drop(functions, &at, &drop));
	ck_assert_str_eq(drop.what, "malformed lines");
	ck_assert_uint_eq(drop.count, 7);
	cairn_functions_close(functions);
	free_host(&host);
}
END_TEST

START_TEST(strict_inputs_fail)
{
	struct host host = { .files = 0 };
	struct cairn_functions_options options = options_of(&host);
	const struct cairn_output output = output_to(&host);
	struct cairn_error error;

	options.bytes = (struct cairn_bytes){ (const uint8_t *)malformed, sizeof(malformed) - 1 };
	options.strict = true;
	struct cairn_functions *functions = open_input("lines.sym", &options);
	ck_assert(cairn_functions_write_gsym(functions, NULL, &output, NULL, &error) ==
	          CAIRN_MALFORMED);
	ck_assert_str_eq(error.path, "lines.sym");
	ck_assert_str_eq(error.text,
	                 "contains 7 malformed lines and 1 lines with unknown keywords");
	cairn_functions_close(functions);
	free_host(&host);
}
END_TEST

START_TEST(damage_is_refused_or_kept)
{
	struct host ranges = { .files = 0 }, host = { .files = 0 };
	struct cairn_functions_options options = options_of(&host);
	struct cairn_gsym_options gsym = CAIRN_GSYM_OPTIONS;
	struct cairn_gsym_summary summary = { .size = sizeof(summary) };
	const struct cairn_output to_ranges = output_to(&ranges), output = output_to(&host);
	struct cairn_functions *functions = open_input(LINKED, NULL);
	struct cairn_error error;

	ck_assert(cairn_functions_write_symbfiles(functions, NULL, &to_ranges, NULL, &error) ==
	          CAIRN_OK);
	cairn_functions_close(functions);
	options.bytes = (struct cairn_bytes){ ranges.file[0].data, ranges.file[0].size - 3 };
	functions = open_input("cut.ranges", &options);
	ck_assert_uint_eq(host.messages[CAIRN_MESSAGE_DAMAGE], 1);
	ck_assert(cairn_functions_write_gsym(functions, &gsym, &output, &summary, &error) ==
	          CAIRN_MALFORMED);
	ck_assert(summary.refused);
	ck_assert_uint_eq(host.files, 0);
	gsym.keep_damaged = true;
	ck_assert(cairn_functions_write_gsym(functions, &gsym, &output, &summary, &error) ==
	          CAIRN_OK);
	ck_assert(!summary.refused);
	cairn_functions_close(functions);
	free_host(&ranges);
	free_host(&host);
}
END_TEST

/* Symbols of another build go into no object. */
START_TEST(builds_are_compared)
{
	struct host host = { .files = 0 };
	struct cairn_symbol_object_options options = CAIRN_SYMBOL_OBJECT_OPTIONS;
	const struct cairn_output output = output_to(&host);
	struct cairn_functions *functions = open_input(GSYM, NULL);
	struct cairn_error error;

	options.program = LINKED;
	ck_assert(cairn_functions_write_object(functions, &options, &output, NULL, &error) ==
	          CAIRN_MISMATCH);
	ck_assert_str_eq(error.path, GSYM);
	ck_assert_str_eq(error.text, "the program has no build ID to compare with");
	options.program = FIXTURES "/gsym/prog";
	ck_assert(cairn_functions_write_object(functions, &options, &output, NULL, &error) ==
	          CAIRN_OK);
	cairn_functions_close(functions);
	free_host(&host);
}
END_TEST

/* Counts the files that are lent as what was shown. */
static int lend_file(void *context, const char *path, struct cairn_open_file *file)
{
	struct host *host = context;
	FILE *in = fopen(path, "rb");
	struct stat about;

	if (!in)
		return errno;
	ck_assert(fstat(fileno(in), &about) == 0);
	uint8_t *bytes = malloc((size_t)about.st_size);
	ck_assert(fread(bytes, 1, (size_t)about.st_size, in) == (size_t)about.st_size);
	fclose(in);
	file->bytes = (struct cairn_bytes){ bytes, (size_t)about.st_size };
	file->handle = bytes;
	host->shown++;
	return 0;
}

static void return_file(void *context, struct cairn_open_file *file)
{
	struct host *host = context;

	host->shown--;
	free(file->handle);
}

START_TEST(files_come_from_the_host)
{
	struct host lender = { .shown = 0 }, host = { .files = 0 }, own = { .files = 0 };
	struct cairn_functions_options options = CAIRN_FUNCTIONS_OPTIONS;
	const struct cairn_output output = output_to(&host);
	struct cairn_error error;

	options.files = (struct cairn_file_access){ lend_file, return_file, &lender };
	struct cairn_functions *functions = open_input(LINKED, &options);
	ck_assert_uint_ge(lender.shown, 1);
	ck_assert(cairn_functions_write_gsym(functions, NULL, &output, NULL, &error) == CAIRN_OK);
	cairn_functions_close(functions);
	ck_assert_uint_eq(lender.shown, 0);
	make_gsym(LINKED, 1, &own);
	ck_assert_mem_eq(host.file[0].data, own.file[0].data, own.file[0].size);
	free_host(&host);
	free_host(&own);
}
END_TEST

START_TEST(files_appear_whole)
{
	char path[] = "/tmp/test_functions.XXXXXX";
	struct cairn_gsym_options gsym = CAIRN_GSYM_OPTIONS;
	struct cairn_gsym_summary summary = { .size = sizeof(summary) };
	struct cairn_functions *functions = open_input(LINKED, NULL);
	struct cairn_error error;
	struct stat about;

	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
	const struct cairn_output output = { sizeof(output), path, NULL, NULL };
	gsym.verify = true;
	ck_assert(cairn_functions_write_gsym(functions, &gsym, &output, &summary, &error) ==
	          CAIRN_OK);
	ck_assert(stat(path, &about) == 0);
	ck_assert_uint_eq((uint64_t)about.st_size, summary.bytes);
	ck_assert_uint_gt(summary.verified_addresses, 0);
	unlink(path);
	cairn_functions_close(functions);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("functions");
	TCase *tests = tcase_create("functions");

	tcase_add_test(tests, gsym_answers_lookups);
	tcase_add_test(tests, threads_do_not_matter);
	tcase_add_test(tests, one_input_is_written_in_several_formats);
	tcase_add_test(tests, sizes_of_structs_are_kept);
	tcase_add_test(tests, errors_name_file_and_errno);
	tcase_add_test(tests, a_host_cancels);
	tcase_add_loop_test(tests, messages_are_those_that_are_wanted, 0,
	                    sizeof(tellings) / sizeof(tellings[0]));
	tcase_add_test(tests, strict_inputs_fail);
	tcase_add_test(tests, damage_is_refused_or_kept);
	tcase_add_test(tests, builds_are_compared);
	tcase_add_test(tests, files_come_from_the_host);
	tcase_add_test(tests, files_appear_whole);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_set_tap(runner, "-");
	srunner_run_all(runner, CK_SILENT);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
