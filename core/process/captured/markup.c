/* SPDX-License-Identifier: MIT */
/* Reads the frames of a log with symbolizer markup: their modules and mappings are those that the log has defined until then. */
#include "captured_stacks.h"

#include "formats/markup/markup.h"

static void take_module_element(struct captured_markup *m, const struct markup_node *node)
{
	struct markup_module module;
	struct markup_fault fault;

	if (m->module_count < CAPTURED_MODULES_MAX && markup_read_module(node, &module, &fault))
		m->modules[m->module_count++] =
			(struct captured_markup_module){ module.id,
			                                 module.name,
			                                 { module.build_id.data,
			                                   module.build_id.size & ~(size_t)1 } };
}

static void take_mapping(struct captured_markup *m, const struct markup_node *node)
{
	struct markup_mmap mmap;
	struct markup_fault fault;

	if (m->mapping_count >= CAPTURED_MAPPINGS_MAX || !markup_read_mmap(node, &mmap, &fault))
		return;
	for (size_t i = m->module_count; i > 0; i--)
		if (m->modules[i - 1].id == mmap.module) {
			m->mappings[m->mapping_count++] =
				(struct captured_markup_mapping){ mmap.start, mmap.size,
				                                  mmap.relative, i - 1 };
			return;
		}
}

/* The place of an address is that in its mapping. */
static void find_mapping_place(const struct captured_markup *m, struct captured_frame *frame)
{
	for (size_t i = 0; i < m->mapping_count; i++) {
		const struct captured_markup_mapping *mapping = &m->mappings[i];
		if (frame->address - mapping->start >= mapping->size)
			continue;
		frame->module = m->modules[mapping->module].name;
		frame->id = m->modules[mapping->module].digits;
		frame->origin = CAPTURED_FROM_ZERO;
		frame->offset = frame->address - mapping->start + mapping->relative;
		return;
	}
}

static bool take_frame_element(const struct captured_markup *m, const struct markup_node *node,
                               struct captured_frame *frame)
{
	struct markup_frame read;
	struct markup_fault fault;

	if (!markup_read_frame(node, &read, &fault))
		return false;
	*frame = captured_bare_frame(node->text.data);
	frame->pc = read.kind == MARKUP_PC_EXACT ? CAPTURED_PC_EXACT : CAPTURED_PC_RETURN;
	frame->text = node->text;
	frame->numbered = true;
	frame->number = read.number;
	frame->address = read.address;
	find_mapping_place(m, frame);
	return true;
}

bool captured_read_markup(struct captured_markup *m, struct cairn_bytes line,
                          struct captured_frame *frame)
{
	struct markup in = markup_open(line, MARKUP_KEEP);
	struct markup_node node;
	bool found = false;

	while (markup_next(&in, &node)) {
		if (node.kind != MARKUP_ELEMENT)
			continue;
		if (node.tag == MARKUP_RESET)
			m->module_count = m->mapping_count = 0;
		else if (node.tag == MARKUP_MODULE)
			take_module_element(m, &node);
		else if (node.tag == MARKUP_MMAP)
			take_mapping(m, &node);
		else if (node.tag == MARKUP_BT && !found)
			found = take_frame_element(m, &node, frame);
	}
	return found;
}
