/* SPDX-License-Identifier: MIT */
/*
 * What a symbol server and its client read from each other: a request's path and headers, one on
 * each line of the input, answers and metadata in JSON, keys.  What is let in has numbers inside
 * their bounds; a path made from what was read is the path; what is written reads the same.
 */
#include "fuzz.h"

#include "base/json_reader.h"
#include "server/protocol/download.h"
#include "server/protocol/upload.h"

#include <string.h>

enum { HEADERS = 6 };

static const char *line_or_null(char **text)
{
	char *line = *text, *end = line ? strchr(line, '\n') : NULL;

	*text = end ? end + 1 : NULL;
	if (end)
		*end = '\0';
	return line && strcmp(line, "-") != 0 ? line : NULL;
}

static void check_id(const struct fileid *id)
{
	char text[FILEID_BASE64_SIZE];
	struct fileid again;

	fileid_to_base64(id, text);
	ALWAYS(fileid_parse((struct cairn_bytes){ (uint8_t *)text, strlen(text) }, &again));
	ALWAYS(memcmp(id, &again, sizeof(again)) == 0);
}

static void check_path(const char *path)
{
	char again[DOWNLOAD_PATH_MAX];
	struct fileid id;
	enum download_resource what;

	if (download_path_read(path, &id, &what) != CAIRN_OK)
		return;
	download_path(&id, what, again);
	ALWAYS(strcmp(again, path + 1) == 0);
	check_id(&id);
}

static void check_request(char *text)
{
	const char *word[HEADERS];
	struct upload upload;

	for (size_t i = 0; i < HEADERS; i++)
		word[i] = line_or_null(&text);
	const char *path = word[0] ? word[0] : "";
	struct upload_headers headers = { word[1], word[2], word[3], word[4], word[5], 1 };
	const struct upload_refusal *no = upload_check(path, &headers, "a2V5", &upload);
	if (!no) {
		ALWAYS(upload.part < upload.parts && upload.parts <= UPLOAD_PARTS_MAX);
		ALWAYS(strcmp(path, upload_kind_path(upload.kind)) == 0);
		ALWAYS(upload.name[strspn(upload.name, "0123456789abcdef")] == '\0');
		ALWAYS(headers.authorization && strstr(headers.authorization, "a2V5"));
		check_id(&upload.id);
	} else {
		ALWAYS(no->status >= 400 && no->status < 600);
	}
	check_path(path);
}

static void check_answer(struct cairn_bytes in, unsigned status)
{
	static char text[8192];
	struct upload_answer answer, again;
	struct sink out = sink_open(text, sizeof(text));

	upload_answer_read(status, in, &answer);
	ALWAYS(answer.outcome != UPLOAD_OK || status == 200);
	upload_answer_write(&answer, &out);
	ALWAYS(sink_fits(&out));
	if (answer.outcome == UPLOAD_OK)
		return;
	upload_answer_read(status, (struct cairn_bytes){ (uint8_t *)text, out.size }, &again);
	ALWAYS(strcmp(again.code, answer.code) == 0 && strcmp(again.text, answer.text) == 0);
	ALWAYS(strcmp(again.uuid, answer.uuid) == 0 && again.outcome == answer.outcome);
}

static void check_json(struct cairn_bytes in)
{
	struct json_reader_value top, member;
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	char text[8];

	if (json_reader_open(in, &top, &fault) != CAIRN_OK) {
		ALWAYS(fault.what && fault.offset <= in.size);
		return;
	}
	ALWAYS(top.text.data >= in.data && top.text.size <= in.size);
	if (json_reader_member(&top, "a", &member))
		ALWAYS(member.text.data > top.text.data && member.text.size < top.text.size);
	json_reader_text(&top, text, sizeof(text));
	ALWAYS(strlen(text) < sizeof(text));
}

static void check_metadata(struct cairn_bytes in)
{
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	struct fileid id;
	enum cairn_status status = download_metadata_read(in, &id, &fault);

	if (status == CAIRN_OK)
		check_id(&id);
	else if (status != CAIRN_NOT_FOUND)
		ALWAYS(fault.what && fault.offset <= in.size);
}

static void check_key(struct cairn_bytes in)
{
	char key[UPLOAD_KEY_MAX];

	if (upload_key(in, key))
		for (const char *c = key; *c; c++)
			ALWAYS(*c > ' ' && *c < 0x7f && *c != ':');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cairn_bytes in = { data ? data : (const uint8_t *)"", size };
	char *text = malloc(size + 1);

	ALWAYS(text != NULL);
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	check_request(text);
	free(text);
	check_answer(in, 200);
	check_answer(in, 500);
	check_json(in);
	check_metadata(in);
	check_key(in);
	return 0;
}
