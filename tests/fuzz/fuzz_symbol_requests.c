/* SPDX-License-Identifier: MIT */
/*
 * Requests of `cairn symbolize`, of any bytes, answered by a source that names three addresses of four, and no module whose build ID begins
 * with an odd byte.  Always:
 *   - one that is rejected has a fault within it;
 *   - frames, objects, calls and modules of one that is not are within their lists, each frame belongs to one thread at most, and
 *     a frame that brought a name was not asked about;
 *   - the missing build IDs ascend, no module of them has a name, and there are some exactly if the answer is "not yet";
 *   - the same request has the same answer again.
 */
#include "fuzz.h"

#include "base/bytes.h"
#include "requests/request.h"

static int anything;

static enum cairn_status open_fake(void *context, struct cairn_symbol_search *search, void **opened,
                                   struct cairn_fault *fault)
{
	const struct cairn_bytes id = search->module->build_id;

	(void)context;
	ALWAYS(id.size > 0 && id.size <= REQUEST_ID_MAX);
	if (id.data[0] % 2 == 1) {
		*fault = (struct cairn_fault){ CAIRN_NOT_FOUND, 0, "not there" };
		return CAIRN_NOT_FOUND;
	}
	*opened = &anything;
	return CAIRN_OK;
}

static void find_fake(void *opened, const uint64_t *vas, size_t count,
                      const struct cairn_symbol_taker *sink)
{
	static const struct cairn_bytes inner = { (const uint8_t *)"inner", 5 },
					outer = { (const uint8_t *)"_ZN2ns5outerEv", 14 },
					none = { (const uint8_t *)"", 0 };

	ALWAYS(opened == &anything);
	for (size_t i = 0; i < count; i++) {
		const struct cairn_location locations[] = {
			{ .function = inner,
			  .directory = none,
			  .file = inner,
			  .line = 7,
			  .offset = vas[i] % 16,
			  .inlined = true },
			{ .function = outer, .directory = outer, .file = inner, .line = 8 },
		};
		const struct cairn_symbol_found found = { .locations = locations,
			                                  .count = 2,
			                                  .all = 2 };
		if (vas[i] % 4 != 0)
			sink->take(sink->context, i, &found);
	}
}

static void close_fake(void *opened)
{
	ALWAYS(opened == &anything);
}

static struct cairn_symbolizer *make_symbolizer(void)
{
	struct cairn_symbolizer_options options = CAIRN_SYMBOLIZER_OPTIONS;
	const struct cairn_symbol_source source = { .size = sizeof(source),
		                                    .rank = 1,
		                                    .name = "fake",
		                                    .open = open_fake,
		                                    .find = find_fake,
		                                    .close = close_fake };

	options.skip = CAIRN_SKIP_BUILTIN_SOURCES | CAIRN_SKIP_MODULE_PATHS | CAIRN_SKIP_SYSTEM;
	struct cairn_symbolizer *symbolizer = cairn_symbolizer_new(&options);
	ALWAYS(symbolizer && cairn_symbolizer_add(symbolizer, &source) == CAIRN_OK);
	return symbolizer;
}

static void check_frame(const struct request *request, const struct request_frame *frame)
{
	ALWAYS(frame->object <= request->object_count &&
	       frame->object_count <= request->object_count - frame->object);
	ALWAYS(frame->call <= request->call_count &&
	       frame->call_count <= request->call_count - frame->call);
	ALWAYS(frame->module <= request->module_count);
	ALWAYS(!frame->is_named || frame->call_count == 0);
	for (size_t i = 0; i < frame->call_count; i++) {
		const struct request_call *call = &request->calls[frame->call + i];
		ALWAYS(string_pool_get(&request->texts, call->function).size > 0);
		ALWAYS(call->inlined == (i + 1 < frame->call_count));
	}
}

static void check_request(const struct request *request)
{
	size_t next = 0;

	for (size_t i = 0; i < request->thread_count; i++) {
		ALWAYS(request->threads[i].frame == next);
		next += request->threads[i].frame_count;
	}
	ALWAYS(next <= request->frame_count);
	ALWAYS(request->frame_count <= REQUEST_FRAMES_MAX);
	for (size_t i = 0; i < request->frame_count; i++)
		check_frame(request, &request->frames[i]);
	for (size_t i = 0; i < request->missing_count; i++) {
		ALWAYS(!request->missing[i]->named);
		ALWAYS(i == 0 || bytes_order(request_module_id(request->missing[i - 1]),
		                             request_module_id(request->missing[i])) < 0);
	}
	ALWAYS((request_judge(request) == REQUEST_NOT_YET) == (request->missing_count > 0));
}

static enum cairn_status answer_request(struct request *request, struct cairn_bytes bytes)
{
	struct cairn_symbolizer *symbolizer = make_symbolizer();
	struct cairn_fault fault = { CAIRN_OK, 0, NULL };
	enum cairn_status status = request_open(request, bytes, &fault);

	ALWAYS(status != CAIRN_NO_MEMORY);
	ALWAYS((status == CAIRN_OK) == (fault.what == NULL) && fault.offset <= bytes.size);
	if (status == CAIRN_OK && request->kind != REQUEST_REFERENCE) {
		status = request_ask(request, symbolizer, NULL, &fault);
		ALWAYS(status == CAIRN_OK);
		check_request(request);
	}
	if (status == CAIRN_OK && request->kind == REQUEST_REFERENCE)
		ALWAYS(request->body.place[0] != '\0' && request->body.size <= REQUEST_BODY_MAX);
	cairn_symbolizer_free(symbolizer);
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct cairn_bytes bytes = { data ? data : (const uint8_t *)"", size };
	struct request one, other;
	const enum cairn_status status = answer_request(&one, bytes);

	ALWAYS(answer_request(&other, bytes) == status);
	ALWAYS(memcmp(one.hash, other.hash, sizeof(one.hash)) == 0);
	ALWAYS(one.frame_count == other.frame_count && one.call_count == other.call_count &&
	       one.missing_count == other.missing_count);
	request_close(&one);
	request_close(&other);
	return 0;
}
