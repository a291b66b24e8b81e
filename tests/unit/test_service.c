/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* syscall() */
/*
 * Bodies that a service is sent, and what it says to each: the fields of symbolize and symbolicate/v5, what is refused and with which
 * status, and answers of workers that are not what was asked for.
 */
#include "unit.h"

#include "service/answers.h"
#include "service/pool.h"
#include "service/query.h"

#include "os/channel.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The build whose addresses have names: 623f20aa282724bc591a89512845e090adfd3dfc. */
static const uint8_t known_id[] = { 0x62, 0x3f, 0x20, 0xaa, 0x28, 0x27, 0x24, 0xbc, 0x59, 0x1a,
	                            0x89, 0x51, 0x28, 0x45, 0xe0, 0x90, 0xad, 0xfd, 0x3d, 0xfc };

#define KNOWN "623f20aa282724bc591a89512845e090adfd3dfc"
#define KNOWN_DEBUG "AA203F622728BC24591A89512845E0900"

static enum query_outcome outcome;

/* Bytes that may still be reserved for answers. */
static size_t memory_left = SIZE_MAX;

static bool hold_memory(void *context, size_t size)
{
	(void)context;
	if (size > memory_left)
		return false;
	memory_left -= size;
	return true;
}

static struct cairn_bytes text_bytes(const char *text)
{
	return (struct cairn_bytes){ (const uint8_t *)text, strlen(text) };
}

/* Address 0x10 has a call inlined in another one, 0x20 a function without a file, others have none. */
static void name_address(struct answer_text *answer, uint64_t address)
{
	struct cairn_location call[] = {
		{ .function = text_bytes("inner"),
		  .directory = text_bytes("/src"),
		  .file = text_bytes("a.c"),
		  .line = 13,
		  .column = 5,
		  .offset = 1,
		  .inlined = true },
		{ .function = text_bytes("outer"),
		  .directory = text_bytes("/src"),
		  .file = text_bytes("b.c"),
		  .line = 7,
		  .offset = 0x14,
		  .size = 0x40 },
	};
	struct cairn_symbol_answer found = { .locations = call, .count = 2 };

	if (address == 0x20) {
		call[1].directory = call[1].file = text_bytes("");
		call[1].line = 0;
		call[1].size = 0;
		found.locations = call + 1;
		found.count = 1;
	} else if (address != 0x10) {
		found.count = 0;
	}
	answer_add_address(answer, &found, NULL);
}

/* A build that ends whoever reads it. */
#define BAD "badbadbadbad"

static bool ends_workers(const struct query_module *module)
{
	return module->id[0] == 0xba && module->id[1] == 0xdb;
}

/* As a worker does: the question and the answer go through their forms in a socket. */
static enum query_outcome ask_source(void *context, struct query *query)
{
	const size_t count = query->module_count;
	size_t *module = calloc(count + 1, sizeof(*module));
	struct answer_text answer = { .failed = false };
	struct byte_buffer bytes = { .limit = ANSWER_BYTES_MAX };
	struct answer_header header;
	struct question_text text;
	struct question question;

	(void)context;
	ck_assert(module && query_begin(query));
	query->hold = hold_memory;
	for (size_t i = 0; i < count; i++)
		module[i] = i;
	ck_assert(question_write(query, module, count, &text));
	byte_buffer_u8(&text.bytes, 0); /* no memory is not NULL */
	ck_assert(question_read(&text.header, text.bytes.data, &question));
	for (size_t i = 0, at = 0; i < count; i++) {
		const struct question_module *m = &question.modules[i];
		const bool known = memcmp(m->id, known_id, m->is_debug_id ? 16 : 20) == 0;
		answer_add_module(&answer, known ? 0 : CAIRN_MISSING_ALL);
		for (size_t j = 0; j < m->address_count; j++, at++)
			name_address(&answer, known ? question.addresses[at] : 0);
	}
	ck_assert(answer_write(&answer, &header, &bytes));
	void *memory = malloc(bytes.size + 1);
	ck_assert(memory);
	if (bytes.size > 0)
		memcpy(memory, bytes.data, bytes.size);
	ck_assert(answer_read(&header, memory, module, count, query));
	for (size_t i = 0; i < count; i++)
		if (ends_workers(&query->modules[i])) {
			query->modules[i].is_left_out = true;
			query->modules[i].missing = 0;
		}
	byte_buffer_finish(&bytes);
	question_free(&question);
	answer_free(&answer);
	free(module);
	return outcome;
}

static bool find_no_places(void *context, const struct query_module *module,
                           struct elf_places *places)
{
	(void)context, (void)module, (void)places;
	return false;
}

static const struct query_asker asker = { ask_source, find_no_places, NULL };

typedef void (*endpoint)(const struct query_asker *asker, struct cairn_bytes body,
                         struct service_answer *answer);

static void check_answer(endpoint answer_of, const char *body, unsigned status, const char *text)
{
	struct service_answer answer;
	char shown[4096];

	answer_of(&asker, text_bytes(body), &answer);
	snprintf(shown, sizeof(shown), "%.*s", (int)answer.size, answer.body ? answer.body : "");
	ck_assert_msg(answer.status == status, "%s: %u %s", body, answer.status, shown);
	ck_assert_msg(strstr(shown, text), "%s: %s lacks %s", body, shown, text);
	ck_assert(status == SERVICE_OK || answer.why);
	service_answer_free(&answer);
}

#define SYMBOLIZE(id, address) \
	"{\"frames\":[{\"build_id\":\"" id "\",\"address\":\"" address "\"}]}"

START_TEST(test_symbolize_answers)
{
	static const struct {
		const char *body, *text;
	} rows[] = {
		{ SYMBOLIZE(KNOWN, "0x10"),
		  "{\"results\":[{\"frames\":[{\"function\":\"inner\",\"file\":\"/src/"
		  "a.c\",\"line\":13,"
		  "\"column\":5},{\"function\":\"outer\",\"file\":\"/src/b.c\",\"line\":7}]}],"
		  "\"missing_build_ids\":[]}" },
		{ SYMBOLIZE(KNOWN, "0x20"), "[{\"frames\":[{\"function\":\"outer\"}]}]" },
		{ SYMBOLIZE(KNOWN, "0x30"),
		  "{\"results\":[{\"frames\":[]}],\"missing_build_ids\":[]}" },
		{ SYMBOLIZE("0badc0de", "0x10"),
		  "{\"results\":[{\"frames\":[]}],\"missing_build_ids\":[\"0badc0de\"]}" },
		{ SYMBOLIZE(BAD, "0x10"), "{\"results\":[{\"frames\":[]}],\"missing_build_ids\":[],"
		                          "\"failed_build_ids\":[\"" BAD "\"]}" },
		{ SYMBOLIZE("", "0x10"),
		  "{\"results\":[{\"frames\":[]}],\"missing_build_ids\":[]}" },
		{ SYMBOLIZE("0000", "0x10"), "\"missing_build_ids\":[]}" },
		{ "{\"frames\":[]}", "{\"results\":[],\"missing_build_ids\":[]}" },
		/* the order of the request, whatever that of the question was */
		{ "{\"frames\":[{\"build_id\":\"" KNOWN
		  "\",\"address\":\"0x30\"},{\"build_id\":\"" KNOWN
		  "\",\"address\":\"0x20\",\"kind\":\"module_offset\"},{\"address\":\"0x1\"},"
		  "{\"build_id\":\"" KNOWN "\",\"address\":\"0x20\"}]}",
		  "[{\"frames\":[]},{\"frames\":[{\"function\":\"outer\"}]},{\"frames\":[]},{"
		  "\"frames\":[{"
		  "\"function\":\"outer\"}]}]" },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		check_answer(service_symbolize, rows[i].body, SERVICE_OK, rows[i].text);
}
END_TEST

#define JOB(map, stacks) "{\"memoryMap\":" map ",\"stacks\":" stacks "}"
#define MAP                                                                                  \
	"[[\"libxul.so\",\"" KNOWN_DEBUG "\"],[\"other\",\"00000000000000000000000000000000" \
	"0\"],[\"[kernel.kallsyms]\",\"\"]]"

/* Each field of the answers that clients read. */
START_TEST(test_symbolicate_answers)
{
	static const struct {
		const char *body, *text;
	} rows[] = {
		{ "{\"jobs\":[" JOB(MAP, "[[[0,16]]]") "],\"version\":5}",
		  "{\"results\":[{\"stacks\":[[{\"frame\":0,\"module\":\"libxul.so\",\"module_"
		  "offset\":\"0x10\","
		  "\"function\":\"outer\",\"file\":\"/src/"
		  "b.c\",\"line\":7,\"function_offset\":\"0x14\",\"function_size\":\"0x40\","
		  "\"inlines\":[{"
		  "\"function\":\"inner\",\"file\":\"/src/"
		  "a.c\",\"line\":13}]}]],\"found_modules\":{\"libxul.so/" KNOWN_DEBUG
		  "\":true,\"other/000000000000000000000000000000000\":null,\"[kernel.kallsyms]/"
		  "\":null}}]}" },
		/* one job without a list of them */
		{ JOB(MAP, "[[[0,32]]]"),
		  "\"function\":\"outer\",\"function_offset\":\"0x14\"}]]" },
		/* no name: no function, and no empty one */
		{ JOB(MAP, "[[[0,48]]]"),
		  "[[{\"frame\":0,\"module\":\"libxul.so\",\"module_offset\":\"0x30\"}]]" },
		/* an ID of zeros, or none, is that of no file */
		{ JOB(MAP, "[[[1,16],[2,16]]]"),
		  "[[{\"frame\":0,\"module\":\"other\",\"module_offset\":\"0x10\"},{\"frame\":1,"
		  "\"module\":"
		  "\"[kernel.kallsyms]\",\"module_offset\":\"0x10\"}]]" },
		{ JOB(MAP, "[[[1,16]]]"), "\"other/000000000000000000000000000000000\":false" },
		{ JOB(MAP, "[[[-1,16],[0,-1]]]"),
		  "[[{\"frame\":0,\"module\":\"<unknown>\",\"module_offset\":\"0x10\"},{\"frame\":"
		  "1,"
		  "\"module\":\"<unknown>\",\"module_offset\":\"0x0\"}]]" },
		/* its files have ended workers */
		{ JOB("[[\"x\",\"0000DBBABADBADBADBADBADBADBADBAD0\"],[\"y\",\"" KNOWN_DEBUG "\"]]",
		      "[[[0,32]]]"),
		  "\"found_modules\":{\"x/"
		  "0000DBBABADBADBADBADBADBADBADBAD0\":false,\"y/" KNOWN_DEBUG
		  "\":null},\"module_errors\":{\"x/0000DBBABADBADBADBADBADBADBADBAD0\":[{"
		  "\"name\":\"FilesEndedReaders\",\"message\":\"the files of" },
		{ JOB(MAP, "[[],[[0,16]],[[0,48],[0,32]]]"), "\"stacks\":[[],[{\"frame\":0," },
		{ JOB("[]", "[]"), "{\"results\":[{\"stacks\":[],\"found_modules\":{}}]}" },
		{ "{\"jobs\":[]}", "{\"results\":[]}" },
		{ "{\"jobs\":[" JOB("[]", "[]") "," JOB(MAP, "[[[0,32]]]") "]}",
		  "{\"results\":[{\"stacks\":[],\"found_modules\":{}},{\"stacks\":[[{" },
		{ JOB("[[\"a b+{}@<>~-._\",\"" KNOWN_DEBUG "\"],[\"a b+{}@<>~-._\",\"" KNOWN_DEBUG
		      "\"]]",
		      "[]"),
		  "\"found_modules\":{\"a b+{}@<>~-._/" KNOWN_DEBUG "\":null}}" },
		/* IDs have letters in either case, and an age of any length */
		{ JOB("[[\"x\",\"aa203f622728bc24591a89512845e0901f\"]]", "[[[0,32]]]"),
		  "\"function\":\"outer\"" },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		check_answer(service_symbolicate, rows[i].body, SERVICE_OK, rows[i].text);
}
END_TEST

START_TEST(test_refusals)
{
	static const struct {
		endpoint answer_of;
		const char *body;
		unsigned status;
		const char *text;
	} rows[] = {
		{ service_symbolize, "", 400, "error" },
		{ service_symbolize, "x", 400, "error" },
		{ service_symbolize, "{", 400, "error" },
		{ service_symbolize, "[]", 400, "error" },
		{ service_symbolize, "{}", 400, "no stack, report, list of frames or reference" },
		{ service_symbolize, "{\"frames\":{}}", 400, "\\\"frames\\\" is not an array" },
		{ service_symbolize, "{\"frames\":[1]}", 400, "a frame that is not an object" },
		{ service_symbolize, "{\"frames\":[{}]}", 400, "a frame without an address" },
		{ service_symbolize, SYMBOLIZE(KNOWN, "10"), 400, "a frame without an address" },
		{ service_symbolize, SYMBOLIZE(KNOWN, "0x"), 400, "a frame without an address" },
		{ service_symbolize, SYMBOLIZE(KNOWN, "0x11112222333344445"), 400,
		  "a frame without" },
		{ service_symbolize,
		  "{\"frames\":[{\"build_id\":\"ab\",\"address\":\"0x1\",\"kind\":\"rva\"}]}", 400,
		  "an address kind" },
		{ service_symbolize, "{\"tid\":1,\"frames\":[]}", 400, "expected an object" },
		{ service_symbolize, "{\"threads\":[]}", 400, "expected an object" },
		{ service_symbolize, "{\"frames\":[]} x", 400, "error" },
		{ service_symbolicate, "", 400, "title" },
		{ service_symbolicate, "null", 400, "the request is not an object" },
		{ service_symbolicate, "[]", 400, "the request is not an object" },
		{ service_symbolicate, "{", 400, "title" },
		{ service_symbolicate, "{}", 400, "a job has no array \\\"memoryMap\\\"" },
		{ service_symbolicate, "{\"jobs\":1}", 400, "\\\"jobs\\\" is not an array" },
		{ service_symbolicate, "{\"jobs\":[1]}", 400, "a job is not an object" },
		{ service_symbolicate, "{\"jobs\":[{}]}", 400,
		  "a job has no array \\\"memoryMap\\\"" },
		{ service_symbolicate, "{\"memoryMap\":[]}", 400,
		  "a job has no array \\\"stacks\\\"" },
		{ service_symbolicate, JOB("[[]]", "[]"), 400, "memoryMap is not an array of" },
		{ service_symbolicate, JOB("[[\"a\"]]", "[]"), 400,
		  "memoryMap is not an array of" },
		{ service_symbolicate, JOB("[[1,\"\"]]", "[]"), 400,
		  "memoryMap is not an array of" },
		{ service_symbolicate, JOB("[[\"a\",1]]", "[]"), 400,
		  "memoryMap is not an array of" },
		{ service_symbolicate, JOB("[[\"a\",\"\",\"\"]]", "[]"), 400,
		  "memoryMap is not an array" },
		{ service_symbolicate, JOB("[[\"../a\",\"\"]]", "[]"), 400,
		  "an invalid module name" },
		{ service_symbolicate, JOB("[[\"a\\u0041\",\"\"]]", "[]"), 400,
		  "an invalid module name" },
		{ service_symbolicate, JOB("[[\"a\",\"xyz\"]]", "[]"), 400, "an invalid debug ID" },
		{ service_symbolicate, JOB("{}", "[]"), 400,
		  "a job has no array \\\"memoryMap\\\"" },
		{ service_symbolicate, JOB("[]", "{}"), 400, "a job has no array \\\"stacks\\\"" },
		{ service_symbolicate, JOB("[]", "[1]"), 400, "a stack is not an array" },
		{ service_symbolicate, JOB(MAP, "[[1]]"), 400, "a frame is not an array" },
		{ service_symbolicate, JOB(MAP, "[[[0]]]"), 400, "a frame is not an array" },
		{ service_symbolicate, JOB(MAP, "[[[0,1,2]]]"), 400, "a frame is not an array" },
		{ service_symbolicate, JOB(MAP, "[[[0,1.5]]]"), 400, "a frame is not an array" },
		{ service_symbolicate, JOB(MAP, "[[[0,\"1\"]]]"), 400, "a frame is not an array" },
		{ service_symbolicate, JOB(MAP, "[[[-2,1]]]"), 400, "a frame is not an array" },
		{ service_symbolicate, JOB(MAP, "[[[0,-2]]]"), 400, "a frame is not an array" },
		{ service_symbolicate, JOB(MAP, "[[[3,1]]]"), 400, "a module index out of range" },
		{ service_symbolicate, JOB("[]", "[[[0,1]]]"), 400, "a module index out of range" },
		{ service_symbolicate, "{\"jobs\":[{},{},{},{},{},{},{},{},{},{},{}]}", 400,
		  "memoryMap" },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		check_answer(rows[i].answer_of, rows[i].body, rows[i].status, rows[i].text);
}
END_TEST

START_TEST(test_eleven_jobs)
{
	char body[1024] = "{\"jobs\":[";

	for (unsigned i = 0; i < 11; i++)
		snprintf(body + strlen(body), sizeof(body) - strlen(body), "%s%s", i ? "," : "",
		         JOB("[]", "[]"));
	strcat(body, "]}");
	check_answer(service_symbolicate, body, 400, "more than 10 jobs");
}
END_TEST

/* What cannot be answered in time is not answered in part. */
START_TEST(test_late_answers)
{
	outcome = QUERY_LATE;
	check_answer(service_symbolize, SYMBOLIZE(KNOWN, "0x10"), SERVICE_TRY_AGAIN,
	             "took too long to read");
	check_answer(service_symbolicate, JOB(MAP, "[[[0,16]]]"), SERVICE_TRY_AGAIN, "try again");
	outcome = QUERY_BROKEN;
	check_answer(service_symbolize, SYMBOLIZE(KNOWN, "0x10"), SERVICE_TRY_AGAIN,
	             "could not be read now");
	outcome = QUERY_DONE;
}
END_TEST

/* An answer with one call, and a text of one byte; each row makes one number of it another one. */
/* What is written of an answer is reserved; where that is refused it is none. */
START_TEST(test_answers_without_memory)
{
	static const char asked[] = SYMBOLIZE(KNOWN, "0x10");
	const size_t all = SERVICE_ANSWER_MAX;

	memory_left = all;
	check_answer(service_symbolize, asked, SERVICE_OK, "outer");
	const size_t size = all - memory_left;
	ck_assert(size > strlen("{\"results\":[]}"));
	memory_left = size;
	check_answer(service_symbolize, asked, SERVICE_OK, "outer");
	ck_assert(memory_left == 0);
	memory_left = size - 1;
	check_answer(service_symbolize, asked, SERVICE_TRY_AGAIN, "too many answers wait");
	outcome = QUERY_CROWDED;
	check_answer(service_symbolize, asked, SERVICE_TRY_AGAIN, "too many answers wait");
	outcome = QUERY_DONE;
	memory_left = SIZE_MAX;
}
END_TEST

START_TEST(test_answers_of_workers)
{
	struct {
		struct query_call call;
		uint32_t missing, count, text_end;
		char text[4];
	} sound = { .count = 1, .text_end = 1 }, body;
	const struct answer_header good = { .size = sizeof(struct query_call) + 13,
		                            .module_count = 1,
		                            .address_count = 1,
		                            .call_count = 1,
		                            .text_count = 1,
		                            .text_size = 1 };
	const size_t module = 0;

	for (unsigned row = 0; row < 14; row++) {
		struct query_module named = { .id = { 1 }, .id_size = 1 };
		struct query query = { .raw_names = false };
		struct answer_header header = good;
		void *memory = malloc(sizeof(body));
		body = sound;
		header.size -= row == 1;
		header.size += row == 2;
		header.module_count += row == 3;
		header.address_count += row == 4;
		header.call_count = row == 5 ? UINT32_MAX : 1;
		header.text_count = row == 6 ? UINT32_MAX : 1;
		header.text_size = row == 7 ? UINT32_MAX : 1;
		body.call.function = row == 8;
		body.call.directory = row == 9 ? UINT32_MAX : 0;
		body.call.file = row == 10;
		body.count = row == 11 ? 2 : row == 12 ? 0 : 1;
		body.text_end = row == 13 ? 2 : 1;
		ck_assert(memory && query_add_module(&query, &named) &&
		          query_add_address(&query, 1) && query_begin(&query));
		memcpy(memory, &body, sizeof(body));
		ck_assert_msg(answer_read(&header, memory, &module, 1, &query) == (row == 0),
		              "row %u", row);
		ck_assert(query.modules[0].is_answered == (row == 0));
		query_finish(&query);
	}
}
END_TEST

/* Profiles are refused in the words of their protocol. */
START_TEST(test_profiles)
{
	struct service_answer answer;

	service_profiles(&asker, text_bytes("garbage"), false, &answer);
	ck_assert_uint_eq(answer.status, 400);
	ck_assert(answer.size > 4 && answer.body[0] == 1 << 3 && answer.body[1] == 3);
	service_answer_free(&answer);
	service_profiles(&asker, text_bytes("{\"resourceProfiles\":1}"), true, &answer);
	ck_assert_uint_eq(answer.status, 400);
	ck_assert(answer.body && strstr(answer.body, "{\"code\":3,\"message\":"));
	service_answer_free(&answer);
	service_profiles(
		&asker,
		text_bytes("{\"resourceProfiles\":[{\"scopeProfiles\":[{\"profiles\":[{}]}]}]}"),
		false, &answer);
	ck_assert_uint_eq(answer.status, 415);
	service_answer_free(&answer);
	service_profiles(&asker, text_bytes("\x1f\x8b\x08 not gzip"), false, &answer);
	ck_assert_uint_eq(answer.status, 400);
	ck_assert(answer.why && answer.body[1] == 3); /* without zlib for another reason */
	service_answer_free(&answer);
	service_profiles(&asker, text_bytes("{\"resourceProfiles\":[]}"), true, &answer);
	ck_assert(answer.status == SERVICE_OK && answer.size > 0);
	service_answer_free(&answer);
	service_profiles(&asker, text_bytes(""), false, &answer);
	ck_assert(answer.status == SERVICE_OK && answer.size == 0);
	service_answer_free(&answer);
}
END_TEST

/* How far the time of day is ahead of that of the kernel, by which waits for it end: as if it was set back meanwhile. */
static time_t ahead;

int clock_gettime(clockid_t clock, struct timespec *at)
{
	const int error = (int)syscall(SYS_clock_gettime, clock, at);

	at->tv_sec += clock == CLOCK_REALTIME ? ahead : 0;
	return error;
}

START_TEST(test_time_of_day_set_back)
{
	const uint64_t begin = channel_clock();
	struct pool pool;

	ck_assert(pool_start(&pool, NULL, NULL));
	ahead = 3600;
	ck_assert(pool_lock(&pool.slot[0], begin));
	ck_assert(!pool_lock(&pool.slot[0], begin + 50));
	ck_assert_uint_ge(channel_clock(), begin + 50);
	pool_unlock(&pool.slot[0]);
	ck_assert(pool_lock(&pool.slot[0], begin));
	pool_stop(&pool);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("service");
	TCase *tests = tcase_create("service");

	tcase_add_test(tests, test_symbolize_answers);
	tcase_add_test(tests, test_symbolicate_answers);
	tcase_add_test(tests, test_refusals);
	tcase_add_test(tests, test_eleven_jobs);
	tcase_add_test(tests, test_late_answers);
	tcase_add_test(tests, test_answers_without_memory);
	tcase_add_test(tests, test_answers_of_workers);
	tcase_add_test(tests, test_profiles);
	tcase_add_test(tests, test_time_of_day_set_back);
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
