/* SPDX-License-Identifier: MIT */
/* The filter: what a log becomes, in either style; bounds that hostile input does not pass. */
#include "markup/filter.h"
#include "unit.h"

#include <stdio.h>

enum { OUT_CAPACITY = 1 << 16 };

/* What came out, as far as there is room; all of it is counted. */
struct output {
	char text[OUT_CAPACITY];
	size_t size;
	uint64_t complaints, line, column;
	uint64_t asked;
};

static void take(void *context, const void *text, size_t size)
{
	struct output *out = context;

	if (out->size + size < OUT_CAPACITY)
		memcpy(out->text + out->size, text, size);
	out->size += size;
	if (out->size < OUT_CAPACITY)
		out->text[out->size] = '\0';
}

/* va 0x10 is in two functions, 0x20 nothing is known of; module 9 has no symbols. */
static bool code(void *context, const struct cairn_markup_query *question,
                 struct cairn_markup_result *answer)
{
	static const struct cairn_location locations[2] = {
		{ .function = BYTES("in"),
		  .directory = BYTES("/d"),
		  .file = BYTES("f.c"),
		  .line = 7,
		  .column = 8,
		  .inlined = true },
		{ .function = BYTES("o\033ut"),
		  .directory = BYTES(""),
		  .file = BYTES("g.c"),
		  .line = 9 },
	};
	struct output *out = context;

	out->asked++;
	answer->locations = locations;
	answer->count = question->va == 0x10 ? 2 : 0;
	return question->module->id != 9;
}

static bool data(void *context, const struct cairn_markup_query *question,
                 struct cairn_location *location)
{
	(void)context;
	location->function = (struct cairn_bytes)BYTES("var");
	location->offset = question->va - 0x10;
	return question->va >= 0x10 && question->va < 0x20;
}

static struct cairn_bytes readable(void *context, struct cairn_bytes name)
{
	(void)context;
	(void)name;
	return (struct cairn_bytes)BYTES("readable");
}

static void complain(void *context, uint64_t line, uint64_t column, const char *what,
                     struct cairn_bytes found)
{
	struct output *out = context;

	(void)what;
	(void)found;
	out->complaints++;
	out->line = line;
	out->column = column;
}

static struct output *run(struct cairn_bytes in, const struct cairn_markup_options *options)
{
	static struct output out;
	const struct cairn_markup_host host = { sizeof(host), &out, take,     code, data,
		                                readable,     NULL, complain, NULL, NULL };
	struct cairn_markup *m = cairn_markup_new(options, &host);

	memset(&out, 0, sizeof(out));
	ck_assert_ptr_nonnull(m);
	ck_assert(cairn_markup_feed(m, in) == CAIRN_OK);
	ck_assert(cairn_markup_finish(m) == CAIRN_OK);
	cairn_markup_free(m);
	return &out;
}

#define M "{{{module:1:m:elf:ab}}}\n{{{mmap:0x1000:0x1000:load:1:rx:0}}}\n"
#define INFO "[[[ELF module #0x1 \"m\"; BuildID=ab [0x1000-0x1fff](rx)]]]\n"
#define N "{{{module:9:n:elf:}}}\n{{{mmap:0x9000:0x10:load:9:r:0x20}}}\n"
#define INFO_N "[[[ELF module #0x9 \"n\"; BuildID= [0x9000-0x900f](r)]]]\n"

static const struct {
	const char *name, *in, *out;
	enum cairn_markup_style style;
	uint64_t complaints;
} rows[] = {
	{ "text", "a\nb", "a\nb\n", CAIRN_MARKUP_CAIRN, 0 },
	{ "frames", M "p {{{bt:3:0x1011}}} q\n",
	  INFO "p     #3.1  0x0000000000001010 in /d/f.c:7:8 (m+0x10)\n"
	       "    #3    0x0000000000001010 o\\x1but g.c:9:0 (m+0x10) q\n",
	  CAIRN_MARKUP_CAIRN, 0 },
	{ "names as they are for llvm", M "{{{bt:3:0x1011}}}\n",
	  INFO "    #3.1  0x0000000000001010 in /d/f.c:7:8 (m+0x10)\n"
	       "    #3    0x0000000000001010 o\033ut g.c:9:0 (m+0x10)\n",
	  CAIRN_MARKUP_LLVM, 0 },
	{ "names for llvm on a terminal", M "\033{{{bt:3:0x1011}}}\n",
	  INFO "\033    #3.1  0x0000000000001010 in /d/f.c:7:8 (m+0x10)\n"
	       "    #3    0x0000000000001010 o\\x1but g.c:9:0 (m+0x10)\n",
	  CAIRN_MARKUP_LLVM_TERMINAL, 0 },
	{ "fuchsia", M "t: {{{bt:3:0x1011:x}}}\n",
	  INFO "t:    #3.1  0x0000000000001011 in in /d/f.c:7 <m>+0x11 [x]\n"
	       "t:    #3    0x0000000000001011 in o\\x1but g.c:9 <m>+0x11 [x]\n",
	  CAIRN_MARKUP_FUCHSIA, 0 },
	{ "message", M "{{{bt:0:0x1020:pc:sp 1:b}}}{{{bt:1:0x1021:why}}}\n",
	  INFO "    #0    0x0000000000001020 (m+0x20) [sp 1:b]"
	       "    #1    0x0000000000001020 (m+0x20) [why]\n",
	  CAIRN_MARKUP_CAIRN, 0 },
	{ "message lost", M "{{{bt:0:0x1020:pc:sp 1}}}|{{{bt:1:0x1021:why}}}\n",
	  INFO "    #0    0x000000000000101f (m+0x1f)|\n", CAIRN_MARKUP_LLVM, 1 },
	{ "pc", M "{{{pc:0x1010}}} {{{pc:0x1020}}} {{{pc:0x3000}}}\n",
	  INFO "o\\x1but[/d/f.c:7] (m+0x20) [[[pc:0x3000]]]\n", CAIRN_MARKUP_CAIRN, 1 },
	{ "data", M "{{{data:0x1010}}} {{{data:0x1012}}} {{{data:0x1040}}}\n",
	  INFO "var var+0x2 (m+0x40)\n", CAIRN_MARKUP_CAIRN, 0 },
	{ "symbol", "{{{symbol:x}}}{{{symbol}}}\n", "readable{{{symbol}}}\n", CAIRN_MARKUP_CAIRN,
	  1 },
	{ "no build ID", N "{{{bt:0:0x9000:pc}}}\n",
	  INFO_N "    #0    0x0000000000009000 (n+0x20)\n", CAIRN_MARKUP_CAIRN, 0 },
	{ "mixed", "x " M,
	  "x [[[ELF module #0x1 \"m\"; BuildID=ab]]]\n"
	  "[[[ELF module #0x1 \"m\"; adds [0x1000-0x1fff](rx)]]]\n",
	  CAIRN_MARKUP_CAIRN, 0 },
	{ "in its place", M "a {{{reset}}} b {{{data:0x1010}}}\n",
	  INFO "a [[[reset]]] b [[[data:0x1010]]]\n", CAIRN_MARKUP_CAIRN, 1 },
	{ "still known before a reset", M "{{{data:0x1010}}}{{{reset}}}\n", INFO "var[[[reset]]]\n",
	  CAIRN_MARKUP_CAIRN, 0 },
	{ "again", M M, INFO, CAIRN_MARKUP_CAIRN, 0 },
	{ "contradiction", M "{{{module:1:o:elf:ab}}}\n", INFO "{{{module:1:o:elf:ab}}}\n",
	  CAIRN_MARKUP_CAIRN, 1 },
	{ "overlap", M "{{{mmap:0x1fff:2:load:1:r:0}}}\n", INFO "{{{mmap:0x1fff:2:load:1:r:0}}}\n",
	  CAIRN_MARKUP_CAIRN, 1 },
	{ "around another", M "{{{mmap:0x0:0x10000:load:1:r:0}}}\n",
	  INFO "{{{mmap:0x0:0x10000:load:1:r:0}}}\n", CAIRN_MARKUP_CAIRN, 1 },
	{ "up to 2^64",
	  M "{{{mmap:0xffffffffffffff00:0x100:load:1:r:0}}}\n"
	    "{{{data:0xffffffffffffff10}}}\n",
	  "[[[ELF module #0x1 \"m\"; BuildID=ab [0x1000-0x1fff](rx),"
	  "[0xffffffffffffff00-0xffffffffffffffff](r)]]]\nvar\n",
	  CAIRN_MARKUP_CAIRN, 0 },
	{ "beyond 2^64", M "{{{mmap:0xffffffffffffff00:0x101:load:1:r:0}}}\n",
	  INFO "{{{mmap:0xffffffffffffff00:0x101:load:1:r:0}}}\n", CAIRN_MARKUP_CAIRN, 1 },
	{ "carriage returns", "{{{module:1:m:elf:ab}}}\r\nx {{{pc:1}}}\r\n",
	  "[[[ELF module #0x1 \"m\"; BuildID=ab]]]\r\nx {{{pc:1}}}\r\n", CAIRN_MARKUP_CAIRN, 1 },
	{ "a dump", M "r {{{hexdict: A: 0x1010\nr B: 0x1020 }}} s\nt\n",
	  INFO "r {{{hexdict: A: 0x1010\nr B: 0x1020 }}} s\n"
	       "    [A] 0x0000000000001010 in /d/f.c:7:8 (m+0x10)\n"
	       "    [B] 0x0000000000001020 (m+0x20)\nt\n",
	  CAIRN_MARKUP_CAIRN, 0 },
	{ "a dump without end", M "{{{hexdict: A: 0x1010\n{{{bt:0:0x1011\n",
	  INFO "{{{hexdict: A: 0x1010\n{{{bt:0:0x1011\n", CAIRN_MARKUP_CAIRN, 0 },
	{ "prefixes",
	  "t1 {{{module:1:m:elf:ab}}}\nt22 {{{mmap:0x1000:0x1000:load:1:rx:0}}}\n"
	  "u {{{mmap:0x3000:0x1000:load:1:r:0}}}\nv {{{reset:x}}}\nw {{{reset}}}\n",
	  "t1 [[[ELF module #0x1 \"m\"; BuildID=ab [0x1000-0x1fff](rx)]]]\n"
	  "u [[[ELF module #0x1 \"m\"; adds [0x3000-0x3fff](r)]]]\nv [[[reset:x]]]\nw \n",
	  CAIRN_MARKUP_CAIRN, 0 },
	{ "a silent line with colours", "\033[36m{{{reset}}}\033[0m\nx\n", "x\n",
	  CAIRN_MARKUP_CAIRN, 0 },
	{ "a silent line with colours and blanks", M " \033[1m {{{module:1:m:elf:ab}}}\nx\n",
	  INFO "x\n", CAIRN_MARKUP_CAIRN, 0 },
	{ "a silent line with colours and text", "\033[36mt{{{reset}}}\nx\n", "t\nx\n",
	  CAIRN_MARKUP_CAIRN, 0 },
};

START_TEST(filters)
{
	const struct cairn_markup_options options = { .size = sizeof(struct cairn_markup_options),
		                                      .style = rows[_i].style };
	struct cairn_bytes in = { (const uint8_t *)rows[_i].in, strlen(rows[_i].in) };
	struct output *out = run(in, &options);

	ck_assert_msg(strcmp(out->text, rows[_i].out) == 0, "%s:\n%s", rows[_i].name, out->text);
	ck_assert_msg(out->complaints == rows[_i].complaints, "%s: %d complaints", rows[_i].name,
	              (int)out->complaints);
}
END_TEST

START_TEST(says_where)
{
	const struct cairn_markup_options options = { .size = sizeof(struct cairn_markup_options),
		                                      .style = CAIRN_MARKUP_CAIRN };
	struct cairn_bytes in = BYTES("a\n\nxx{{{pc:zz}}}\nb\n");
	struct output *out = run(in, &options);

	ck_assert(out->complaints == 1 && out->line == 3 && out->column == 9);
}
END_TEST

START_TEST(asks_once)
{
	const struct cairn_markup_options options = { .size = sizeof(struct cairn_markup_options),
		                                      .style = CAIRN_MARKUP_CAIRN };
	struct cairn_bytes in =
		BYTES(M "{{{bt:0:0x1010:pc}}}\n{{{pc:0x1010}}}\n{{{bt:1:0x1011}}}\n");

	ck_assert(run(in, &options)->asked == 1);
}
END_TEST

/* Many modules, their IDs ascending or not. */
static struct cairn_bytes many_modules(size_t times, bool down)
{
	size_t capacity = times * 64 + 1, at = 0;
	char *text = malloc(capacity);

	ck_assert_ptr_nonnull(text);
	for (size_t i = 0; i < times; i++)
		at += (size_t)snprintf(text + at, capacity - at, "{{{module:%zu:a:elf:ab}}}\n",
		                       down ? times - i : i);
	return (struct cairn_bytes){ (uint8_t *)text, at };
}

/* More modules than are kept, mappings that descend: each line is accounted for. */
START_TEST(bounds_what_it_keeps)
{
	const struct cairn_markup_options options = { .size = sizeof(struct cairn_markup_options),
		                                      .style = CAIRN_MARKUP_CAIRN };
	struct cairn_bytes modules = many_modules(400000, _i == 1);
	struct output *out = run(modules, &options);

	ck_assert(out->complaints > 0 && out->complaints < 400000);
	ck_assert_uint_gt(out->size, 10000000);
	free((void *)(uintptr_t)modules.data);
}
END_TEST

START_TEST(keeps_order_of_many)
{
	struct markup_context context = { .rules = MARKUP_KEEP };
	const struct context_module *module;
	const struct context_mapping *mapping;
	struct markup_fault fault;
	struct markup_module told = { 1, BYTES("m"), BYTES("ab") };

	ck_assert(markup_context_module(&context, &told, &module, &fault) == CONTEXT_NEW);
	for (uint64_t i = 0; i < 50000; i++) {
		uint64_t at = _i == 0 ? i : _i == 1 ? 49999 - i : i * 7919 % 50000;
		struct markup_mmap m = { 0x1000 * (at + 1), 0x1000, 1, 0, MARKUP_READ, BYTES("1") };
		ck_assert(markup_context_mmap(&context, &m, &mapping, &fault) == CONTEXT_NEW);
	}
	for (uint64_t i = 0; i < 50000; i += 17) {
		mapping = markup_context_find(&context, 0x1000 * (i + 2) - 1);
		ck_assert(mapping && mapping->start == 0x1000 * (i + 1));
	}
	ck_assert_ptr_null(markup_context_find(&context, 0xfff));
	markup_context_finish(&context);
}
END_TEST

/* A line far longer than what is kept of one; its elements are answered all the same. */
START_TEST(takes_long_lines)
{
	const struct cairn_markup_options options = { .size = sizeof(struct cairn_markup_options),
		                                      .style = CAIRN_MARKUP_CAIRN };
	size_t size = 5 << 20;
	char *text = malloc(size);

	ck_assert_ptr_nonnull(text);
	memset(text, _i == 1 ? '{' : 'x', size);
	memcpy(text, M, sizeof(M) - 1);
	memcpy(text + size - 40, "{{{data:0x1010}}}", 17);
	struct output *out = run((struct cairn_bytes){ (uint8_t *)text, size }, &options);
	ck_assert_uint_eq(out->size, size + 1 - (sizeof(M) - 1) + (sizeof(INFO) - 1) - 17 + 3);
	free(text);
}
END_TEST

START_TEST(waits_for_the_end_of_an_element)
{
	const struct cairn_markup_options options = { .size = sizeof(struct cairn_markup_options),
		                                      .style = CAIRN_MARKUP_CAIRN };
	static struct output out;
	const struct cairn_markup_host host = { .size = sizeof(struct cairn_markup_host),
		                                .context = &out,
		                                .write = take,
		                                .readable = readable };
	struct cairn_markup *m = cairn_markup_new(&options, &host);
	const char *const pieces[] = { "a{", "{", "{symbol:b", "}}", "} c", "\n" };
	const char *const shown[] = { "a", "a", "a", "a", "areadable c", "areadable c\n" };

	ck_assert_ptr_nonnull(m);
	for (size_t i = 0; i < COUNT(pieces); i++) {
		struct cairn_bytes piece = { (const uint8_t *)pieces[i], strlen(pieces[i]) };
		ck_assert(cairn_markup_feed(m, piece) == CAIRN_OK);
		cairn_markup_pause(m);
		ck_assert_str_eq(out.text, shown[i]);
	}
	ck_assert(cairn_markup_finish(m) == CAIRN_OK);
	cairn_markup_free(m);
}
END_TEST

START_TEST(uses_what_the_host_lends)
{
	const struct cairn_markup_options options = { .size = sizeof(struct cairn_markup_options),
		                                      .style = CAIRN_MARKUP_CAIRN };
	static struct output out;
	const struct cairn_markup_host host = { .size = sizeof(struct cairn_markup_host),
		                                .context = &out,
		                                .write = take,
		                                .data = data };
	struct cairn_markup *m = cairn_markup_new(&options, &host);
	const struct cairn_markup_module module = { 1, BYTES("own"), BYTES("\1\2") };
	const struct cairn_range pcs = { 0x5000, 0x6000 };
	struct cairn_bytes in =
		BYTES("{{{data:0x5010}}}\n{{{data:0x5040}}}\n" M "{{{data:0x5010}}}\n");

	ck_assert_ptr_nonnull(m);
	ck_assert(cairn_markup_add_host_module(m, &module, &pcs, 0) == CAIRN_OK);
	ck_assert(cairn_markup_add_host_module(m, &module, &pcs, 1) == CAIRN_MALFORMED);
	ck_assert(cairn_markup_feed(m, in) == CAIRN_OK);
	ck_assert(cairn_markup_finish(m) == CAIRN_OK);
	ck_assert_str_eq(out.text, "var\n(own+0x40)\n" INFO "[[[data:0x5010]]]\n");
	cairn_markup_free(m);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("markup filter");
	TCase *tc = tcase_create("all");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, filters, 0, COUNT(rows));
	tcase_add_test(tc, says_where);
	tcase_add_test(tc, asks_once);
	tcase_add_loop_test(tc, bounds_what_it_keeps, 0, 2);
	tcase_add_loop_test(tc, keeps_order_of_many, 0, 3);
	tcase_add_loop_test(tc, takes_long_lines, 0, 2);
	tcase_add_test(tc, waits_for_the_end_of_an_element);
	tcase_add_test(tc, uses_what_the_host_lends);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
