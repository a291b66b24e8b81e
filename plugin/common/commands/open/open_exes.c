/* SPDX-License-Identifier: MIT */
/* Parses the option -exe. */
#include "open_exes.h"

#include "common/base/path.h"

#include <stdlib.h>
#include <string.h>

/*
 * Set the base from the number after the last '@', if there is one. Returns the length of the file
 * name.
 */
static size_t read_base(const char *word, struct cairn_capture_file *file)
{
	const char *at = strrchr(word, '@');
	char *end = NULL;

	*file = (struct cairn_capture_file){ .base = at ? strtoull(at + 1, &end, 0) : 0 };
	file->has_base = at && at[1] >= '0' && at[1] <= '9' && *end == '\0';
	return file->has_base ? (size_t)(at - word) : strlen(word);
}

bool open_exes_read(struct command_call *call, struct open_exes *exes)
{
	size_t places[OPEN_EXES_MAX];
	const char *word;
	unsigned at = 0;

	exes->count = 0;
	text_reset(&exes->paths);
	while ((word = words_next_value(call->words, "exe", &at)) != NULL) {
		if (exes->count == OPEN_EXES_MAX) {
			reply_error(call, "-exe gives %d files at most", OPEN_EXES_MAX);
			return false;
		}
		const size_t size = read_base(word, &exes->file[exes->count]);
		places[exes->count++] = exes->paths.size;
		path_add_absolute(&exes->paths, word, size);
		text_bytes(&exes->paths, "", 1);
	}
	for (size_t i = 0; i < exes->count && !exes->paths.cut; i++)
		exes->file[i].path = exes->paths.data + places[i];
	if (exes->paths.cut)
		reply_error(call, "out of memory");
	return !exes->paths.cut;
}

void open_exes_finish(struct open_exes *exes)
{
	text_finish(&exes->paths);
}
