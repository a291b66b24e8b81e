/* SPDX-License-Identifier: MIT */
/*
 * Collects the modules for the addresses of a capture: the images that were recorded with it,
 * otherwise the modules of the target.
 */
#include "open_input.h"

#include <string.h>

/* Offsets in input->names, which become pointers when it no longer grows. */
struct module_names {
	size_t path, path_size, id, id_size;
};

static void add_captured_module(struct open_input *input, struct module_names *names,
                                struct cairn_range pcs, uint64_t bias, struct cairn_bytes path,
                                struct cairn_bytes build_id)
{
	if (input->module_count == OPEN_MODULES_MAX || path.size == 0)
		return;
	struct module_names *name = &names[input->module_count];
	name->path_size = path.size;
	name->id_size = build_id.size;
	name->path = input->names.size;
	text_bytes(&input->names, (const char *)path.data, path.size);
	name->id = input->names.size;
	text_bytes(&input->names, (const char *)build_id.data, build_id.size);
	input->modules[input->module_count++] =
		(struct cairn_captured_module){ .pcs = pcs, .bias = bias };
}

/* Add the module as the debugger knows it. Returns false if it does not have a file path. */
static bool add_known_module(struct command_call *call, struct open_input *input,
                             struct module_names *names, uint64_t low, struct cairn_bytes id)
{
	const struct source_id wanted = source_id(id);
	struct cairn_module module;

	if (cairn_space_module(call->session->space, low, &module) != CAIRN_OK ||
	    !module.has_headers || !module.name ||
	    (id.size > 0 && module.build_id.size > 0 && !source_is(&wanted, module.build_id)))
		return false;
	const struct cairn_bytes path = { (const uint8_t *)module.name, strlen(module.name) };
	add_captured_module(input, names, (struct cairn_range){ module.low, module.high },
	                    module.bias, path, module.build_id);
	return true;
}

static bool has_image(const struct open_input *input, const struct cairn_image *image)
{
	for (size_t i = 0; i < input->module_count; i++)
		if (image->base >= input->modules[i].pcs.low &&
		    image->base < input->modules[i].pcs.high)
			return true;
	return false;
}

/*
 * Add the images that contain the frames. If an image is still loaded, the debugger's data about
 * the module is better and is used instead.
 */
static void take_images(struct command_call *call, struct open_input *input,
                        struct module_names *names)
{
	const struct text *text = &input->memory.text;
	struct cairn_trace trace;
	struct cairn_frame run;
	struct cairn_image image;

	cairn_trace_open((struct cairn_bytes){ (const uint8_t *)text->data, text->size }, &trace);
	while (cairn_trace_next(&trace, &run)) {
		if (run.kind == CAIRN_FRAME_OMITTED ||
		    !cairn_found_trace_image(call->session->space, cairn_frame_lookup_address(&run),
		                             &image) ||
		    has_image(input, &image) ||
		    add_known_module(call, input, names, image.base, image.build_id))
			continue;
		add_captured_module(input, names, (struct cairn_range){ image.base, image.end },
		                    image.base, image.path.size > 0 ? image.path : image.name,
		                    image.build_id);
	}
}

/*
 * Collect the addresses first, because reading a module's headers may change the list of modules.
 */
static void take_modules(struct command_call *call, struct open_input *input,
                         struct module_names *names)
{
	struct cairn_space *space = call->session->space;
	uint64_t lows[OPEN_MODULES_MAX];
	struct cairn_module module;
	size_t at = 0, count = 0;

	while (count < OPEN_MODULES_MAX && cairn_space_next_module(space, &at, &module))
		lows[count++] = module.low;
	for (size_t i = 0; i < count; i++)
		(void)add_known_module(call, input, names, lows[i],
		                       (struct cairn_bytes){ (const uint8_t *)"", 0 });
}

static bool point_to_names(struct open_input *input, const struct module_names *names)
{
	const uint8_t *all = (const uint8_t *)input->names.data;

	for (size_t i = 0; i < input->module_count && !input->names.cut; i++) {
		input->modules[i].path =
			(struct cairn_bytes){ all + names[i].path, names[i].path_size };
		input->modules[i].build_id =
			(struct cairn_bytes){ all + names[i].id, names[i].id_size };
	}
	return !input->names.cut;
}

enum answer open_input_find_modules(struct command_call *call)
{
	struct open_input *input = call->context;
	struct module_names names[OPEN_MODULES_MAX];

	if (input->path.size > 0)
		return ANSWER_READY;
	const enum answer answer = call->session->debugger->name_modules(call);
	if (answer != ANSWER_READY)
		return answer;
	input->module_count = 0;
	text_reset(&input->names);
	if (input->has_images)
		take_images(call, input, names);
	else
		take_modules(call, input, names);
	if (point_to_names(input, names))
		return ANSWER_READY;
	reply_error(call, "out of memory");
	return ANSWER_FAILED;
}
