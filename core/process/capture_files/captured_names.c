/* SPDX-License-Identifier: MIT */
/* Keeps the names of threads, in the order in which a core has them. */
#include <cairn.h>

#include "capture_files.h"

#include <string.h>

enum { NAME_MAX = 64, NAMES_MAX = 1 << 20 }; /* bytes of a name, and of all */

static void keep_name(struct byte_buffer *names, struct cairn_bytes name)
{
	const size_t size = name.size < NAME_MAX ? name.size : NAME_MAX;
	const uint8_t *end = size > 0 ? memchr(name.data, '\0', size) : NULL;

	byte_buffer_bytes(names, name.data, end ? (size_t)(end - name.data) : size);
	byte_buffer_u8(names, 0);
}

bool capture_keep_names(struct cairn_capture *capture, struct cairn_stacks *stacks)
{
	struct cairn_thread thread;
	size_t at = 0;

	capture->names.limit = NAMES_MAX;
	while (cairn_core_next_thread(stacks, &at, &thread))
		keep_name(&capture->names, thread.name);
	return !capture->names.failed;
}

const char *cairn_capture_thread_name(const struct cairn_capture *capture, size_t number)
{
	const char *name = (const char *)capture->names.data;
	size_t left = capture->names.size;

	for (; left > 0; number--) {
		const size_t size = strlen(name) + 1;
		if (number == 0)
			return name;
		name += size;
		left -= size;
	}
	return NULL;
}
