/* SPDX-License-Identifier: MIT */
/* Builds and parses download paths, and reads and writes metadata.json. */
#include "download.h"

#include "base/json_reader.h"

#include <string.h>

enum { ID_TEXT = FILEID_BASE64_SIZE - 1, ID_TEXT_MAX = 64 };

static const char *const names[DOWNLOADS] = {
	[DOWNLOAD_METADATA] = "metadata.json",
	[DOWNLOAD_RANGES] = "ranges",
	[DOWNLOAD_RETURNPADS] = "returnpads",
};

void download_directory(const struct fileid *id, char out[DOWNLOAD_DIRECTORY + 1])
{
	char text[FILEID_BASE64_SIZE];

	fileid_to_base64(id, text);
	memcpy(out, text, 2);
	out[2] = '/';
	memcpy(out + 3, text + 2, 2);
	out[5] = '/';
	memcpy(out + 6, text, sizeof(text));
}

void download_path(const struct fileid *id, enum download_resource what,
                   char out[DOWNLOAD_PATH_MAX])
{
	download_directory(id, out);
	out[DOWNLOAD_DIRECTORY] = '/';
	memcpy(out + DOWNLOAD_DIRECTORY + 1, names[what], strlen(names[what]) + 1);
}

static bool has_form(const char *path)
{
	return strlen(path) > 1 + DOWNLOAD_DIRECTORY && path[0] == '/' && path[3] == '/' &&
	       path[6] == '/' && path[1 + DOWNLOAD_DIRECTORY] == '/';
}

enum cairn_status download_path_read(const char *path, struct fileid *id,
                                     enum download_resource *what)
{
	char directory[DOWNLOAD_DIRECTORY + 1];
	struct fileid read;

	if (!has_form(path))
		return CAIRN_NOT_FOUND;
	for (unsigned i = 0; i < DOWNLOADS; i++) {
		if (strcmp(path + DOWNLOAD_DIRECTORY + 2, names[i]) != 0)
			continue;
		if (!fileid_parse((struct cairn_bytes){ (const uint8_t *)path + 7, ID_TEXT },
		                  &read))
			return CAIRN_MALFORMED;
		download_directory(&read, directory);
		if (memcmp(directory, path + 1, DOWNLOAD_DIRECTORY) != 0)
			return CAIRN_MALFORMED;
		*id = read;
		*what = (enum download_resource)i;
		return CAIRN_OK;
	}
	return CAIRN_NOT_FOUND;
}

static enum cairn_status reject_metadata(struct cairn_bytes text,
                                         const struct json_reader_value *value,
                                         struct cairn_fault *fault, const char *what)
{
	fault->status = CAIRN_MALFORMED;
	fault->offset = value ? (uint64_t)(value->text.data - text.data) : 0;
	fault->what = what;
	return fault->status;
}

static enum cairn_status check_version(struct cairn_bytes text, const struct json_reader_value *top,
                                       struct cairn_fault *fault)
{
	struct json_reader_value version;
	char number[8];

	if (top->kind != JSON_READER_OBJECT)
		return reject_metadata(text, top, fault, "the metadata is not a JSON object");
	if (!json_reader_member(top, "version", &version) || version.kind != JSON_READER_NUMBER)
		return reject_metadata(text, NULL, fault, "the metadata has no version");
	json_reader_text(&version, number, sizeof(number));
	if (strcmp(number, "1") == 0)
		return CAIRN_OK;
	reject_metadata(text, &version, fault, "unknown metadata version; expected 1");
	return fault->status = CAIRN_UNSUPPORTED;
}

enum cairn_status download_metadata_read(struct cairn_bytes text, struct fileid *id,
                                         struct cairn_fault *fault)
{
	struct json_reader_value top, references, value;
	/* large enough for every FileID, so a string that does not fit is not a FileID */
	char word[ID_TEXT_MAX + 1];
	enum cairn_status status = json_reader_open(text, &top, fault);

	if (status == CAIRN_OK)
		status = check_version(text, &top, fault);
	if (status != CAIRN_OK)
		return status;
	if (!json_reader_member(&top, "symbolFileReferences", &references) ||
	    !json_reader_member(&references, "dwarfFileID", &value) ||
	    value.kind == JSON_READER_NULL)
		return CAIRN_NOT_FOUND;
	if (value.kind != JSON_READER_STRING || !json_reader_text(&value, word, sizeof(word)) ||
	    !fileid_parse((struct cairn_bytes){ (const uint8_t *)word, strlen(word) }, id))
		return reject_metadata(text, &value, fault,
		                       "the metadata contains a malformed FileID");
	return CAIRN_OK;
}

void download_metadata_write(const struct fileid *id, struct sink *out)
{
	char text[FILEID_BASE64_SIZE];

	fileid_to_base64(id, text);
	sink_text(out, "{\"version\":1,\"symbolFileReferences\":{\"dwarfFileID\":\"");
	sink_text(out, text);
	sink_text(out, "\"}}\n");
}
