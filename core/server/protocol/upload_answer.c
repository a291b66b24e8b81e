/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes answers:
 *
 *	{"success": true, "status": 200}
 *	{"success": false, "uuid": "...", "error": {"Code": "1000", "Text": "..."}, "status": 400}
 */
#include "upload.h"

#include "base/json_escape.h"
#include "base/json_reader.h"

#include <stdio.h>
#include <string.h>

enum {
	STATUS_OK = 200,
	STATUS_TOO_MANY = 429,
	STATUS_SERVER = 500,
	STATUS_END = 600,
};

static bool worth_another_try(unsigned status)
{
	return status == STATUS_TOO_MANY || (status >= STATUS_SERVER && status < STATUS_END);
}

/* Read the error strings. Returns false if the body reports a failure. */
static bool read_body(const struct json_reader_value *top, struct upload_answer *answer)
{
	struct json_reader_value value, error;

	if (json_reader_member(top, "error", &error)) {
		if (json_reader_member(&error, "Code", &value))
			json_reader_text(&value, answer->code, sizeof(answer->code));
		if (json_reader_member(&error, "Text", &value))
			json_reader_text(&value, answer->text, sizeof(answer->text));
	}
	if (json_reader_member(top, "uuid", &value))
		json_reader_text(&value, answer->uuid, sizeof(answer->uuid));
	return !json_reader_member(top, "success", &value) || value.kind != JSON_READER_FALSE;
}

void upload_answer_read(unsigned status, struct cairn_bytes body, struct upload_answer *answer)
{
	struct json_reader_value top;
	struct cairn_fault fault;
	bool good = true;

	*answer = (struct upload_answer){ .status = status };
	if (json_reader_open(body, &top, &fault) == CAIRN_OK)
		good = read_body(&top, answer);
	if (status == STATUS_OK && good)
		answer->outcome = UPLOAD_OK;
	else
		answer->outcome = worth_another_try(status) ? UPLOAD_RETRY : UPLOAD_FAILED;
}

static void append_json_string(struct sink *out, const char *text)
{
	struct cairn_bytes left = { (const uint8_t *)text, strlen(text) };
	char written[JSON_ESCAPE_MAX];

	sink_u8(out, '"');
	while (left.size > 0) {
		const char *end = json_put_character(written, &left);
		sink_bytes(out, (const uint8_t *)written, (size_t)(end - written));
	}
	sink_u8(out, '"');
}

void upload_answer_write(const struct upload_answer *answer, struct sink *out)
{
	bool ok = answer->outcome == UPLOAD_OK;
	char status[16];

	sink_text(out, ok ? "{\"success\": true" : "{\"success\": false, \"uuid\": ");
	if (!ok) {
		append_json_string(out, answer->uuid);
		sink_text(out, ", \"error\": {\"Code\": ");
		append_json_string(out, answer->code);
		sink_text(out, ", \"Text\": ");
		append_json_string(out, answer->text);
		sink_text(out, "}");
	}
	sink_text(out, ", \"status\": ");
	snprintf(status, sizeof(status), "%u", answer->status);
	sink_text(out, status);
	sink_text(out, "}\n");
}
