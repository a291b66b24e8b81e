/* SPDX-License-Identifier: MIT */
/* Builds the symbolizer's request for the module of a mapping. */
#include "ask.h"

#include "base/bytes.h"
#include "base/encoding.h"
#include "base/path.h"

#include <string.h>

bool profile_is_without_file(struct cairn_bytes path, struct cairn_bytes build_id, uint64_t start)
{
	const struct cairn_bytes name = base_name(path);

	return bytes_begin_with(name, "[") || bytes_begin_with(name, "linux-vdso") ||
	       bytes_begin_with(path, "//anon") || bytes_begin_with(path, "/dev/") ||
	       bytes_begin_with(path, "/memfd:") || bytes_begin_with(path, "/SYSV") ||
	       bytes_begin_with(path, "/anon_hugepage") || start >> 63 != 0 ||
	       (path.size == 0 && build_id.size == 0);
}

/* A build ID of zeros identifies no file and is treated as missing. */
static bool is_zero(struct cairn_bytes id)
{
	for (size_t i = 0; i < id.size; i++)
		if (id.data[i] != 0)
			return false;
	return true;
}

static void take_build_id(struct profile_asked *asked, struct cairn_bytes text)
{
	size_t size = 0, at;

	if (text.size == 0)
		return;
	asked->other_id =
		text.size > 2 * PROFILE_ID_MAX || !hex_decode(text, asked->build_id, &size, &at);
	asked->module.build_id =
		(struct cairn_bytes){ asked->build_id, asked->other_id ? 0 : size };
	if (is_zero(asked->module.build_id))
		asked->module.build_id.size = 0;
}

/*
 * Store the path to look up. A file that was deleted while it was mapped may still be found by its
 * build ID, so drop the kernel's " (deleted)" suffix if there is one.
 */
static void take_path(struct profile_asked *asked, struct cairn_bytes path)
{
	static const char deleted[] = " (deleted)";
	const size_t end = sizeof(deleted) - 1;

	if (asked->module.build_id.size > 0 && path.size > end &&
	    memcmp(path.data + path.size - end, deleted, end) == 0)
		path.size -= end;
	/*
	 * A relative path could match an unrelated file, so it is used only if a build ID can
	 * verify it.
	 */
	if (path.size == 0 || path.size >= sizeof(asked->path) ||
	    (path.data[0] != '/' && asked->module.build_id.size == 0) ||
	    memchr(path.data, 0, path.size) != NULL)
		return;
	memcpy(asked->path, path.data, path.size);
	asked->path[path.size] = '\0';
	asked->module.path = asked->path;
}

void profile_ask(struct profile_asked *asked, struct cairn_bytes path, struct cairn_bytes build_id)
{
	asked->module = (struct cairn_symbol_module)CAIRN_SYMBOL_MODULE;
	asked->other_id = false;
	take_build_id(asked, build_id);
	take_path(asked, path);
}
