/* SPDX-License-Identifier: MIT */
/* The upload protocol: which requests are let in, keys, answers. */
#include "unit.h"

#include "server/protocol/upload.h"

#define ID "NHb9aTyjzuGRQxEH02ygWA"
#define KEY "ZXhhbXBsZS1pZDpleGFtcGxlLWtleQ=="
#define NAME "0123456789abcdef0123456789abcdef"
#define AUTH "APIKey " KEY

static const struct {
	const char *path;
	struct upload_headers headers;
	unsigned status; /* 0: let in */
	uint32_t part, parts;
} requests[] = {
	{ "/api/symbols-ranges", { ID, "0", "1", AUTH, NULL, 1 }, 0, 0, 1 },
	{ "/api/symbols-ranges", { ID, "1", "5", AUTH, NULL, 1 }, 0, 1, 5 },
	{ "/api/symbols-returnpads", { ID, "4", "5", AUTH, NULL, 1 }, 0, 4, 5 },
	{ "/api/symbols-ranges", { ID, NULL, NULL, AUTH, NULL, 1 }, 0, 0, 1 },
	{ "/api/symbols-ranges", { ID, "32766", "32767", AUTH, NULL, 1 }, 0, 32766, 32767 },
	{ "/api/symbols-ranges",
	  { "3476fd69-3ca3cee191431107d36ca058", "0", "1", AUTH, NULL, 1 },
	  0,
	  0,
	  1 },
	{ "/api/symbols-ranges", { ID, "0", "32768", AUTH, NULL, 1 }, 400, 0, 0 },
	{ "/api/symbols-ranges", { ID, "5", "5", AUTH, NULL, 1 }, 400, 0, 0 },
	{ "/api/symbols-ranges", { ID, "0", "0", AUTH, NULL, 1 }, 400, 0, 0 },
	{ "/api/symbols-ranges", { ID, "-1", "2", AUTH, NULL, 1 }, 400, 0, 0 },
	{ "/api/symbols-ranges", { ID, "+1", "2", AUTH, NULL, 1 }, 400, 0, 0 },
	{ "/api/symbols-ranges", { ID, "1x", "2", AUTH, NULL, 1 }, 400, 0, 0 },
	{ "/api/symbols-ranges", { ID, "", "2", AUTH, NULL, 1 }, 400, 0, 0 },
	{ "/api/symbols-ranges", { ID, "4294967296", "4294967297", AUTH, NULL, 1 }, 400, 0, 0 },
	{ "/api/symbols-ranges", { ID, "0", NULL, AUTH, NULL, 1 }, 400, 0, 0 },
	{ "/api/symbols-ranges", { ID, NULL, "1", AUTH, NULL, 1 }, 400, 0, 0 },
	{ "/api/symbols-ranges", { NULL, "0", "1", AUTH, NULL, 1 }, 400, 0, 0 },
	{ "/api/symbols-ranges", { "NHb9aTyjzuGRQxEH02ygW", "0", "1", AUTH, NULL, 1 }, 400, 0, 0 },
	{ "/api/symbols-ranges", { "../../../../etc/passwd", "0", "1", AUTH, NULL, 1 }, 400, 0, 0 },
	{ "/api/symbols-ranges", { ID, "0", "1", "apikey   " KEY, NULL, 1 }, 0, 0, 1 },
	{ "/api/symbols-ranges", { ID, "0", "1", NULL, NULL, 1 }, 401, 0, 0 },
	{ "/api/symbols-ranges", { ID, "0", "1", "", NULL, 1 }, 401, 0, 0 },
	{ "/api/symbols-ranges", { ID, "0", "1", "APIKey", NULL, 1 }, 401, 0, 0 },
	{ "/api/symbols-ranges", { ID, "0", "1", "APIKey ", NULL, 1 }, 401, 0, 0 },
	{ "/api/symbols-ranges", { ID, "0", "1", "APIKey" KEY, NULL, 1 }, 401, 0, 0 },
	{ "/api/symbols-ranges", { ID, "0", "1", "Basic abc", NULL, 1 }, 401, 0, 0 },
	{ "/api/symbols-ranges", { ID, "0", "1", AUTH "x", NULL, 1 }, 401, 0, 0 },
	{ "/api/symbols-ranges",
	  { ID, "0", "1", "APIKey ZXhhbXBsZS1pZDpleGFtcGxlLWtleQ=", NULL, 1 },
	  401,
	  0,
	  0 },
	{ "/api/symbols-ranges",
	  { ID, "0", "1", "APIKey ZXhhbXBsZS1pZDpleGFtcGxlLWtlez==", NULL, 1 },
	  401,
	  0,
	  0 },
	{ "/api/symbols-ranges", { ID, "1", "2", AUTH, NAME, 1 }, 0, 1, 2 },
	{ "/api/symbols-ranges", { ID, "1", "2", AUTH, "", 1 }, 400, 0, 0 },
	{ "/api/symbols-ranges", { ID, "1", "2", AUTH, NAME "0", 1 }, 400, 0, 0 },
	{ "/api/symbols-ranges",
	  { ID, "1", "2", AUTH, "../../../../../../../../../../xx", 1 },
	  400,
	  0,
	  0 },
	{ "/api/symbols-ranges", { ID, "1", "2", AUTH, NULL, 2 }, 400, 0, 0 },
	{ "/api/symbols-other", { ID, "0", "1", AUTH, NULL, 1 }, 404, 0, 0 },
	{ "/api/symbols-ranges/", { ID, "0", "1", AUTH, NULL, 1 }, 404, 0, 0 },
	{ "/api/symbols-other", { NULL, NULL, NULL, NULL, NULL, 1 }, 404, 0, 0 },
};

START_TEST(lets_requests_in)
{
	struct upload upload = { .part = 99 };
	const struct upload_refusal *no =
		upload_check(requests[_i].path, &requests[_i].headers, KEY, &upload);

	ck_assert_uint_eq(no ? no->status : 0, requests[_i].status);
	if (!no) {
		ck_assert_uint_eq(upload.part, requests[_i].part);
		ck_assert_uint_eq(upload.parts, requests[_i].parts);
		ck_assert_mem_eq(upload.id.bytes, "\x34\x76\xfd\x69", 4);
		ck_assert_str_eq(upload_kind_path(upload.kind), requests[_i].path);
	}
}
END_TEST

START_TEST(names_an_upload_by_what_it_sends)
{
	struct upload a = { .part = 0 }, again = { .part = 1 }, cut = a, other = a, sender = a;
	struct cairn_bytes whole = { (const uint8_t *)"abc", 3 };

	upload_set_name(&a, whole, 16);
	upload_set_name(&again, whole, 16);
	upload_set_name(&cut, whole, 17);
	upload_set_name(&other, (struct cairn_bytes){ whole.data, 2 }, 16);
	upload_set_sender(&sender, whole);
	ck_assert_uint_eq(strlen(a.name), UPLOAD_NAME_SIZE - 1);
	ck_assert_str_eq(a.name, again.name);
	ck_assert_str_ne(a.name, cut.name);
	ck_assert_str_ne(a.name, other.name);
	ck_assert_str_ne(a.name, sender.name);
}
END_TEST

START_TEST(asks_for_no_key_without_one)
{
	struct upload_headers headers = { ID, "0", "1", NULL, NULL, 1 };
	struct upload upload;

	ck_assert_ptr_null(upload_check("/api/symbols-ranges", &headers, NULL, &upload));
}
END_TEST

static const struct {
	struct cairn_bytes text;
	const char *key; /* NULL: refused */
} keys[] = {
	{ BYTES(KEY), KEY },
	{ BYTES("  " KEY "\r\n"), KEY },
	{ BYTES("example-id:example-key\n"), KEY },
	{ BYTES("a:"), "YTo=" },
	{ BYTES("a:b"), "YTpi" },
	{ BYTES("ab:c"), "YWI6Yw==" },
	{ BYTES(""), NULL },
	{ BYTES(" \n"), NULL },
	{ BYTES("two words"), NULL },
	{ BYTES("a\nb"), NULL },
	{ BYTES("a\r\nFileID: x"), NULL },
	{ BYTES("a\0b"), NULL },
	{ BYTES("\xc3\xa4"), NULL },
};

START_TEST(reads_keys)
{
	char key[UPLOAD_KEY_MAX];
	bool ok = upload_key(unit_exact(keys[_i].text), key);

	ck_assert_int_eq(ok, keys[_i].key != NULL);
	if (ok)
		ck_assert_str_eq(key, keys[_i].key);
}
END_TEST

START_TEST(bounds_keys)
{
	char key[UPLOAD_KEY_MAX];
	uint8_t text[UPLOAD_KEY_MAX];

	memset(text, 'k', sizeof(text));
	ck_assert(upload_key((struct cairn_bytes){ text, sizeof(text) - 1 }, key));
	ck_assert(!upload_key((struct cairn_bytes){ text, sizeof(text) }, key));
	text[0] = ':';
	ck_assert(upload_key((struct cairn_bytes){ text, 765 }, key));
	ck_assert(!upload_key((struct cairn_bytes){ text, 766 }, key));
}
END_TEST

#define UUID "f1ada52e-d705-423f-a1b0-fc054eb8900e"

static const struct {
	unsigned status;
	struct cairn_bytes body;
	enum upload_outcome outcome;
	const char *code, *text, *uuid;
} answers[] = {
	{ 200, BYTES("{\"success\": true, \"status\": 200}"), UPLOAD_OK, "", "", "" },
	{ 200, BYTES(""), UPLOAD_OK, "", "", "" },
	{ 200, BYTES("<html>"), UPLOAD_OK, "", "", "" },
	{ 200, BYTES("{}"), UPLOAD_OK, "", "", "" },
	{ 200, BYTES("{\"success\":false,\"error\":{\"Text\":\"no\",\"Code\":7}}"), UPLOAD_FAILED,
	  "7", "no", "" },
	{ 400,
	  BYTES("{\"success\": false, \"uuid\": \"" UUID
	        "\", \"error\": {\"Code\": \"1000\", \"Text\": "
	        "\"Wrong.\"}, \"status\": 400}"),
	  UPLOAD_FAILED, "1000", "Wrong.", UUID },
	{ 400, BYTES("{\"error\":\"text\",\"uuid\":7}"), UPLOAD_FAILED, "", "", "7" },
	{ 400, BYTES("{\"error\":{\"Code\":null,\"Text\":[]}}"), UPLOAD_FAILED, "", "", "" },
	{ 401, BYTES("[1]"), UPLOAD_FAILED, "", "", "" },
	{ 404, BYTES(""), UPLOAD_FAILED, "", "", "" },
	{ 201, BYTES("{\"success\": true}"), UPLOAD_FAILED, "", "", "" },
	{ 302, BYTES(""), UPLOAD_FAILED, "", "", "" },
	{ 429, BYTES(""), UPLOAD_RETRY, "", "", "" },
	{ 500, BYTES("{\"error\":{\"Code\":\"2\",\"Text\":\"busy\"}}"), UPLOAD_RETRY, "2", "busy",
	  "" },
	{ 503, BYTES("Service Unavailable"), UPLOAD_RETRY, "", "", "" },
	{ 599, BYTES(""), UPLOAD_RETRY, "", "", "" },
	{ 600, BYTES(""), UPLOAD_FAILED, "", "", "" },
};

START_TEST(reads_answers)
{
	struct upload_answer answer;

	upload_answer_read(answers[_i].status, unit_exact(answers[_i].body), &answer);
	ck_assert_int_eq(answer.outcome, answers[_i].outcome);
	ck_assert_str_eq(answer.code, answers[_i].code);
	ck_assert_str_eq(answer.text, answers[_i].text);
	ck_assert_str_eq(answer.uuid, answers[_i].uuid);
}
END_TEST

START_TEST(writes_answers)
{
	struct upload_answer answer = { UPLOAD_FAILED, 400, "1004", "say \"\\\n\" \xc3\xa4", UUID };
	struct upload_answer again;
	char text[512];
	struct sink out = sink_open(text, sizeof(text));

	upload_answer_write(&answer, &out);
	ck_assert(sink_fits(&out));
	upload_answer_read(400, (struct cairn_bytes){ (const uint8_t *)text, out.size }, &again);
	ck_assert_str_eq(again.code, answer.code);
	ck_assert_str_eq(again.text, answer.text);
	ck_assert_str_eq(again.uuid, answer.uuid);

	out = sink_open(text, sizeof(text));
	upload_answer_write(&(struct upload_answer){ .outcome = UPLOAD_OK, .status = 200 }, &out);
	sink_u8(&out, '\0');
	ck_assert_str_eq(text, "{\"success\": true, \"status\": 200}\n");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("upload");
	TCase *tcase = tcase_create("upload");

	tcase_add_loop_test(tcase, lets_requests_in, 0, COUNT(requests));
	tcase_add_test(tcase, names_an_upload_by_what_it_sends);
	tcase_add_test(tcase, asks_for_no_key_without_one);
	tcase_add_loop_test(tcase, reads_keys, 0, COUNT(keys));
	tcase_add_test(tcase, bounds_keys);
	tcase_add_loop_test(tcase, reads_answers, 0, COUNT(answers));
	tcase_add_test(tcase, writes_answers);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
