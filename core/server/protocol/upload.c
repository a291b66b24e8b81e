/* SPDX-License-Identifier: MIT */
/* Parses upload requests, checks their keys and parts, and reads and writes responses. */
#include "upload.h"

#include "base/bytes.h"
#include "base/encoding.h"
#include "base/hash.h"
#include "base/json_escape.h"
#include "base/json_reader.h"
#include "base/reader.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Derives names for uploads. A name keeps the parts of different uploads of the same file apart. */

static void set_name(struct upload *upload, struct sha256 *hash)
{
	uint8_t digest[SHA256_SIZE];

	sha256_finish(hash, digest);
	hex_encode((struct cairn_bytes){ digest, (UPLOAD_NAME_SIZE - 1) / 2 }, upload->name);
}

void upload_set_name(struct upload *upload, struct cairn_bytes whole, uint64_t part_size)
{
	struct sha256 hash = sha256_open();
	uint8_t size[8];

	for (unsigned i = 0; i < sizeof(size); i++)
		size[i] = (uint8_t)(part_size >> 8 * i);
	sha256_put(&hash, (struct cairn_bytes){ size, sizeof(size) });
	sha256_put(&hash, whole);
	set_name(upload, &hash);
}

void upload_set_sender(struct upload *upload, struct cairn_bytes address)
{
	struct sha256 hash = sha256_open();

	sha256_put(&hash, address);
	set_name(upload, &hash);
}

static bool is_printable(struct cairn_bytes text)
{
	for (size_t i = 0; i < text.size; i++)
		if (text.data[i] <= ' ' || text.data[i] >= 0x7f)
			return false;
	return text.size > 0;
}

/* Encode in base64 with padding, like Elastic's clients. */
static void encode_base64(struct cairn_bytes text, struct sink *out)
{
	char group[4];

	for (size_t at = 0; at < text.size; at += 3) {
		const size_t left = text.size - at;
		base64_encode_group((struct cairn_bytes){ text.data + at, left < 3 ? left : 3 },
		                    group);
		sink_bytes(out, (const uint8_t *)group, sizeof(group));
	}
}

bool upload_key(struct cairn_bytes text, char key[UPLOAD_KEY_MAX])
{
	struct sink out = sink_open(key, UPLOAD_KEY_MAX);

	text = bytes_trim(text, BYTES_WHITE, BYTES_WHITE);
	if (!is_printable(text))
		return false;
	if (memchr(text.data, ':', text.size))
		encode_base64(text, &out);
	else
		sink_bytes(&out, text.data, text.size);
	sink_u8(&out, '\0');
	return sink_fits(&out);
}

const struct upload_refusal upload_no_path = { 404, "1001", "unknown path" };
const struct upload_refusal upload_no_method = { 405, "1002",
	                                         "the method is not allowed for this path" };
const struct upload_refusal upload_no_key = { 401, "1003", "a valid API key is required" };
const struct upload_refusal upload_no_id = { 400, "1004", "FileID is missing or malformed" };
static const struct upload_refusal no_parts = {
	400, "1005",
	"FilePart and FileParts must be decimal, FilePart below FileParts, both or none"
};
const struct upload_refusal upload_no_length = { 411, "1006", "Content-Length is required" };
const struct upload_refusal upload_too_large = { 413, "1007", "the part is too large" };
const struct upload_refusal upload_truncated = { 400, "1010",
	                                         "the length of the body is not Content-Length" };
static const struct upload_refusal no_name = { 400, "1012",
	                                       "UploadID must be 32 hexadecimal digits" };
const struct upload_refusal upload_two_lengths = { 400, "1013",
	                                           "Content-Length is given more than once" };
const struct upload_refusal upload_repeated = {
	400, "1014",
	"FileID, FilePart, FileParts, UploadID or Authorization is given more than once"
};
const struct upload_refusal upload_unclear = { 400, "1015", "the end of the body is ambiguous" };
const struct upload_refusal upload_no_host = { 400, "1016",
	                                       "there is not exactly one Host header" };
const struct upload_refusal upload_disk_full = { 507, "2001", "the store is full" };
const struct upload_refusal upload_failed = { 500, "2000", "the store cannot be written" };

static const struct {
	const char *name, *path;
} kinds[UPLOAD_KINDS] = {
	[UPLOAD_RANGES] = { "ranges", "/api/symbols-ranges" },
	[UPLOAD_RETURNPADS] = { "returnpads", "/api/symbols-returnpads" },
};

const char *upload_kind_name(enum upload_kind kind)
{
	return kinds[kind].name;
}

const char *upload_kind_path(enum upload_kind kind)
{
	return kinds[kind].path;
}

bool upload_path_kind(const char *path, enum upload_kind *kind)
{
	for (unsigned i = 0; i < UPLOAD_KINDS; i++)
		if (strcmp(path, kinds[i].path) == 0) {
			*kind = (enum upload_kind)i;
			return true;
		}
	return false;
}

static bool read_decimal(const char *text, uint32_t most, uint32_t *value)
{
	uint32_t sum = 0;

	if (!*text)
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return false;
		sum = sum * 10 + (uint32_t)(*text - '0');
		if (sum > most)
			return false;
	}
	*value = sum;
	return true;
}

static bool read_parts(const struct upload_headers *headers, struct upload *upload)
{
	upload->part = 0;
	upload->parts = 1;
	if (!headers->part && !headers->parts)
		return true;
	return headers->part && headers->parts &&
	       read_decimal(headers->part, UPLOAD_PARTS_MAX, &upload->part) &&
	       read_decimal(headers->parts, UPLOAD_PARTS_MAX, &upload->parts) &&
	       upload->part < upload->parts;
}

/*
 * Return the credentials after the scheme "APIKey" (case-insensitive), or NULL for another scheme.
 */
static const char *behind_scheme(const char *authorization)
{
	static const char scheme[] = "apikey ";
	const size_t size = sizeof(scheme) - 1;

	return strncasecmp(authorization, scheme, size) == 0
	               ? authorization + size + strspn(authorization + size, " ")
	               : NULL;
}

/* Compare keys in a time that depends only on the received key's length, not on its contents. */
static bool same_key(const char *sent, const char *key)
{
	size_t sent_length = strlen(sent), key_length = strlen(key);
	volatile unsigned difference = sent_length != key_length;

	for (size_t i = 0; i < sent_length; i++)
		difference |= (unsigned char)sent[i] ^ (unsigned char)key[i % (key_length + 1)];
	return difference == 0;
}

bool upload_may_enter(const char *authorization, const char *key)
{
	const char *sent = authorization ? behind_scheme(authorization) : NULL;

	return !key || (sent && same_key(sent, key));
}

static bool read_id(const char *text, struct fileid *id)
{
	return text &&
	       fileid_parse((struct cairn_bytes){ (const uint8_t *)text, strlen(text) }, id);
}

/*
 * Parse an upload name. Accept only lower-case digits, because the name becomes a directory name.
 */
static bool read_name(const char *text, char name[UPLOAD_NAME_SIZE])
{
	size_t size = text ? strlen(text) : 0;

	name[0] = '\0';
	if (!text)
		return true;
	if (size != UPLOAD_NAME_SIZE - 1 || strspn(text, "0123456789abcdef") != size)
		return false;
	memcpy(name, text, UPLOAD_NAME_SIZE);
	return true;
}

const struct upload_refusal *upload_check(const char *path, const struct upload_headers *headers,
                                          const char *key, struct upload *upload)
{
	if (!upload_path_kind(path, &upload->kind))
		return &upload_no_path;
	if (!upload_may_enter(headers->authorization, key))
		return &upload_no_key;
	if (!read_id(headers->file_id, &upload->id))
		return &upload_no_id;
	if (!read_parts(headers, upload))
		return &no_parts;
	if (!read_name(headers->name, upload->name))
		return &no_name;
	return headers->lengths > 1 ? &upload_two_lengths : NULL;
}

/*
 * Reads and writes the JSON bodies of responses:
 *
 *	{"success": true, "status": 200}
 *	{"success": false, "uuid": "...", "error": {"Code": "1000", "Text": "..."}, "status": 400}
 */

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

/*
 * Checks whether uploaded parts are complete symbfiles or slices of a single symbfile, and
 * validates the joined parts.
 */

size_t upload_parts_header(struct cairn_bytes bytes)
{
	struct reader in = reader_open(bytes, false);

	reader_skip(&in, SYMBFILE_MAGIC_SIZE);
	uint64_t length = reader_uleb(&in);
	uint64_t type = reader_uleb(&in);
	if (type != SYMBFILE_HEADER || !reader_fits(&in, length, 1))
		return 0;
	reader_skip(&in, (size_t)length);
	return reader_ok(&in) ? in.at : 0;
}

static void count_part_record(struct upload_parts_view *view, enum symbfile_kind kind)
{
	switch (kind) {
	case SYMBFILE_RANGE:
		view->ranges++;
		break;
	case SYMBFILE_PAD:
		view->pads++;
		break;
	case SYMBFILE_TABLE:
		view->tables++;
		break;
	case SYMBFILE_HEADER:
		break;
	}
}

struct upload_parts_view upload_parts_view(struct cairn_bytes bytes)
{
	struct upload_parts_view view = { .magic = symbfile_has_magic(bytes) };
	struct symbfile file = symbfile_open(bytes);
	struct symbfile_record record;

	while (symbfile_next(&file, &record))
		count_part_record(&view, record.kind);
	view.code = file.code;
	if (view.code != SYMBFILE_VALID)
		view.fault = symbfile_fault(&file);
	if (view.magic)
		view.header = upload_parts_header(bytes);
	return view;
}

static const struct upload_refusal damaged = { 400, "1008", "the symbfile is damaged" };

/*
 * Refusal of a file that contains return pads but was uploaded as ranges, because readers of ranges
 * reject such files. The reverse is allowed: readers of return pads accept files with ranges.
 */
static const struct upload_refusal wrong_kind = {
	400, "1011", "return pads do not belong in ranges; send them to /api/symbols-returnpads"
};

/*
 * Return true if the bytes may be the start of a symbfile. They may be cut anywhere, so check only
 * the bytes of the magic number that are present.
 */
static bool may_be_first_slice(struct cairn_bytes bytes, const struct upload_parts_view *view)
{
	size_t size = bytes.size < SYMBFILE_MAGIC_SIZE ? bytes.size : SYMBFILE_MAGIC_SIZE;

	if (memcmp(bytes.data, SYMBFILE_MAGIC, size) != 0)
		return false;
	return size < SYMBFILE_MAGIC_SIZE || view->code == SYMBFILE_TRUNCATED ||
	       (view->code == SYMBFILE_NO_HEADER && bytes.size == SYMBFILE_MAGIC_SIZE);
}

const struct upload_refusal *upload_parts_check(const struct upload *upload,
                                                struct cairn_bytes bytes,
                                                const struct upload_parts_view *view)
{
	if (upload->kind == UPLOAD_RANGES && view->pads > 0)
		return &wrong_kind;
	if (view->code == SYMBFILE_VALID)
		return NULL;
	if (upload->parts == 1)
		return &damaged;
	if (upload->part == 0)
		return may_be_first_slice(bytes, view) ? NULL : &damaged;
	return view->magic ? &damaged : NULL;
}

const struct upload_refusal *upload_parts_check_joined(const struct upload *upload,
                                                       const struct upload_parts_view *view)
{
	if (view->code != SYMBFILE_VALID)
		return &damaged;
	return upload->kind == UPLOAD_RANGES && view->pads > 0 ? &wrong_kind : NULL;
}
