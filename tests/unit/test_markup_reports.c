/* SPDX-License-Identifier: MIT */
/* The filter with reports: frames without markup get their names, by the module that the log or the host knows, and all else stays. */
#include "markup/filter.h"
#include "unit.h"

#include <stdio.h>

enum { OUT_CAPACITY = 1 << 14 };

struct host {
	char text[OUT_CAPACITY];
	size_t size;
	char asked[512]; /* "name id va" of each question */
	bool locates;
};

static void take(void *context, const void *text, size_t size)
{
	struct host *h = context;

	ck_assert(h->size + size < OUT_CAPACITY);
	memcpy(h->text + h->size, text, size);
	h->size += size;
	h->text[h->size] = '\0';
}

/* 0x10 is in two functions, 0x3f nothing, 0x40 the return from a signal handler, and all else in f. */
static bool code(void *context, const struct cairn_markup_query *question,
                 struct cairn_markup_result *answer)
{
	static const struct cairn_location inlined[2] = {
		{ .function = BYTES("in"),
		  .directory = BYTES(""),
		  .file = BYTES("f.c"),
		  .line = 7,
		  .column = 8,
		  .inlined = true },
		{ .function = BYTES("o\033ut"),
		  .directory = BYTES(""),
		  .file = BYTES("g.c"),
		  .line = 9 },
	};
	static const struct cairn_location trampoline = { .function = BYTES("__restore_rt"),
		                                          .directory = BYTES(""),
		                                          .file = BYTES("") };
	static const struct cairn_location plain = { .function = BYTES("f"),
		                                     .directory = BYTES(""),
		                                     .file = BYTES("") };
	struct host *h = context;
	const struct cairn_markup_module *m = question->module;
	const size_t at = strlen(h->asked);

	snprintf(h->asked + at, sizeof(h->asked) - at, "%.*s %02x %x,", (int)m->name.size,
	         (const char *)m->name.data, m->build_id.size ? m->build_id.data[0] : 0,
	         (unsigned)question->va);
	answer->locations = question->va == 0x10   ? inlined
	                    : question->va == 0x40 ? &trampoline
	                                           : &plain;
	answer->count = question->va == 0x10 ? 2 : question->va == 0x3f ? 0 : 1;
	answer->name = answer->locations->function;
	return true;
}

static bool locate(void *context, const struct cairn_markup_place *place,
                   struct cairn_markup_module *module, uint64_t *va)
{
	struct host *h = context;

	if (!h->locates)
		return false;
	module->name = (struct cairn_bytes)BYTES("mine");
	*va = place->offset + 0x1000 * (unsigned)place->origin;
	return true;
}

static struct cairn_markup *open_filter(struct host *h, enum cairn_markup_style style)
{
	const struct cairn_markup_options options = { .size = sizeof(struct cairn_markup_options),
		                                      .style = style,
		                                      .reports = true };
	const struct cairn_markup_host host = { .size = sizeof(struct cairn_markup_host),
		                                .context = h,
		                                .write = take,
		                                .code = code,
		                                .locate = locate };
	struct cairn_markup *m = cairn_markup_new(&options, &host);

	ck_assert_ptr_nonnull(m);
	return m;
}

static void feed_text(struct cairn_markup *m, const char *text)
{
	const struct cairn_bytes bytes = { (const uint8_t *)text, strlen(text) };

	ck_assert_int_eq(cairn_markup_feed(m, bytes), CAIRN_OK);
}

/* A log, whether the host locates, what is asked, and what comes out. */
static const struct {
	const char *log;
	bool locates;
	const char *asked, *out;
} rows[] = {
	{ "a #0 0x1  (/x+0x10) (BuildId: ab)\r\n", false, "/x ab 10,",
	  "a #0 0x1  (/x+0x10) (BuildId: ab) = in f.c:7:8, inlined in o\\x1but g.c:9\r\n" },
	{ "#0 0x1  (/x+0x10)\n", false, "", "#0 0x1  (/x+0x10)\n" },
	{ "#0 0x1  (/x+0x50)\n", true, "mine 00 50,", "#0 0x1  (/x+0x50) = f\n" },
	{ "#0 0x1 in g (/x+0x50)\n", true, "mine 00 50,", "#0 0x1 in g (/x+0x50)\n" },
	{ "#0 0x1 in g /x.c:3\n", true, "", "#0 0x1 in g /x.c:3\n" },
	{ "#1  0x61 g (x + 0x51)\n", true, "mine 00 1050,", "#1  0x61 g (x + 0x51)\n" },
	{ "Module x with build-id cd\n#0  0x400050 n/a (x + 0x50)\n", false, "x cd 400050,",
	  "Module x with build-id cd\n#0  0x400050 n/a (x + 0x50) = f\n" },
	{ "Module x with build-id cd\nModule x without build-id.\n#0  0x400050 n/a (x + 0x50)\n",
	  false, "",
	  "Module x with build-id cd\nModule x without build-id.\n#0  0x400050 n/a (x + 0x50)\n" },
	{ "Module /y/x with build-id cd\n#0  0x7f0000000050 n/a (x + 0x50)\n", false, "x cd 50,",
	  "Module /y/x with build-id cd\n#0  0x7f0000000050 n/a (x + 0x50) = f\n" },
	/* the frame behind a signal is looked up as it is */
	{ "/x(+0x40)[0x40]\n/x(+0x10)[0x10]\n/x(+0x11)[0x11]\n", true,
	  "mine 00 3f,mine 00 40,mine 00 10,",
	  "/x(+0x40)[0x40] = __restore_rt\n/x(+0x10)[0x10] = in f.c:7:8, inlined in o\\x1but "
	  "g.c:9\n"
	  "/x(+0x11)[0x11] = in f.c:7:8, inlined in o\\x1but g.c:9\n" },
	/* mappings of the log go first where there is no build ID */
	{ "{{{module:0:m:elf:ef}}}\n{{{mmap:0x7000:0x1000:load:0:rx:0x0}}}\n#0 0x7010  (/x+0x20)\n",
	  true, "m ef 10,",
	  "[[[ELF module #0x0 \"m\"; BuildID=ef [0x7000-0x7fff](rx)]]]\n"
	  "#0 0x7010  (/x+0x20) = in f.c:7:8, inlined in o\\x1but g.c:9\n" },
	{ "  3:  0x7010 - <unknown>\n", true, "", "  3:  0x7010 - <unknown>\n" },
	{ "no frame\n#0", true, "", "no frame\n#0\n" },
};

START_TEST(names_frames)
{
	static struct host h;
	struct cairn_markup *m = open_filter(&h, CAIRN_MARKUP_CAIRN);

	h.locates = rows[_i].locates;
	feed_text(m, rows[_i].log);
	ck_assert_int_eq(cairn_markup_finish(m), CAIRN_OK);
	ck_assert_str_eq(h.text, rows[_i].out);
	ck_assert_str_eq(h.asked, rows[_i].asked);
	cairn_markup_free(m);
}
END_TEST

START_TEST(waits_for_whole_lines)
{
	static struct host h;
	struct cairn_markup *m = open_filter(&h, CAIRN_MARKUP_CAIRN);

	feed_text(m, "#0 0x1  (/x+0x5");
	cairn_markup_pause(m);
	ck_assert_uint_eq(h.size, 0);
	feed_text(m, "0) (BuildId: ab)\n");
	ck_assert_str_eq(h.text, "#0 0x1  (/x+0x50) (BuildId: ab) = f\n");
	cairn_markup_free(m);
}
END_TEST

START_TEST(leaves_llvm_alone)
{
	static struct host h;
	struct cairn_markup *m = open_filter(&h, CAIRN_MARKUP_LLVM);

	feed_text(m, "#0 0x1  (/x+0x50) (BuildId: ab)\n");
	ck_assert_str_eq(h.text, "#0 0x1  (/x+0x50) (BuildId: ab)\n");
	cairn_markup_free(m);
}
END_TEST

/* Names of modules that differ on each line: what is kept of them is bounded. */
START_TEST(bounds_modules)
{
	static struct host h;
	struct cairn_markup *m = open_filter(&h, CAIRN_MARKUP_CAIRN);
	static char line[8192];

	memset(line, 'x', sizeof(line));
	for (unsigned i = 0; i < 1000; i++) {
		char *at = line + 4000;
		h.size = 0;
		h.asked[0] = 0;
		snprintf(line, 100, "#0 0x1  (/%u", i);
		line[strlen(line)] = 'x';
		snprintf(at, 100, "+0x50) (BuildId: ab)\n");
		feed_text(m, line);
		ck_assert_ptr_nonnull(strstr(h.text, " = f\n"));
		ck_assert(m->resolver.named.context.bytes <= NAMED_MODULES_BYTES + sizeof(line));
	}
	cairn_markup_free(m);
}
END_TEST

START_TEST(refuses_what_is_no_file)
{
	ck_assert_ptr_null(cairn_markup_file_new((struct cairn_bytes)BYTES("no ELF")));
	cairn_markup_file_free(NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("markup_reports");
	TCase *tests = tcase_create("markup_reports");

	tcase_add_loop_test(tests, names_frames, 0, (int)COUNT(rows));
	tcase_add_test(tests, waits_for_whole_lines);
	tcase_add_test(tests, leaves_llvm_alone);
	tcase_add_test(tests, bounds_modules);
	tcase_add_test(tests, refuses_what_is_no_file);
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
