/* SPDX-License-Identifier: MIT */
/*
 * The hot paths, each in a function of its own, for counting their instructions:
 *
 *	paths [NAME]
 *	paths --list
 *
 * Inputs are made first, and each path runs once before it is counted, so that what is read and
 * kept at the first question does not count.  The function counted_NAME() holds nothing but the path; path_counts.sh has
 * callgrind count inside it.  With NAME that path does 11 turns in place of 10: it is the path made a tenth slower
 * by which the guard is tested.
 */
#define _GNU_SOURCE /* process_vm_readv() */
#include "../lib/steps.h"
#include "bench.h"
#include "section.h"

#include "formats/cbf.h"
#include "formats/sframe/sframe.h"
#include "formats/symbfile_write.h"
#include "output/json.h"
#include "symbols/demangle.h"
#include "symbols/index_build.h"
#include "symbols/symbols.h"
#include "unwind/tables/sframe_rules.h"
#include "writers/gsym/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

enum {
	TURNS = 10,
	FUNCTIONS = 2000, /* of each kind of symbols */
	SIZE = 256,       /* of a function */
	QUESTIONS = 512,  /* of one turn */
	FRAMES = 1024,
	LOG = 100000, /* bytes of one turn: ten are one megabyte */
	DEPTH = 32,   /* frames that are unwound */
	BASE = 0x400000,
};

static struct inputs {
	struct section section;
	struct sframe_table table;
	struct cairn_rules *rules, *indexed;
	uint64_t pc[QUESTIONS], va[QUESTIONS];
	struct gsym_output gsym;
	struct cairn_symbols *symbols;
	struct sink symbfile;
	struct symbfile_built built;
	uint8_t cbf[FRAMES * 2 * CBF_INSTRUCTION_MAX];
	size_t cbf_size;
	char log[LOG];
	struct cairn_markup *markup;
	FILE *nowhere;
	struct json json;
	struct cairn_space *space;
	struct function function;
} in;

static const char *slower = "";

/* Not known to the compiler, which would otherwise make one turn of many. */
static unsigned turns_of(const char *name)
{
	return strcmp(name, slower) == 0 ? TURNS + 1 : TURNS;
}

/* The counted function of a path, around `turn`, which is one tenth of it. */
#define PATH(name, turn)                                              \
	void counted_##name(unsigned turns);                          \
	__attribute__((noinline)) void counted_##name(unsigned turns) \
	{                                                             \
		for (unsigned i = 0; i < turns; i++) {                \
			turn();                                       \
		}                                                     \
	}

static void require(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "paths: %s\n", what);
	exit(1);
}

/* SFrame */

static void look_up_in_place(void)
{
	struct sframe_function function;
	struct cairn_fault fault;
	struct cairn_rule rule;
	uint64_t sum = 0;
	uint32_t index;

	for (size_t i = 0; i < QUESTIONS; i++)
		if (sframe_find(&in.table, in.pc[i], &index) &&
		    sframe_function(&in.table, index, &function, &fault) == CAIRN_OK &&
		    sframe_find_rule(&in.table, &function, in.pc[i], &rule, &fault) == CAIRN_OK)
			sum += (uint64_t)rule.cfa.offset;
	bench_use(sum);
}

static void look_up_rules(struct cairn_rules *rules, size_t distinct)
{
	const struct cairn_rule *rule;
	uint64_t sum = 0;

	for (size_t i = 0; i < QUESTIONS; i++)
		if (cairn_rules_find(rules, in.pc[i % distinct], &rule, NULL) == CAIRN_OK)
			sum += (uint64_t)rule->cfa.offset;
	bench_use(sum);
}

static void look_up_hot(void)
{
	enum { HOT = 20 };

	look_up_rules(in.rules, HOT);
}

static void look_up_indexed(void)
{
	look_up_rules(in.indexed, QUESTIONS);
}

static void make_section(void)
{
	struct cairn_fault fault;
	uint64_t random = 1, start;
	uint32_t size;
	size_t at = 0;

	in.section = section_make(2, FUNCTIONS);
	require(sframe_next_table(in.section.bytes, in.section.address, &at, &in.table, &fault) ==
	                CAIRN_OK,
	        "no section");
	for (size_t i = 0; i < QUESTIONS; i++) {
		sframe_extent(&in.table, (uint32_t)(bench_random(&random) % in.table.functions),
		              &start, &size);
		in.pc[i] = start + bench_random(&random) % (size ? size : 1);
	}
	in.rules = cairn_rules_new(in.section.bytes, in.section.address);
	in.indexed = cairn_rules_new(in.section.bytes, in.section.address);
	require(in.rules && in.indexed, "no rules");
	cairn_rules_build_index(in.indexed);
}

PATH(sframe_in_place, look_up_in_place)
PATH(sframe_hot, look_up_hot)
PATH(sframe_indexed, look_up_indexed)

/* GSYM */

static uint64_t sum_answer(struct cairn_lookup_result *answer)
{
	struct cairn_location location;
	uint64_t sum = 0;

	while (cairn_lookup_result_next(answer, &location))
		sum += location.line + location.function.size;
	return sum;
}

static void look_up_uncached(void)
{
	struct cairn_lookup_result answer;
	uint64_t sum = 0;

	for (size_t i = 0; i < QUESTIONS; i++)
		if (cairn_symbols_find_uncached(in.symbols, in.va[i], &answer) == CAIRN_OK)
			sum += sum_answer(&answer);
	bench_use(sum);
}

static void look_up_cached(void)
{
	struct cairn_lookup_result answer;
	uint64_t sum = 0;

	for (size_t i = 0; i < QUESTIONS; i++)
		if (symbols_find(in.symbols, in.va[i], true, &answer) == CAIRN_OK)
			sum += sum_answer(&answer);
	bench_use(sum);
}

/* A function of 32 rows with four inlined calls, two inside the other two. */
static void describe_function(uint64_t number)
{
	enum { ROWS = 32, CALLS = 4, NAMES = 64 };
	static char name[NAMES];
	static struct function_row row[ROWS];
	static struct cairn_range range[CALLS];
	static struct function_inline call[CALLS];
	static const struct cairn_bytes none = { (const uint8_t *)"", 0 };
	static struct function_file file[3];
	uint64_t start = BASE + number * SIZE;
	int size = snprintf(name, sizeof(name), "_ZN5paths8functionEi%05u", (unsigned)number);

	file[0] = (struct function_file){ none, none };
	for (unsigned i = 1; i < 3; i++)
		file[i] = (struct function_file){ { (const uint8_t *)"/src/paths", 10 },
			                          { (const uint8_t *)(i == 1 ? "a.cc" : "b.cc"),
			                            4 } };
	for (unsigned i = 0; i < ROWS; i++)
		row[i] = (struct function_row){ .va = start + i * (SIZE / ROWS),
			                        .file = 1 + i / 5 % 2,
			                        .line = (uint32_t)(100 + number % 700 +
			                                           i * 3 % 11) };
	for (unsigned i = 0; i < CALLS; i++) {
		uint64_t low = start + 16 + (uint64_t)i / 2 * 100 + i % 2 * 8;
		range[i] = (struct cairn_range){ low, low + 60 - i % 2 * 30 };
		call[i] = (struct function_inline){ .depth = 1 + i % 2,
			                            .range = i,
			                            .ranges = 1,
			                            .call_file = 1,
			                            .call_line = 7 + i,
			                            .name = { (const uint8_t *)"inner", 5 } };
	}
	in.function = (struct function){ .start = start,
		                         .size = SIZE - 8,
		                         .name = { (const uint8_t *)name, (size_t)size },
		                         .files = file,
		                         .file_count = 3,
		                         .rows = row,
		                         .row_count = ROWS,
		                         .range = range,
		                         .inlines = call,
		                         .inline_count = CALLS };
}

/* One of them goes through the writer, and a file is made of it. */
static void convert_function(void)
{
	struct gsym_writer_options options = { .version = 1, .base = BASE, .uuid = { NULL, 0 } };
	struct gsym_writer *writer = gsym_writer_new(&options);
	struct gsym_shard *shard = writer ? gsym_writer_shard(writer) : NULL;
	struct gsym_output output;

	require(shard, "no memory");
	struct function_sink sink = gsym_shard_sink(shard);
	require(sink.take(sink.context, &in.function) == CAIRN_OK &&
	                gsym_writer_order(writer) == CAIRN_OK &&
	                gsym_writer_image(writer, 0, UINT64_MAX, &output) == CAIRN_OK,
	        "no GSYM");
	bench_use(output.size);
	free(output.data);
	gsym_writer_free(writer);
}

static void make_gsym(void)
{
	struct gsym_writer_options options = { .version = 1, .base = BASE, .uuid = { NULL, 0 } };
	struct gsym_writer *writer = gsym_writer_new(&options);
	struct function_sink sink = gsym_shard_sink(gsym_writer_shard(writer));
	/* texts are borrowed until the file is made */
	static char names[FUNCTIONS][32];
	struct cairn_fault fault;
	uint64_t random = 2;

	for (uint64_t i = 0; i < FUNCTIONS; i++) {
		describe_function(i);
		memcpy(names[i], in.function.name.data, in.function.name.size);
		in.function.name.data = (const uint8_t *)names[i];
		require(sink.take(sink.context, &in.function) == CAIRN_OK, "no function");
	}
	require(gsym_writer_order(writer) == CAIRN_OK &&
	                gsym_writer_image(writer, 0, UINT64_MAX, &in.gsym) == CAIRN_OK &&
	                cairn_symbols_open_bytes((struct cairn_bytes){ in.gsym.data, in.gsym.size }, NULL,
	                                   &in.symbols, &fault) == CAIRN_OK,
	        "no GSYM");
	gsym_writer_free(writer);
	for (size_t i = 0; i < QUESTIONS; i++)
		in.va[i] = BASE + bench_random(&random) % FUNCTIONS * SIZE +
		           bench_random(&random) % (SIZE - 8);
	describe_function(0);
}

PATH(gsym_uncached, look_up_uncached)
PATH(gsym_cached, look_up_cached)
PATH(gsym_convert, convert_function)

/* Symbfile */

static void look_up_symbfile(void)
{
	struct cairn_location location;
	struct symbfile_chain chain;
	uint64_t sum = 0;

	for (size_t i = 0; i < QUESTIONS; i++)
		if (symbfile_index_find(&in.built.index, in.va[i], &chain))
			while (symbfile_chain_next(&chain, &location))
				sum += location.line;
	bench_use(sum);
}

static void decode_symbfile(void)
{
	struct symbfile file =
		symbfile_open((struct cairn_bytes){ in.symbfile.data, in.symbfile.size });
	struct symbfile_record record;
	uint64_t sum = 0;

	while (symbfile_next(&file, &record))
		sum += record.range.start;
	bench_use(sum);
}

static void make_symbfile(void)
{
	static const char text[] = "a_function_of_paths";
	static const struct symbfile_text name = { .value = 0, .kind = SYMBFILE_REF };
	const struct cairn_bytes table = { (const uint8_t *)text, sizeof(text) - 1 };
	static uint8_t bytes[FUNCTIONS * 3 * 160];
	struct symbfile_writer writer = { 0 };
	struct symbfile_row row[2] = { { 0, 10 }, { 16, 12 } };
	struct symbfile_line_rows lines = { row, 2 };

	in.symbfile = sink_open(bytes, sizeof(bytes));
	symbfile_put_start(&in.symbfile);
	require(symbfile_put_table(&in.symbfile, &table, 1) == SYMBFILE_VALID, "no table");
	for (uint64_t i = 0; i < FUNCTIONS; i++)
		for (uint32_t depth = 0; depth < 3; depth++) {
			struct symbfile_range range = { .start = BASE + i * SIZE + depth * 8,
				                        .length = 200 - depth * 16,
				                        .depth = depth,
				                        .function = name,
				                        .file = name };
			if (depth > 0) {
				range.call_file = name;
				range.call_line = 5;
			}
			require(symbfile_put_range(&writer, &in.symbfile, &range, &lines) ==
			                SYMBFILE_VALID,
			        "no range");
		}
	struct cairn_bytes file = { bytes, in.symbfile.size };
	require(sink_fits(&in.symbfile) && symbfile_build(&file, 1, NULL, &in.built) == CAIRN_OK,
	        "no symbfile");
}

PATH(symbfile_lookup, look_up_symbfile)
PATH(symbfile_decode, decode_symbfile)

/* CBF, of return addresses in three images */

static void decode_cbf(void)
{
	struct cbf c = cbf_open((struct cairn_bytes){ in.cbf, in.cbf_size });
	struct cairn_frame run;
	uint64_t sum = 0;

	while (cbf_next(&c, &run))
		sum += run.value;
	bench_use(sum);
}

static void make_cbf(void)
{
	static const uint64_t base[] = { 0x555555554000, 0x7ffff7c00000, 0x7ffff7e80000 };
	struct cbf_encoder e = cbf_encoder(in.cbf, sizeof(in.cbf), 8, CBF_PROFILE_SPECIFICATION);
	uint64_t random = 3;

	for (size_t i = 0; i < FRAMES; i++) {
		uint64_t address =
			base[bench_random(&random) % 3] + bench_random(&random) % 0x180000;
		struct cairn_frame frame = { CAIRN_FRAME_RETURN, address, 1 };
		cbf_put(&e, &frame);
	}
	require(cbf_finish(&e, &in.cbf_size) == CAIRN_OK, "no CBF");
}

PATH(cbf_decode, decode_cbf)

/* Names */

static void demangle(const char *const *names, size_t count)
{
	static char text[DEMANGLE_TEXT_MAX];
	size_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += demangle_name(
			(struct cairn_bytes){ (const uint8_t *)names[i], strlen(names[i]) },
			DEMANGLE_LLVM, text, sizeof(text));
	bench_use(sum);
}

static void demangle_cplusplus(void)
{
	static const char *const names[] = {
		"_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJRKiEEEvN9__gnu_cxx17__normal_"
		"iteratorIPiS1_EEDpOT_",
		"_ZN7rocksdb10JSONWriter8AddValueEPKc",
		"_ZNKSt8functionIFvvEEclEv",
		"_ZN4ceph6buffer7v15_2_04list6appendEPKcj",
	};

	demangle(names, sizeof(names) / sizeof(names[0]));
}

static void demangle_rust(void)
{
	static const char *const names[] = {
		"_RNvMs_NtCs1234_7mycrate3fooNtB4_3Bar3baz",
		"_RINvNtC3std3mem8align_ofNtNtC3std3mem12DiscriminantE",
	};

	demangle(names, sizeof(names) / sizeof(names[0]));
}

PATH(name_cplusplus, demangle_cplusplus)
PATH(name_rust, demangle_rust)

/* A log of lines without markup, but for a frame in each hundred, always the same */

static void filter_log(void)
{
	require(cairn_markup_feed(in.markup,
	                          (struct cairn_bytes){ (const uint8_t *)in.log, LOG }) == CAIRN_OK,
	        "no log");
}

static void drop_text(void *context, const void *text, size_t size)
{
	(void)context;
	(void)text;
	bench_use(size);
}

static bool find_code(void *context, const struct cairn_markup_query *question,
                      struct cairn_markup_result *answer)
{
	static struct cairn_location location = { .function = { (const uint8_t *)"paths", 5 },
		                                  .file = { (const uint8_t *)"paths.c", 7 },
		                                  .line = 7 };

	(void)context;
	(void)question;
	answer->locations = &location;
	answer->count = 1;
	answer->name = location.function;
	return true;
}

static void make_log(void)
{
	static const char context[] = "{{{module:0:paths:elf:ca1f01}}}\n"
				      "{{{mmap:0x10000:0x1000:load:0:rx:0x0}}}\n";
	const struct cairn_markup_options options = { .size = sizeof(struct cairn_markup_options), .style = CAIRN_MARKUP_CAIRN };
	const struct cairn_markup_host host = { .size = sizeof(struct cairn_markup_host), .write = drop_text, .code = find_code };
	size_t used = 0;

	for (unsigned line = 0; used < LOG; line++) {
		char text[128];
		int size = line % 100 == 50 ? snprintf(text, sizeof(text),
		                                       "{{{bt:%u:0x10123:ra}}}\n", line % 7)
		                            : snprintf(text, sizeof(text),
		                                       "12:00:%02u host app[%u]: request took %u "
		                                       "us, status {ok}\n",
		                                       line % 60, line, line * 7);
		size_t fits = (size_t)size < LOG - used ? (size_t)size : LOG - used;
		memcpy(in.log + used, text, fits);
		used += fits;
	}
	in.log[LOG - 1] = '\n';
	in.markup = cairn_markup_new(&options, &host);
	require(in.markup &&
	                cairn_markup_feed(in.markup, (struct cairn_bytes){ (const uint8_t *)context,
	                                                                   sizeof(context) - 1 }) ==
	                        CAIRN_OK,
	        "no filter");
}

PATH(markup, filter_log)

/* JSON: a record for each of a hundred lines of text */

static void write_json(void)
{
	enum { LINE = 80, LINES = 100 };

	for (size_t i = 0; i < LINES; i++) {
		json_object(&in.json, NULL);
		json_string(&in.json, "type", "text");
		json_number(&in.json, "line", i);
		json_address(&in.json, "start", BASE + i);
		json_text(&in.json, "text",
		          (struct cairn_bytes){ (const uint8_t *)in.log + LINE * i, LINE });
		json_end(&in.json);
	}
}

static void make_json(void)
{
	in.nowhere = fopen("/dev/null", "w");
	require(in.nowhere, "no /dev/null");
	in.json = json_to(in.nowhere);
}

PATH(json, write_json)

/* The same log as records: a tenth of a megabyte a turn */

static void write_json_lines(void)
{
	static const char before[] = "{\"type\":\"text\",\"line\":",
			  between[] = ",\"column\":1,\"text\":\"";
	static const struct json_line form = { before, between, sizeof(before) - 1,
		                               sizeof(between) - 1 };

	bench_use(json_lines(in.nowhere, &form, 1,
	                     (struct cairn_bytes){ (const uint8_t *)in.log, LOG }));
}

PATH(json_lines, write_json_lines)

/* Unwinding: the stack of this process, by the CFI of this program */

static enum cairn_status read_own_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	struct iovec to = { buffer, size }, from = { (void *)(uintptr_t)address, size };

	(void)context;
	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)size ? CAIRN_OK
	                                                                        : CAIRN_UNREADABLE;
}

static struct cairn_registers innermost;

static void unwind_stack(void)
{
	struct cairn_registers frame = innermost;
	enum cairn_frame_kind kind = CAIRN_FRAME_PC;
	struct cairn_step step;
	unsigned count = 0;

	while (count < DEPTH && step_by_any(in.space, &frame, kind, &step)) {
		frame = step.caller;
		kind = step.caller_kind;
		count++;
	}
	require(count == DEPTH, "the stack was not unwound");
}

PATH(unwind, unwind_stack)

static void run_all(void);

/* The frame of this function stays while everything runs. */
__attribute__((noinline)) static void run_at_bottom(void)
{
	static const int from[] = { REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
		                    REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
		                    REG_R12, REG_R13, REG_R14, REG_R15 };
	const struct cairn_target target = { read_own_memory, NULL };
	ucontext_t context;

	require(getcontext(&context) == 0, "no registers");
	innermost = (struct cairn_registers){ .machine = CAIRN_MACHINE_AMD64,
		                              .pc = (uint64_t)context.uc_mcontext.gregs[REG_RIP],
		                              .known = 0xffff };
	for (size_t i = 0; i < sizeof(from) / sizeof(from[0]); i++)
		innermost.value[i] = (uint64_t)context.uc_mcontext.gregs[from[i]];
	in.space = cairn_space_new(&target);
	require(in.space, "no memory");
	run_all();
}

/* Many frames of one function below that one. */
__attribute__((noinline)) static void descend(volatile unsigned *depth)
{
	if (*depth == 0) {
		run_at_bottom();
		return;
	}
	*depth = *depth - 1;
	descend(depth);
	*depth = *depth + 1; /* so that the call is not the last thing */
}

static const struct path {
	const char *name;
	void (*count)(unsigned turns);
	void (*turn)(void);
} paths[] = {
	{ "sframe_in_place", counted_sframe_in_place, look_up_in_place },
	{ "sframe_hot", counted_sframe_hot, look_up_hot },
	{ "sframe_indexed", counted_sframe_indexed, look_up_indexed },
	{ "gsym_uncached", counted_gsym_uncached, look_up_uncached },
	{ "gsym_cached", counted_gsym_cached, look_up_cached },
	{ "gsym_convert", counted_gsym_convert, convert_function },
	{ "symbfile_lookup", counted_symbfile_lookup, look_up_symbfile },
	{ "symbfile_decode", counted_symbfile_decode, decode_symbfile },
	{ "cbf_decode", counted_cbf_decode, decode_cbf },
	{ "name_cplusplus", counted_name_cplusplus, demangle_cplusplus },
	{ "name_rust", counted_name_rust, demangle_rust },
	{ "markup", counted_markup, filter_log },
	{ "json", counted_json, write_json },
	{ "json_lines", counted_json_lines, write_json_lines },
	{ "unwind", counted_unwind, unwind_stack },
};

static void run_all(void)
{
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		paths[i].turn();
		paths[i].count(turns_of(paths[i].name));
	}
}

static int list_paths(void)
{
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		puts(paths[i].name);
	return 0;
}

int main(int argc, char **argv)
{
	volatile unsigned depth = DEPTH;

	slower = argc > 1 ? argv[1] : "";
	if (strcmp(slower, "--list") == 0)
		return list_paths();
	make_section();
	make_gsym();
	make_symbfile();
	make_cbf();
	make_log();
	make_json();
	descend(&depth);
	cairn_space_free(in.space);
	cairn_markup_free(in.markup);
	cairn_symbols_free(in.symbols);
	cairn_rules_free(in.rules);
	cairn_rules_free(in.indexed);
	symbfile_built_free(&in.built);
	section_finish(&in.section);
	free(in.gsym.data);
	return fclose(in.nowhere) == 0 ? 0 : 1;
}
