/* SPDX-License-Identifier: MIT */
/*
 * What a worker makes of answers: which lines are one, what comes after a result or after the death of a reader, and what operators are
 * shown of it.
 */
#include "unit.h"

#include "service/child.h"
#include "service/metrics.h"

#include <stdlib.h>

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const struct {
	const char *line;
	bool is_answer;
	enum request_result result;
	size_t hash;
	const char *reason;
} answers[] = {
	{ "{\"answer\":1,\"request\":\"" HASH "\",\"result\":\"done\"}", true, REQUEST_DONE, 64,
	  "" },
	{ "{\"answer\":1,\"request\":\"" HASH
	  "\",\"result\":\"not_yet\",\"missing_build_ids\":[\"aa\"]}",
	  true, REQUEST_NOT_YET, 64, "" },
	{ "{\"result\":\"no_symbols\"}", true, REQUEST_NO_SYMBOLS, 0, "" },
	{ "{\"request\":null,\"result\":\"rejected\",\"reason\":\"a \\\"line\\\"\",\"offset\":1}",
	  true, REQUEST_REJECTED, 0, "a \"line\"" },
	{ "{\"request\":\"" HASH "\",\"result\":\"try_again\",\"reason\":\"later\"}", true,
	  REQUEST_TRY_AGAIN, 64, "later" },
	/* what comes after the head is the answer's own */
	{ "{\"result\":\"done\",\"threads\":[{\"result\":\"rejected\"}]}", true, REQUEST_DONE, 0,
	  "" },
	{ "", false, REQUEST_DONE, 0, "" },
	{ "done", false, REQUEST_DONE, 0, "" },
	{ "[]", false, REQUEST_DONE, 0, "" },
	{ "{}", false, REQUEST_DONE, 0, "" },
	{ "{\"answer\":1,\"request\":\"", false, REQUEST_DONE, 0, "" },
	{ "{\"result\":\"fine\"}", false, REQUEST_DONE, 0, "" },
	{ "{\"result\":1}", false, REQUEST_DONE, 0, "" },
	{ "{\"result\":{\"result\":\"done\"}}", false, REQUEST_DONE, 0, "" },
	{ "{\"request\":\"abc\",\"result\":\"done\"}", false, REQUEST_DONE, 0, "" },
	{ "{\"request\":\"G123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\","
	  "\"result\":\"done\"}",
	  false, REQUEST_DONE, 0, "" },
	{ "{\"request\":7,\"result\":\"done\"}", false, REQUEST_DONE, 0, "" },
	{ "{\"result\":\"done\",\"reason\":7}", true, REQUEST_DONE, 0, "7" },
	{ "{\"result\":\"done\",\"reason\":true}", false, REQUEST_DONE, 0, "" },
	/* ANSWER_HEAD_MEMBERS are before the result, which is not looked for then */
	{ "{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"result\":\"done\"}",
	  false, REQUEST_DONE, 0, "" },
};

START_TEST(reads_the_head_of_an_answer)
{
	const struct cairn_bytes line = { (const uint8_t *)answers[_i].line,
		                          strlen(answers[_i].line) };
	struct answer_head head;

	ck_assert_msg(answer_head_read(line, &head) == answers[_i].is_answer, "%s",
	              answers[_i].line);
	if (!answers[_i].is_answer)
		return;
	ck_assert_msg(head.result == answers[_i].result, "%s", answers[_i].line);
	ck_assert_uint_eq(head.hash.size, answers[_i].hash);
	ck_assert_str_eq(head.reason, answers[_i].reason);
}
END_TEST

static const struct {
	enum request_result result;
	struct verdict_past past;
	enum verdict_kind kind;
	unsigned delay, attempts;
} results[] = {
	{ REQUEST_DONE, { 0, 0, 0 }, VERDICT_ANSWER, 0, 0 },
	{ REQUEST_NO_SYMBOLS, { 2, 1, 3 }, VERDICT_ANSWER, 0, 2 },
	{ REQUEST_NOT_YET, { 0, 0, 3 }, VERDICT_ANSWER, 0, 0 },
	{ REQUEST_REJECTED, { 0, 0, 3 }, VERDICT_DEAD, 0, 0 },
	{ REQUEST_TRY_AGAIN, { 0, 0, 0 }, VERDICT_DEAD, 0, 1 },
	{ REQUEST_TRY_AGAIN, { 0, 0, 3 }, VERDICT_LATER, 0, 1 },
	{ REQUEST_TRY_AGAIN, { 2, 0, 3 }, VERDICT_LATER, 2, 3 },
	{ REQUEST_TRY_AGAIN, { 3, 0, 3 }, VERDICT_DEAD, 3, 4 },
	{ REQUEST_TRY_AGAIN, { 1000, 0, VERDICT_DELAYS_MAX }, VERDICT_DEAD, 1000, 1001 },
};

START_TEST(decides_after_a_result)
{
	const struct verdict verdict = verdict_of_result(results[_i].result, results[_i].past);

	ck_assert_int_eq(verdict.kind, results[_i].kind);
	ck_assert_uint_eq(verdict.past.attempts, results[_i].attempts);
	ck_assert_uint_eq(verdict.past.crashes, results[_i].past.crashes);
	if (verdict.kind == VERDICT_LATER)
		ck_assert_uint_eq(verdict.delay, results[_i].delay);
}
END_TEST

static const struct {
	struct verdict_past past;
	enum verdict_kind kind;
	unsigned delay, crashes;
} crashes[] = {
	{ { 0, 0, 0 }, VERDICT_AGAIN, 0, 1 },
	{ { 0, 1, 0 }, VERDICT_AGAIN, 0, 2 },
	{ { 0, 2, 0 }, VERDICT_DEAD, 0, 3 },
	{ { 5, 0, 2 }, VERDICT_LATER, 0, 1 },
	{ { 0, 1, 2 }, VERDICT_LATER, 1, 2 },
	{ { 0, 1, 1 }, VERDICT_LATER, 0, 2 },
	{ { 0, VERDICT_CRASHES - 1, 2 }, VERDICT_DEAD, 0, VERDICT_CRASHES },
	{ { 0, 1000, 2 }, VERDICT_DEAD, 0, 1001 },
};

START_TEST(decides_after_a_crash)
{
	const struct verdict verdict = verdict_of_crash(crashes[_i].past);

	ck_assert_int_eq(verdict.kind, crashes[_i].kind);
	ck_assert_uint_eq(verdict.past.crashes, crashes[_i].crashes);
	ck_assert_uint_eq(verdict.past.attempts, crashes[_i].past.attempts);
	if (verdict.kind == VERDICT_LATER)
		ck_assert_uint_eq(verdict.delay, crashes[_i].delay);
}
END_TEST

static void has_line(const char *text, const char *line)
{
	ck_assert_msg(strstr(text, line) != NULL, "no '%s' in: %s", line, text);
}

START_TEST(shows_counters)
{
	struct work_metrics metrics = { .done = 1,
		                        .no_symbols = 2,
		                        .not_yet = 3,
		                        .rejected = 4,
		                        .retried = 5,
		                        .duplicates = 6,
		                        .reconnects = 7,
		                        .replaced = 8,
		                        .fetched = { 10, 11, 12, 13, 14, 15, 16 } };
	const struct work_process process = { 9, 0.5 };
	size_t size = 0;

	metric_times_take(&metrics.times, 0.02);
	metric_times_take(&metrics.times, 40);
	char *text = work_metrics_text(&metrics, &process, &size);
	ck_assert_ptr_nonnull(text);
	ck_assert_uint_eq(size, strlen(text));
	has_line(text, "\ncairn_requests_total{result=\"done\"} 1\n");
	has_line(text, "\ncairn_requests_total{result=\"no_symbols\"} 2\n");
	has_line(text, "\ncairn_requests_total{result=\"not_yet\"} 3\n");
	has_line(text, "\ncairn_requests_total{result=\"rejected\"} 4\n");
	has_line(text, "\ncairn_requests_total{result=\"retried\"} 5\n");
	has_line(text, "\ncairn_request_seconds_bucket{le=\"0.01\"} 0\n");
	has_line(text, "\ncairn_request_seconds_bucket{le=\"0.025\"} 1\n");
	has_line(text, "\ncairn_request_seconds_bucket{le=\"30\"} 1\n");
	has_line(text, "\ncairn_request_seconds_bucket{le=\"+Inf\"} 2\n");
	has_line(text, "\ncairn_request_seconds_sum 40.020000\n");
	has_line(text, "\ncairn_duplicates_total 6\n");
	has_line(text, "\ncairn_reconnects_total 7\n");
	has_line(text, "\ncairn_workers_replaced_total 8\n");
	has_line(text, "\ncairn_store_requests_total{result=\"hit\"} 10\n");
	has_line(text, "\ncairn_store_requests_total{result=\"miss\"} 11\n");
	has_line(text, "\ncairn_store_requests_total{result=\"negative\"} 12\n");
	has_line(text, "\ncairn_store_requests_total{result=\"error\"} 13\n");
	has_line(text, "\ncairn_store_bytes_total 14\n");
	has_line(text, "\ncairn_cache_evictions_total 15\n");
	has_line(text, "\ncairn_cache_bytes 16\n");
	has_line(text, "\nprocess_resident_memory_bytes 9\n");
	has_line(text, "\nprocess_cpu_seconds_total 0.500\n");
	has_line(text, "\ncairn_build_info{version=\"");
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("queue");
	TCase *parts = tcase_create("parts");

	tcase_add_loop_test(parts, reads_the_head_of_an_answer, 0, COUNT(answers));
	tcase_add_loop_test(parts, decides_after_a_result, 0, COUNT(results));
	tcase_add_loop_test(parts, decides_after_a_crash, 0, COUNT(crashes));
	tcase_add_test(parts, shows_counters);
	suite_add_tcase(suite, parts);
	return unit_run(suite);
}
