/* SPDX-License-Identifier: MIT */
/* Serves programs and debug files by build ID, like debuginfod. A worker finds and opens them. */
#include "serve.h"

#include "base/encoding.h"
#include "os/channel.h"

#include <string.h>

static const char prefix[] = "/buildid/";

/* Parse ID/debuginfo or ID/executable. */
static bool read_build_path(const char *path, struct query_module *module, bool *is_debug)
{
	const char *id = path + strlen(prefix), *slash = strchr(id, '/');
	const size_t digits = slash ? (size_t)(slash - id) : 0;

	*module = (struct query_module){ .id_size = (uint8_t)(digits / 2) };
	if (digits == 0 || digits / 2 > QUERY_ID_MAX ||
	    !hex_read((struct cairn_bytes){ (const uint8_t *)id, digits }, module->id, digits / 2))
		return false;
	*is_debug = strcmp(slash, "/debuginfo") == 0;
	return *is_debug || strcmp(slash, "/executable") == 0;
}

const char *serve_build_file(struct service *service, const char *path, struct web_answer *answer)
{
	const uint64_t until = channel_clock() + (uint64_t)service->seconds * 1000;
	struct query_module module;
	bool is_debug;

	answer->status = SERVICE_BAD;
	if (!read_build_path(path, &module, &is_debug))
		return "/buildid/ID/debuginfo or /buildid/ID/executable is expected";
	answer->fd = crew_open_file(service->crew, &module, is_debug, until);
	answer->status = answer->fd < 0 ? 404 : SERVICE_OK;
	answer->type = "application/octet-stream";
	return answer->fd < 0 ? "no such file of this build" : NULL;
}
