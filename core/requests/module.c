/* SPDX-License-Identifier: MIT */
/* The modules of a request, each once, and the numbers that its texts have. */
#include "parts.h"

#include "base/array_grow.h"
#include "base/hex.h"

#include <stdlib.h>

struct cairn_bytes request_module_id(const struct request_module *module)
{
	return (struct cairn_bytes){ module->build_id, module->id_size };
}

/* A build ID of zeros is that of no file, and so is a text that is none of digits. */
static uint8_t read_module_id(struct cairn_bytes digits, uint8_t id[REQUEST_ID_MAX])
{
	const size_t size = digits.size / 2;
	unsigned any = 0;

	if (size > REQUEST_ID_MAX || !hex_read(digits, id, size))
		return 0;
	for (size_t i = 0; i < size; i++)
		any |= id[i];
	return any ? (uint8_t)size : 0;
}

static uint32_t add_module(struct request *request, struct request_module *module,
                           struct cairn_bytes path)
{
	const uint32_t number = string_pool_add(&request->ids, request_module_id(module));

	if (number == STRING_POOL_FULL || number < request->module_count)
		return number == STRING_POOL_FULL ? UINT32_MAX : number + 1;
	module->name = string_pool_add(&request->texts, path);
	if (module->name == STRING_POOL_FULL ||
	    !ARRAY_APPEND(request->modules, request->module_count, request->module_room, *module))
		return UINT32_MAX;
	return number + 1;
}

uint32_t request_add_module(struct request *request, struct cairn_bytes build_id,
                            struct cairn_bytes name)
{
	struct request_module module = { .id_size = 0 };
	char path[REQUEST_PATH_MAX];

	module.id_size = read_module_id(build_id, module.build_id);
	if (module.id_size == 0)
		return 0;
	return add_module(request, &module, record_text(name, path, sizeof(path)));
}
