/* SPDX-License-Identifier: MIT */
/*
 * Tests the rules that all parts of cairn.h share: the lifetime of an error's strings, structs of hosts compiled with older
 * and newer headers, options with nothing but their size, limits, and stacks that are copied.
 */
#include "unit.h"

#include "fixture_gsym.h"
#include "fixture_minidump.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	VA = 0x1000,
	STACK = 0x7000,
	PROGRAM = 0x400000,
	LIBRARY = 0x600000,
	SIZE = 0x1000,
	WORDS = 16,
	FRAMES = 3,
	SOURCES_MAX = 16,
	FILLER = 0xa5,
	LATER = 24, /* bytes that a later version adds to a struct */
};

static const uint8_t build_id[] = { 1, 2, 3, 4, 5, 6, 7, 8 };

/* A GSYM file with the one function `work`, of this build. */
static struct cairn_bytes make_symbols(struct cairn_bytes id)
{
	static const struct fixture_function_info work = { .start = VA,
		                                           .size = 0x20,
		                                           .name = "work" };
	static struct fixture_out out;
	const struct fixture_gsym made = {
		.version = 1, .width = 2, .base = VA, .uuid = id, .functions = &work, .count = 1
	};

	fixture_gsym(&out, &made, NULL);
	return fixture_out_bytes(&out);
}

static struct cairn_bytes own_id(void)
{
	return (struct cairn_bytes){ build_id, sizeof(build_id) };
}

/* A minidump of two threads: three frames along frame pointers, and a thread without registers. */
static struct cairn_bytes make_dump(void)
{
	static struct fixture_minidump dump;
	const struct fixture_minidump_part none = { 0, 0 };
	const uint64_t words[WORDS] = {
		[3] = LIBRARY + 0x20, [2] = STACK + 32, [5] = PROGRAM + 0x30
	};
	uint64_t values[34] = { [6] = STACK + 16, [7] = STACK, [33] = PROGRAM + 0x10 };
	uint8_t page[SIZE], little[WORDS * 8];

	for (size_t i = 0; i < SIZE; i += 2)
		memcpy(page + i, "\xff\xe0", 2); /* jmp *%rax, which leads anywhere */
	for (size_t i = 0; i < sizeof(little); i++)
		little[i] = (uint8_t)(words[i / 8] >> 8 * (i % 8));
	fixture_minidump_begin(&dump, false);
	fixture_minidump_system(&dump, 9, 2);
	const struct fixture_minidump_part stack = fixture_minidump_bytes(&dump, little,
	                                                                  sizeof(little)),
					   memory = fixture_minidump_bytes(&dump, page, SIZE),
					   context = fixture_minidump_context(
						   &dump, FIXTURE_MINIDUMP_AMD64, values);
	const size_t program = fixture_minidump_text(&dump, "a.exe"),
		     library = fixture_minidump_text(&dump, "b.dll");
	fixture_minidump_open(&dump, 3);
	fixture_out_put(&dump.out, 2, 4);
	fixture_minidump_thread(&dump, 7, STACK, stack, context);
	fixture_minidump_thread(&dump, 8, STACK, stack, none);
	fixture_minidump_close(&dump);
	fixture_minidump_open(&dump, 4);
	fixture_out_put(&dump.out, 2, 4);
	fixture_minidump_module(&dump, PROGRAM, SIZE, program, none);
	fixture_minidump_module(&dump, LIBRARY, SIZE, library, none);
	fixture_minidump_close(&dump);
	fixture_minidump_open(&dump, 5);
	fixture_out_put(&dump.out, 3, 4);
	for (size_t i = 0; i < 3; i++) {
		fixture_out_put(&dump.out, i == 0 ? STACK : i == 1 ? PROGRAM : LIBRARY, 8);
		fixture_minidump_point(&dump, i == 0 ? stack : memory);
	}
	fixture_minidump_close(&dump);
	return unit_exact(fixture_minidump_finish(&dump));
}

static struct cairn_stacks *open_dump(void)
{
	struct cairn_stacks_options options = { .size = sizeof(options), .bytes = make_dump() };
	struct cairn_symbolizer_options search = CAIRN_SYMBOLIZER_OPTIONS;
	struct cairn_stacks *stacks;

	search.sysroot = "/nowhere";
	search.skip = CAIRN_SKIP_SYSTEM;
	options.search = &search;
	ck_assert_int_eq(cairn_stacks_open(&options, &stacks, NULL), CAIRN_OK);
	return stacks;
}

/* 1. Errors */

static void fail_to_read(const char *path, struct cairn_error *error)
{
	struct cairn_file_id id;

	ck_assert_int_eq(cairn_file_id_read(path, (struct cairn_bytes)CAIRN_NO_BYTES, &id, error),
	                 CAIRN_UNREADABLE);
}

static void expect_unread(const struct cairn_error *error, const char *path)
{
	ck_assert_int_eq(error->status, CAIRN_UNREADABLE);
	ck_assert_int_eq(error->system, ENOENT);
	ck_assert(!error->has_offset);
	ck_assert_str_eq(error->path, path);
	ck_assert_str_eq(error->part, "");
	ck_assert_str_eq(error->text, "no such file");
}

START_TEST(errors_describe_the_last_failure)
{
	struct cairn_error first, second;

	fail_to_read("/nowhere/first", &first);
	expect_unread(&first, "/nowhere/first");
	fail_to_read("/nowhere/second", &second);
	expect_unread(&second, "/nowhere/second");
	/* the path of the last error may be an argument */
	fail_to_read(second.path, &second);
	expect_unread(&second, "/nowhere/second");
	fail_to_read("/nowhere/unwanted", NULL);
	expect_unread(&second, "/nowhere/second");
}
END_TEST

static void *fail_elsewhere(void *context)
{
	struct cairn_error error;

	fail_to_read("/nowhere/elsewhere", &error);
	expect_unread(&error, "/nowhere/elsewhere");
	return context;
}

START_TEST(errors_belong_to_a_thread)
{
	struct cairn_error error;
	pthread_t thread;

	fail_to_read("/nowhere/here", &error);
	ck_assert_int_eq(pthread_create(&thread, NULL, fail_elsewhere, NULL), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	expect_unread(&error, "/nowhere/here");
}
END_TEST

static void write_symbols(const char *path, struct cairn_bytes id)
{
	const struct cairn_bytes bytes = make_symbols(id);
	FILE *file = fopen(path, "wb");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes.data, 1, bytes.size, file), bytes.size);
	ck_assert_int_eq(fclose(file), 0);
}

/* A symbolizer rejects a file of another build in its search, which is no error of the host's. */
START_TEST(lookups_keep_errors)
{
	char directory[] = "/tmp/cairn-interface.XXXXXX", binary[64], symbols[80];
	struct cairn_symbol_module module = CAIRN_SYMBOL_MODULE;
	struct cairn_symbolizer_options options = CAIRN_SYMBOLIZER_OPTIONS;
	struct cairn_symbols_options wanted = CAIRN_SYMBOLS_OPTIONS;
	struct cairn_symbol_answer answer;
	struct cairn_symbols *opened;
	struct cairn_error error, search;
	const uint64_t va = VA;

	ck_assert_ptr_nonnull(mkdtemp(directory));
	snprintf(binary, sizeof(binary), "%s/a", directory);
	snprintf(symbols, sizeof(symbols), "%s.gsym", binary);
	write_symbols(symbols, (struct cairn_bytes)BYTES("another build"));
	options.skip = CAIRN_SKIP_SYSTEM | CAIRN_SKIP_CACHE;
	struct cairn_symbolizer *symbolizer = cairn_symbolizer_new(&options);
	ck_assert_ptr_nonnull(symbolizer);
	module.path = binary;
	module.build_id = own_id();
	fail_to_read("/nowhere/kept", &error);
	ck_assert_int_eq(
		cairn_symbolizer_find(symbolizer, &module, &va, 1, &answer, sizeof(answer)),
		CAIRN_OK);
	ck_assert(answer.missing & CAIRN_MISSING_BUILD);
	expect_unread(&error, "/nowhere/kept");
	cairn_symbolizer_free(symbolizer);
	/* the search itself tells of that file, unless it finds another one */
	wanted.build_id = own_id();
	ck_assert_int_eq(cairn_symbols_search(binary, NULL, &wanted, &opened, &search),
	                 CAIRN_NOT_FOUND);
	ck_assert_int_eq(search.status, CAIRN_MISMATCH);
	ck_assert_str_eq(search.path, symbols);
	fail_to_read("/nowhere/kept", &error);
	write_symbols(symbols, own_id());
	ck_assert_int_eq(cairn_symbols_search(binary, NULL, &wanted, &opened, &search), CAIRN_OK);
	ck_assert_str_eq(cairn_symbols_path(opened), symbols);
	expect_unread(&error, "/nowhere/kept");
	cairn_symbols_free(opened);
	unlink(symbols);
	rmdir(directory);
}
END_TEST

/* 2. Structs of older and newer hosts */

/* Bytes of a result behind `size` are as they were before the call. */
static void expect_filler(const void *result, size_t size, size_t end)
{
	for (size_t i = size; i < end; i++)
		ck_assert_uint_eq(((const uint8_t *)result)[i], FILLER);
}

static const size_t frame_sizes[] = {
	offsetof(struct cairn_stack_frame, level), /* nothing but the size */
	offsetof(struct cairn_stack_frame, cfa),   offsetof(struct cairn_stack_frame, handled),
	sizeof(struct cairn_stack_frame),          sizeof(struct cairn_stack_frame) + LATER,
};

START_TEST(results_are_filled_up_to_their_size)
{
	union {
		struct cairn_stack_frame frame;
		uint8_t bytes[sizeof(struct cairn_stack_frame) + LATER];
	} result;
	const size_t size = frame_sizes[_i];
	struct cairn_stacks *stacks = open_dump();
	struct cairn_stack_frame whole = CAIRN_SIZED(struct cairn_stack_frame);

	ck_assert(cairn_stacks_begin(stacks, 0));
	cairn_stacks_frame(stacks, &whole);
	memset(&result, FILLER, sizeof(result));
	result.frame.size = size;
	cairn_stacks_frame(stacks, &result.frame);
	const size_t known = size < sizeof(whole) ? size : sizeof(whole);
	ck_assert_uint_eq(result.frame.size, size);
	if (size > offsetof(struct cairn_stack_frame, pc))
		ck_assert_uint_eq(result.frame.pc, PROGRAM + 0x10);
	if (size > offsetof(struct cairn_stack_frame, module))
		ck_assert_uint_eq(result.frame.module.size, whole.module.size);
	expect_filler(&result, known, sizeof(result));
	cairn_stacks_close(stacks);
}
END_TEST

START_TEST(results_without_a_size_stay_empty)
{
	struct cairn_stacks *stacks = open_dump();
	struct cairn_thread thread = { .size = 0 }, whole = CAIRN_SIZED(struct cairn_thread);
	struct cairn_process process = { .size = 0 };

	ck_assert(cairn_stacks_thread(stacks, 0, &whole));
	ck_assert_uint_eq(whole.size, sizeof(whole));
	ck_assert_uint_eq(whole.tid, 7);
	ck_assert(cairn_stacks_thread(stacks, 0, &thread));
	ck_assert_uint_eq(thread.size, 0);
	ck_assert_uint_eq(thread.tid, 0);
	cairn_stacks_process(stacks, &process);
	ck_assert_int_eq(process.machine, CAIRN_MACHINE_NONE);
	cairn_stacks_close(stacks);
}
END_TEST

static const size_t answer_sizes[] = {
	offsetof(struct cairn_symbol_answer, source),
	offsetof(struct cairn_symbol_answer, fault),
	sizeof(struct cairn_symbol_answer),
	sizeof(struct cairn_symbol_answer) + LATER,
};

START_TEST(answers_have_the_size_of_the_host)
{
	enum { COUNT_OF_VAS = 3 };
	const uint64_t vas[COUNT_OF_VAS] = { VA + 4, VA + 0x100, VA };
	const size_t size = answer_sizes[_i], known = sizeof(struct cairn_symbol_answer);
	_Alignas(8)
		uint8_t answers[(COUNT_OF_VAS + 1) * (sizeof(struct cairn_symbol_answer) + LATER)];
	struct cairn_symbol_module module = { .size = sizeof(module) };
	struct cairn_symbolizer_options options = { .size = sizeof(options),
		                                    .skip = CAIRN_SKIP_BUILTIN_SOURCES };
	struct cairn_symbolizer *symbolizer = cairn_symbolizer_new(&options);
	struct cairn_symbol_source source;
	struct cairn_symbols *symbols;
	struct cairn_fault fault;

	ck_assert_ptr_nonnull(symbolizer);
	ck_assert_int_eq(cairn_symbols_open_bytes(make_symbols(own_id()), NULL, &symbols, &fault),
	                 CAIRN_OK);
	cairn_symbols_as_source(symbols, 0, &source);
	ck_assert_int_eq(cairn_symbolizer_add(symbolizer, &source), CAIRN_OK);
	memset(answers, FILLER, sizeof(answers));
	ck_assert_int_eq(cairn_symbolizer_find(symbolizer, &module, vas, COUNT_OF_VAS,
	                                       (struct cairn_symbol_answer *)answers, size),
	                 CAIRN_OK);
	for (size_t i = 0; i < COUNT_OF_VAS; i++) {
		struct cairn_symbol_answer answer;

		memcpy(&answer, answers + i * size, size < known ? size : known);
		ck_assert_int_eq(answer.status, i == 1 ? CAIRN_NOT_FOUND : CAIRN_OK);
		ck_assert_uint_eq(answer.count, i != 1);
		if (i != 1)
			ck_assert_uint_eq(answer.locations->offset, vas[i] - VA);
		if (size > known)
			expect_filler(answers + i * size, known, size);
	}
	expect_filler(answers, COUNT_OF_VAS * size, sizeof(answers));
	cairn_symbolizer_free(symbolizer);
	cairn_symbols_free(symbols);
}
END_TEST

/* The host has a shorter or a longer struct of options than the library. */
START_TEST(options_of_other_headers)
{
	union {
		struct cairn_symbols_options options;
		uint8_t bytes[sizeof(struct cairn_symbols_options) + LATER];
	} given;
	struct cairn_symbols *symbols;
	struct cairn_fault fault;

	memset(&given, FILLER, sizeof(given));
	given.options = (struct cairn_symbols_options)CAIRN_SYMBOLS_OPTIONS;
	given.options.build_id = own_id();
	given.options.size = sizeof(given);
	ck_assert_int_eq(
		cairn_symbols_open_bytes(make_symbols(own_id()), &given.options, &symbols, &fault),
		CAIRN_OK);
	cairn_symbols_free(symbols);
	/* what is behind the size is not read */
	memset(&given, FILLER, sizeof(given));
	given.options.size = sizeof(size_t);
	ck_assert_int_eq(
		cairn_symbols_open_bytes(make_symbols(own_id()), &given.options, &symbols, &fault),
		CAIRN_OK);
	cairn_symbols_free(symbols);
	given.options.build_id = (struct cairn_bytes)BYTES("another build");
	given.options.size = offsetof(struct cairn_symbols_options, format);
	ck_assert_int_eq(
		cairn_symbols_open_bytes(make_symbols(own_id()), &given.options, &symbols, &fault),
		CAIRN_MISMATCH);
}
END_TEST

/* 3. Options with nothing but their size: bytes that are empty are NULL */

static bool find_no_file(void *context, struct cairn_bytes path, struct cairn_bytes id,
                         struct cairn_captured_file *file)
{
	(void)context, (void)path, (void)id, (void)file;
	return false;
}

static int discard(void *context, const void *bytes, size_t size)
{
	(void)context, (void)bytes, (void)size;
	return 0;
}

START_TEST(options_may_be_empty)
{
	const struct cairn_symbols_options opening = { .size = sizeof(opening) };
	const struct cairn_symbol_module module = { .size = sizeof(module) };
	const struct cairn_symbolizer_options symbolizing = { .size = sizeof(symbolizing) };
	const struct cairn_stacks_options stacks_options = { .size = sizeof(stacks_options) };
	const struct cairn_captured_options captured = { .size = sizeof(captured),
		                                         .find = find_no_file,
		                                         .write = discard };
	const struct cairn_capture_options capturing = { .size = sizeof(capturing) };
	const struct cairn_object_options object_options = { .size = sizeof(object_options),
		                                             .machine = 62 };
	struct cairn_symbolizer *symbolizer = cairn_symbolizer_new(&symbolizing);
	struct cairn_captured_summary summary = CAIRN_SIZED(struct cairn_captured_summary);
	struct cairn_symbol_answer answer;
	struct cairn_capture *capture;
	struct cairn_symbols *symbols;
	struct cairn_stacks *stacks;
	struct cairn_object object;
	struct cairn_error error;
	struct cairn_fault fault;
	const uint64_t va = VA;

	ck_assert_int_eq(
		cairn_symbols_open_bytes(make_symbols(own_id()), &opening, &symbols, &fault),
		CAIRN_OK);
	ck_assert_int_eq(cairn_object_make(symbols, &object_options, &object), CAIRN_OK);
	ck_assert_uint_eq(object.functions, 1);
	cairn_object_free(&object);
	cairn_symbols_free(symbols);
	ck_assert_ptr_nonnull(symbolizer);
	ck_assert_int_eq(
		cairn_symbolizer_find(symbolizer, &module, &va, 1, &answer, sizeof(answer)),
		CAIRN_OK);
	ck_assert_int_eq(answer.status, CAIRN_NOT_FOUND);
	cairn_symbolizer_free(symbolizer);
	ck_assert_int_eq(cairn_symbols_search("/nowhere/a", NULL, &opening, &symbols, &error),
	                 CAIRN_NOT_FOUND);
	ck_assert_int_ne(cairn_stacks_open(&stacks_options, &stacks, &error), CAIRN_OK);
	ck_assert_int_eq(cairn_captured_write(&captured, &summary, &error), CAIRN_NOT_FOUND);
	ck_assert_int_ne(cairn_capture_open(&capturing, &capture, &error), CAIRN_OK);
}
END_TEST

/* 4. Limits */

static enum cairn_status open_nothing(void *context, struct cairn_symbol_search *search,
                                      void **opened, struct cairn_fault *fault)
{
	(void)context, (void)search, (void)opened;
	*fault = (struct cairn_fault){ CAIRN_NOT_FOUND, 0, "nothing there" };
	return CAIRN_NOT_FOUND;
}

static void find_nothing(void *opened, const uint64_t *vas, size_t count,
                         const struct cairn_symbol_taker *taker)
{
	(void)opened, (void)vas, (void)count, (void)taker;
}

static void close_nothing(void *opened)
{
	(void)opened;
}

START_TEST(symbolizers_have_16_sources)
{
	const struct cairn_symbolizer_options options = { .size = sizeof(options),
		                                          .skip = CAIRN_SKIP_BUILTIN_SOURCES };
	const struct cairn_symbol_source source = { .size = sizeof(source),
		                                    .name = "nothing",
		                                    .open = open_nothing,
		                                    .find = find_nothing,
		                                    .close = close_nothing };
	struct cairn_symbolizer *symbolizer = cairn_symbolizer_new(&options);

	ck_assert_ptr_nonnull(symbolizer);
	for (unsigned i = 0; i < SOURCES_MAX; i++)
		ck_assert_int_eq(cairn_symbolizer_add(symbolizer, &source), CAIRN_OK);
	ck_assert_int_eq(cairn_symbolizer_add(symbolizer, &source), CAIRN_LIMIT);
	cairn_symbolizer_free(symbolizer);
}
END_TEST

static enum cairn_status read_nothing(void *context, uint64_t address, void *buffer, size_t size)
{
	(void)context, (void)address, (void)buffer, (void)size;
	return CAIRN_UNREADABLE;
}

START_TEST(spaces_have_4096_reported_modules)
{
	const struct cairn_target target = { read_nothing, NULL };
	struct cairn_space *space = cairn_space_new(&target);
	struct cairn_host_module module = { .name = BYTES("a.so"),
		                            .low = PROGRAM,
		                            .high = PROGRAM + SIZE,
		                            .machine = CAIRN_MACHINE_AMD64 };

	ck_assert_ptr_nonnull(space);
	cairn_space_begin_modules(space);
	for (unsigned i = 0; i < CAIRN_HOST_MODULES_MAX; i++) {
		module.low += 2 * SIZE;
		module.high += 2 * SIZE;
		ck_assert_int_eq(cairn_space_add_module(space, &module), CAIRN_OK);
	}
	/* one more is too many, but a known one is not */
	ck_assert_int_eq(cairn_space_add_module(space, &module), CAIRN_OK);
	module.low += 2 * SIZE;
	module.high += 2 * SIZE;
	ck_assert_int_eq(cairn_space_add_module(space, &module), CAIRN_LIMIT);
	cairn_space_end_modules(space);
	cairn_space_free(space);
}
END_TEST

/* 5. Copied stacks */

static void expect_frames(const struct cairn_stack *stack, size_t count)
{
	static const uint64_t pcs[FRAMES] = { PROGRAM + 0x10, LIBRARY + 0x20, PROGRAM + 0x30 };
	struct cairn_stack_frame frame = CAIRN_SIZED(struct cairn_stack_frame);

	for (size_t i = 0; i < count; i++) {
		ck_assert(cairn_stack_at(stack, i, &frame));
		ck_assert_uint_eq(frame.pc, pcs[i]);
		ck_assert_uint_eq(frame.level, i);
	}
	ck_assert(!cairn_stack_at(stack, count, &frame));
	ck_assert(!cairn_stack_at(stack, SIZE_MAX, &frame));
}

START_TEST(copies_stay_when_stacks_are_walked)
{
	struct cairn_stacks *stacks = open_dump();
	struct cairn_stack_end end = CAIRN_SIZED(struct cairn_stack_end);
	struct cairn_stack *first, *second;

	ck_assert_int_eq(cairn_stack_copy(stacks, 0, 0, &first), CAIRN_OK);
	ck_assert(cairn_stacks_begin(stacks, 0));
	ck_assert(cairn_stacks_next(stacks));
	expect_frames(first, FRAMES);
	ck_assert_int_eq(cairn_stack_copy(stacks, 0, 0, &second), CAIRN_OK);
	expect_frames(first, FRAMES);
	expect_frames(second, FRAMES);
	cairn_stack_free(first);
	expect_frames(second, FRAMES);
	cairn_stack_ended(second, &end);
	ck_assert_int_eq(end.kind, CAIRN_STACK_OUTERMOST);
	ck_assert_str_eq(end.name, "outermost");
	cairn_stack_free(second);
	cairn_stack_free(NULL);
	cairn_stacks_close(stacks);
}
END_TEST

START_TEST(copies_end_at_their_limit)
{
	struct cairn_stacks *stacks = open_dump();
	const size_t limit = (size_t)_i;
	struct cairn_stack_end end = CAIRN_SIZED(struct cairn_stack_end);
	struct cairn_stack *stack;

	ck_assert_int_eq(cairn_stack_copy(stacks, 0, limit, &stack), CAIRN_OK);
	expect_frames(stack, limit < FRAMES ? limit : FRAMES);
	cairn_stack_ended(stack, &end);
	ck_assert_int_eq(end.kind, limit < FRAMES ? CAIRN_STACK_GOES_ON : CAIRN_STACK_OUTERMOST);
	ck_assert_str_eq(end.name, limit < FRAMES ? "goes-on" : "outermost");
	ck_assert_uint_gt(strlen(end.why), 0);
	cairn_stack_free(stack);
	cairn_stacks_close(stacks);
}
END_TEST

START_TEST(copies_need_registers)
{
	struct cairn_stacks *stacks = open_dump();
	struct cairn_stack *stack = NULL;

	ck_assert_uint_eq(cairn_stacks_threads(stacks), 2);
	for (size_t number = 1; number < 4; number++)
		ck_assert_int_eq(cairn_stack_copy(stacks, number, 0, &stack), CAIRN_NOT_FOUND);
	ck_assert_ptr_null(stack);
	cairn_stacks_close(stacks);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("interface");
	TCase *tests = tcase_create("interface");

	tcase_add_test(tests, errors_describe_the_last_failure);
	tcase_add_test(tests, errors_belong_to_a_thread);
	tcase_add_test(tests, lookups_keep_errors);
	tcase_add_loop_test(tests, results_are_filled_up_to_their_size, 0, COUNT(frame_sizes));
	tcase_add_test(tests, results_without_a_size_stay_empty);
	tcase_add_loop_test(tests, answers_have_the_size_of_the_host, 0, COUNT(answer_sizes));
	tcase_add_test(tests, options_of_other_headers);
	tcase_add_test(tests, options_may_be_empty);
	tcase_add_test(tests, symbolizers_have_16_sources);
	tcase_add_test(tests, spaces_have_4096_reported_modules);
	tcase_add_test(tests, copies_stay_when_stacks_are_walked);
	tcase_add_loop_test(tests, copies_end_at_their_limit, 1, FRAMES + 2);
	tcase_add_test(tests, copies_need_registers);
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
