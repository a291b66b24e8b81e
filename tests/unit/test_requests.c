/* SPDX-License-Identifier: MIT */
/*
 * Requests for names: which bytes of them are frames, addresses and build IDs, what is asked of a symbolizer, and what an answer is
 * judged to be.
 */
#include "unit.h"

#include "requests/request.h"

#include <stdio.h>

enum {
	CALLS = 9 /* of each address that the source names, so that a large request has too many */
};

/* What the source was asked: addresses in the order of the questions. */
static struct {
	uint64_t va[64];
	size_t count;
	char path[64]; /* of the module that was asked about last */
	size_t text;   /* bytes of each name */
	bool one_name;
} asked;

static enum cairn_status open_source(void *context, struct cairn_symbol_search *search,
                                     void **opened, struct cairn_fault *fault)
{
	(void)context;
	snprintf(asked.path, sizeof(asked.path), "%s",
	         search->module->path ? search->module->path : "-");
	*fault = (struct cairn_fault){ CAIRN_NOT_FOUND, 0, "not there" };
	if (search->module->build_id.data[0] == 0xee)
		return CAIRN_NOT_FOUND;
	*opened = &asked;
	return CAIRN_OK;
}

/* Texts live until the source is closed. */
static char *names[1 << 12];
static size_t name_count;

/* A name of the address, of `asked.text` bytes more. */
static struct cairn_bytes make_name(uint64_t va)
{
	static char text[32];
	const size_t size = (size_t)snprintf(text, sizeof(text), "f%llx", (unsigned long long)va);

	if (asked.text == 0 && name_count > 0 && strcmp(names[name_count - 1], text) == 0)
		return (struct cairn_bytes){ (const uint8_t *)names[name_count - 1], size };
	char *name = malloc(size + asked.text + 1);
	ck_assert(name && name_count < COUNT(names));
	memcpy(name, text, size);
	memset(name + size, 'x', asked.text);
	name[size + asked.text] = '\0';
	names[name_count++] = name;
	return (struct cairn_bytes){ (const uint8_t *)name, size + asked.text };
}

/* Every third address is in no function; with many addresses all have one name. */
static void find_names(void *opened, const uint64_t *vas, size_t count,
                       const struct cairn_symbol_taker *sink)
{
	static const struct cairn_bytes directory = BYTES("/d"), file = BYTES("a.c");
	struct cairn_location locations[CALLS];

	for (size_t i = 0; i < count; i++) {
		struct cairn_symbol_found found = { locations, CALLS, CALLS, NULL };
		const struct cairn_bytes name = make_name(asked.one_name ? 0 : vas[i]);
		for (size_t k = 0; k < CALLS; k++)
			locations[k] = (struct cairn_location){ .function = name,
				                                .directory = directory,
				                                .file = file,
				                                .line = (uint32_t)k + 1,
				                                .inlined = k + 1 < CALLS };
		if (asked.count < COUNT(asked.va))
			asked.va[asked.count++] = vas[i];
		if (vas[i] % 3 != 0)
			sink->take(sink->context, i, &found);
	}
	(void)opened;
}

static void close_source(void *opened)
{
	while (name_count > 0)
		free(names[--name_count]);
	(void)opened;
}

static enum cairn_status ask(struct request *request, const char *sysroot,
                             struct cairn_fault *fault)
{
	struct cairn_symbolizer_options options = CAIRN_SYMBOLIZER_OPTIONS;
	const struct cairn_symbol_source source = { .size = sizeof(source),
		                                    .rank = 1,
		                                    .name = "made",
		                                    .open = open_source,
		                                    .find = find_names,
		                                    .close = close_source };

	options.skip = CAIRN_SKIP_BUILTIN_SOURCES | CAIRN_SKIP_SYSTEM;
	struct cairn_symbolizer *symbolizer = cairn_symbolizer_new(&options);
	ck_assert(symbolizer && cairn_symbolizer_add(symbolizer, &source) == CAIRN_OK);
	asked.count = 0;
	const enum cairn_status status = request_ask(request, symbolizer, sysroot, fault);
	cairn_symbolizer_free(symbolizer);
	return status;
}

/* JSON with ' instead of ". */
static struct cairn_bytes make_text(const char *text)
{
	static char copy[1 << 14];
	const size_t size = strlen(text);

	ck_assert_uint_lt(size, sizeof(copy));
	for (size_t i = 0; i < size; i++)
		copy[i] = (char)(text[i] == '\'' ? '"' : text[i]);
	return unit_exact((struct cairn_bytes){ (const uint8_t *)copy, size });
}

#define IN(id, rest) "{'build_id':'" id "','module':'/opt/shop'," rest "}"
#define THREAD(frames) "{'tid':1,'frames':[" frames "]}"

static const struct {
	const char *name, *text;
	enum request_result result;
	uint64_t va[4];
	size_t count; /* of addresses that are asked for */
} judged[] = {
	{ "the innermost frame as it is",
	  THREAD(IN("00aa", "'va':'0x10'")),
	  REQUEST_DONE,
	  { 0x10 },
	  1 },
	{ "a return address",
	  THREAD(IN("00aa", "'va':'0x11'") "," IN("00aa", "'va':'0x21'")),
	  REQUEST_DONE,
	  { 0x11, 0x20 },
	  2 },
	{ "what a signal interrupted",
	  THREAD(IN("00aa", "'va':'0x11'") "," IN("00aa", "'va':'0x22','found':'signal'")),
	  REQUEST_DONE,
	  { 0x11, 0x22 },
	  2 },
	{ "each thread has an innermost frame",
	  "{'threads':[" THREAD(IN("00aa", "'va':'0x10'")) "," THREAD(
		  IN("00aa", "'va':'0x13'")) "]}",
	  REQUEST_DONE,
	  { 0x10, 0x13 },
	  2 },
	{ "a name is kept",
	  THREAD(IN("00aa", "'va':'0x10','function':'f'")),
	  REQUEST_DONE,
	  { 0 },
	  0 },
	{ "an inlined name is kept",
	  THREAD("{'function':'f','inlined':true}," IN("00aa", "'va':'0x10'")),
	  REQUEST_DONE,
	  { 0 },
	  0 },
	{ "dots are no name",
	  THREAD(IN("00aa", "'va':'0x10','function':'?\?'")),
	  REQUEST_DONE,
	  { 0x10 },
	  1 },
	{ "an offset of the module",
	  THREAD(IN("00aa", "'module_offset':'0x10'")),
	  REQUEST_DONE,
	  { 0x10 },
	  1 },
	{ "no address", THREAD(IN("00aa", "'pc':'0x10'")), REQUEST_NO_SYMBOLS, { 0 }, 0 },
	{ "no build ID",
	  THREAD("{'module':'/opt/shop','va':'0x10'}"),
	  REQUEST_NO_SYMBOLS,
	  { 0 },
	  0 },
	{ "a build ID of zeros", THREAD(IN("0000", "'va':'0x10'")), REQUEST_NO_SYMBOLS, { 0 }, 0 },
	{ "a build ID of text",
	  THREAD(IN("a/b/c/d/", "'va':'0x10'")),
	  REQUEST_NO_SYMBOLS,
	  { 0 },
	  0 },
	{ "half a byte", THREAD(IN("00a", "'va':'0x10'")), REQUEST_NO_SYMBOLS, { 0 }, 0 },
	{ "the vDSO",
	  THREAD("{'module':'linux-vdso.so.1','build_id':'00aa','va':'0x10'}"),
	  REQUEST_NO_SYMBOLS,
	  { 0 },
	  0 },
	{ "a module without symbols",
	  THREAD(IN("eeaa", "'va':'0x10'")),
	  REQUEST_NOT_YET,
	  { 0 },
	  0 },
	{ "a gap between functions",
	  THREAD(IN("00aa", "'va':'0x12'")),
	  REQUEST_NO_SYMBOLS,
	  { 0x12 },
	  1 },
	{ "some names and a module without symbols",
	  THREAD(IN("00aa", "'va':'0x10'") "," IN("eeaa", "'va':'0x10'")),
	  REQUEST_NOT_YET,
	  { 0x10 },
	  1 },
	{ "a module of which the request has a name",
	  THREAD(IN("eeaa", "'va':'0x10'") "," IN("eeaa", "'va':'0x20','function':'f'")),
	  REQUEST_DONE,
	  { 0 },
	  0 },
	{ "no stack", "{'crash_report':1}", REQUEST_NO_SYMBOLS, { 0 }, 0 },
	{ "no addresses", "{'frames':[]}", REQUEST_DONE, { 0 }, 0 },
	{ "addresses as they are, in their order",
	  "{'frames':[" IN("00aa", "'address':'0x20'") "," IN("00AA",
	                                                      "'address':'0x10','kind':'va'") "]}",
	  REQUEST_DONE,
	  { 0x10, 0x20 },
	  2 },
	{ "an offset of a file that is not there",
	  "{'frames':[" IN("00aa", "'address':'0x20','kind':'file_offset'") "]}",
	  REQUEST_NOT_YET,
	  { 0 },
	  0 },
};

START_TEST(judges_requests)
{
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	struct request request;

	ck_assert_msg(request_open(&request, make_text(judged[_i].text), &fault) == CAIRN_OK,
	              "%s: %s", judged[_i].name, fault.what);
	ck_assert_int_eq(ask(&request, NULL, &fault), CAIRN_OK);
	ck_assert_msg(request_judge(&request) == judged[_i].result, "%s: %s", judged[_i].name,
	              request_result_word(request_judge(&request)));
	ck_assert_msg(asked.count == judged[_i].count, "%s: %zu", judged[_i].name, asked.count);
	for (size_t i = 0; i < asked.count; i++)
		ck_assert_msg(asked.va[i] == judged[_i].va[i], "%s: 0x%llx", judged[_i].name,
		              (unsigned long long)asked.va[i]);
	request_close(&request);
}
END_TEST

/* Frames of one answer are apart, whatever order they were asked for in. */
START_TEST(gives_frames_their_names)
{
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	struct request request;

	ck_assert_int_eq(
		request_open(
			&request,
			make_text("{'frames':[" IN("00aa", "'address':'0x20'") "," IN(
				"eeaa", "'address':'0x1'") "," IN("00aa", "'address':'0x10'") "]}"),
			&fault),
		CAIRN_OK);
	ck_assert_int_eq(ask(&request, NULL, &fault), CAIRN_OK);
	ck_assert_uint_eq(request.module_count, 2);
	ck_assert_uint_eq(request.missing_count, 1);
	ck_assert_uint_eq(request.missing[0]->build_id[0], 0xee);
	for (size_t i = 0; i < 3; i++) {
		const struct request_frame *frame = &request.frames[i];
		ck_assert_uint_eq(frame->call_count, i == 1 ? 0 : CALLS);
		if (i == 1)
			continue;
		const struct request_call *call = &request.calls[frame->call];
		const struct cairn_bytes name = string_pool_get(&request.texts, call->function),
					 file = string_pool_get(&request.texts, call->file);
		ck_assert(name.size == 3 && memcmp(name.data, i == 0 ? "f20" : "f10", 3) == 0);
		ck_assert(file.size == 6 && memcmp(file.data, "/d/a.c", 6) == 0);
		ck_assert(call->inlined && !request.calls[frame->call + CALLS - 1].inlined);
	}
	request_close(&request);
}
END_TEST

/* The path of a module leads to a file below a sysroot alone, and never out of it. */
static const struct {
	const char *module, *sysroot, *path;
} paths[] = {
	{ "/opt/shop", NULL, "/dev/null/shop" },
	{ "/opt/shop", "/root", "/root/opt/shop" },
	{ "/opt/../../etc/shop", "/root", "/dev/null/shop" },
	{ "/opt/..", "/root", "/dev/null/.." },
	{ "shop", "/root", "/dev/null/shop" },
	{ "", "/root", "-" },
	{ "/", NULL, "-" },
};

START_TEST(asks_by_paths)
{
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	struct request request;
	char text[256];

	snprintf(text, sizeof(text),
	         "{'frames':[{'build_id':'00aa','address':'0x1','module':'%s'}]}",
	         paths[_i].module);
	ck_assert_int_eq(request_open(&request, make_text(text), &fault), CAIRN_OK);
	ck_assert_int_eq(ask(&request, paths[_i].sysroot, &fault), CAIRN_OK);
	ck_assert_str_eq(asked.path, paths[_i].path);
	request_close(&request);
}
END_TEST

/* Makes a request for `count` addresses. */
static struct cairn_bytes make_many(size_t count)
{
	static char text[REQUEST_FRAMES_MAX * 48 + 64];
	size_t size = (size_t)sprintf(text, "{\"frames\":[");

	for (size_t i = 0; i < count; i++)
		size += (size_t)sprintf(text + size,
		                        "%s{\"build_id\":\"00aa\",\"address\":\"0x%zx\"}",
		                        i ? "," : "", 3 * i + 1);
	size += (size_t)sprintf(text + size, "]}");
	return (struct cairn_bytes){ (const uint8_t *)text, size };
}

/* As many calls as REQUEST_CALLS_MAX allows, and more; likewise of REQUEST_TEXT_MAX. */
static const struct {
	const char *what;
	size_t frames, text;
	enum cairn_status status;
} large[] = {
	{ "", 1000, 100, CAIRN_OK },
	{ "the answer has more than 1,048,576 calls", REQUEST_FRAMES_MAX, 0, CAIRN_UNSUPPORTED },
	{ "the answer has more than 64 MiB of names", 2000, 40000, CAIRN_UNSUPPORTED },
};

START_TEST(bounds_answers)
{
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	struct request request;

	asked.text = large[_i].text;
	asked.one_name = large[_i].text == 0;
	ck_assert_int_eq(request_open(&request, make_many(large[_i].frames), &fault), CAIRN_OK);
	ck_assert_int_eq(ask(&request, NULL, &fault), large[_i].status);
	ck_assert_str_eq(fault.what ? fault.what : "", large[_i].what);
	request_close(&request);
	asked.text = 0;
	asked.one_name = false;
}
END_TEST

/* The longest build ID, and one that is longer. */
START_TEST(bounds_build_ids)
{
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	struct request request;
	char text[512];

	for (int bytes = REQUEST_ID_MAX; bytes <= REQUEST_ID_MAX + 1; bytes++) {
		snprintf(text, sizeof(text), "{'frames':[{'build_id':'%0*d','address':'0x1'}]}",
		         2 * bytes, 7);
		ck_assert_int_eq(request_open(&request, make_text(text), &fault), CAIRN_OK);
		ck_assert_uint_eq(request.module_count, bytes == REQUEST_ID_MAX);
		request_close(&request);
	}
}
END_TEST

/* Line ends after a request are no part of it. */
START_TEST(hashes_requests)
{
	struct cairn_fault fault;
	struct request one, other;

	ck_assert_int_eq(request_open(&one, make_text("{'frames':[]}"), &fault), CAIRN_OK);
	ck_assert_int_eq(request_open(&other, make_text("{'frames':[]}\r\n\n"), &fault), CAIRN_OK);
	ck_assert_mem_eq(one.hash, other.hash, SHA256_SIZE);
	request_close(&other);
	ck_assert_int_eq(request_open(&other, make_text(" {'frames':[]}"), &fault), CAIRN_OK);
	ck_assert_mem_ne(one.hash, other.hash, SHA256_SIZE);
	request_close(&one);
	request_close(&other);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("requests");
	TCase *tests = tcase_create("requests");

	tcase_add_loop_test(tests, judges_requests, 0, COUNT(judged));
	tcase_add_test(tests, gives_frames_their_names);
	tcase_add_loop_test(tests, asks_by_paths, 0, COUNT(paths));
	tcase_add_loop_test(tests, bounds_answers, 0, COUNT(large));
	tcase_add_test(tests, bounds_build_ids);
	tcase_add_test(tests, hashes_requests);
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
