/* SPDX-License-Identifier: MIT */
/* Decompresses a whole file into memory, up to a limit. */
#include "unpack.h"

#include "unpack/unpack.h"

#include <stdlib.h>

enum { FIRST_ROOM = 1 << 16 };

struct unpacking {
	struct cairn_bytes in;
	size_t at;
	uint8_t *out;
	size_t size, room, limit;
	bool done;
	const char *why;
};

static enum cairn_status fail_unpacking(struct unpacking *u, enum cairn_status status,
                                        const char *why)
{
	u->why = why;
	return status;
}

static enum cairn_status reserve_unpacked_byte(struct unpacking *u)
{
	size_t room = u->room ? u->room * 2 : FIRST_ROOM;

	if (u->size < u->room)
		return CAIRN_OK;
	if (u->size >= u->limit)
		return fail_unpacking(
			u, CAIRN_UNSUPPORTED,
			"the packed file unpacks to more than 32 MiB and 32 times its size");
	if (room > u->limit)
		room = u->limit;
	uint8_t *grown = realloc(u->out, room);
	if (!grown)
		return fail_unpacking(u, CAIRN_NO_MEMORY, "no memory to unpack it");
	u->out = grown;
	u->room = room;
	return CAIRN_OK;
}

/* Run one step of the decompressor. Another frame may follow the end of a frame. */
static enum cairn_status take_step(struct unpacking *u, const struct unpack_method *method,
                                   void *state)
{
	struct unpack_step step = { .in = { u->in.data + u->at, u->in.size - u->at },
		                    .out = u->out + u->size,
		                    .room = u->room - u->size };
	enum cairn_status status = method->step(state, &step);

	u->at += step.taken;
	u->size += step.made;
	if (status != CAIRN_OK)
		return fail_unpacking(u, status, step.why ? step.why : "no memory to unpack it");
	u->done = step.between && u->at == u->in.size;
	if (step.taken + step.made == 0 && !u->done)
		return fail_unpacking(u, CAIRN_TRUNCATED, "the packed file ends too early");
	return CAIRN_OK;
}

static enum cairn_status unpack_whole(struct unpacking *u, const struct unpack_method *method)
{
	enum cairn_status status = CAIRN_OK;

	if (method->absent)
		return fail_unpacking(u, CAIRN_UNSUPPORTED, method->absent);
	void *state = method->open();
	if (!state)
		return fail_unpacking(u, CAIRN_NO_MEMORY, "no memory to unpack it");
	while (!u->done && status == CAIRN_OK) {
		status = reserve_unpacked_byte(u);
		if (status == CAIRN_OK)
			status = take_step(u, method, state);
	}
	method->close(state);
	return status;
}

size_t unpack_file_limit(size_t packed)
{
	const uint64_t allowed = unpack_allowed(packed);

	return allowed < OS_FILE_READ_MAX ? (size_t)allowed : OS_FILE_READ_MAX;
}

enum cairn_status unpack_file(struct os_file *file, size_t limit, struct cairn_fault *fault)
{
	struct unpacking u = { .in = file->bytes, .limit = limit };
	const struct unpack_method *method = unpack_find_method(u.in);

	if (!method)
		return CAIRN_OK;
	enum cairn_status status = unpack_whole(&u, method);
	if (status != CAIRN_OK) {
		free(u.out);
		*fault = (struct cairn_fault){ status, u.at, u.why };
		return status;
	}
	os_file_close(file);
	*file = (struct os_file){ .bytes = { u.out, u.size }, .memory = u.out };
	return CAIRN_OK;
}
