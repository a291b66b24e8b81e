/* SPDX-License-Identifier: MIT */
/* Parses the path, headers and part numbers of an upload request and checks its API key. */
#include "upload.h"

#include <string.h>
#include <strings.h>

const struct upload_refusal upload_no_path = { 404, "1001", "there is nothing at this path" };
const struct upload_refusal upload_no_method = { 405, "1002",
	                                         "this path does not support the method" };
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
const struct upload_refusal upload_unclear = { 400, "1015", "it is not clear where the body ends" };
const struct upload_refusal upload_no_host = { 400, "1016", "there is not one header Host" };
const struct upload_refusal upload_no_room = { 507, "2001", "the store is full" };
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

/* Parse a decimal number of at most `most`; digits only. */
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

/* Return the credentials after the scheme "APIKey", in any case, or NULL for another scheme. */
static const char *behind_scheme(const char *authorization)
{
	static const char scheme[] = "apikey ";
	const size_t size = sizeof(scheme) - 1;

	return strncasecmp(authorization, scheme, size) == 0
	               ? authorization + size + strspn(authorization + size, " ")
	               : NULL;
}

/*
 * Compare keys in a time that depends only on the length of the sent key, not on the number of
 * matching bytes.
 */
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
 * Read an upload name. Only lower-case digits are accepted, because it becomes the name of a
 * directory.
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
