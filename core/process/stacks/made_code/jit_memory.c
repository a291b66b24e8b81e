/* SPDX-License-Identifier: MIT */
/* Gives the memory of the list of made code that frames are in, so that a capture can name them and lead through them, too. */
#include "process/stacks/stacks.h"

#include "base/cleanup.h"
#include "symbols/sources/jit/jit_list.h"
#include "symbols/sources/jit/jit_object.h"

#include <stdlib.h>

enum { PAGE = 4096 };

struct giving {
	struct cairn_stacks *stacks;
	struct cairn_target memory;
	uint64_t left; /* bytes that may be given */
	const struct stacks_memory_taker *taker;
};

bool stacks_note_made_frame(struct cairn_stacks *stacks, uint64_t pc)
{
	struct stacks_jit *jit = &stacks->jit;
	struct cairn_location location;

	if (snapshot_find_module(&stacks->snapshot, pc) ||
	    !stacks_find_jit_code(stacks, pc, &location))
		return true;
	const struct jit_function *function = jit_code_find(&jit->list.code, pc);
	if (!function)
		return true;
	if (!jit->entered)
		jit->entered = calloc(jit->list.code.count, sizeof(*jit->entered));
	if (!jit->entered)
		return false;
	jit->entered[function - jit->list.code.function] = true;
	return true;
}

static bool give_bytes(struct giving *g, uint64_t address, struct cairn_bytes bytes)
{
	g->left -= bytes.size;
	return g->taker->take(g->taker->context, address, bytes);
}

/* Memory that cannot be read any more is left out.  False: memory is short. */
static bool give_range(struct giving *g, uint64_t address, size_t size)
{
	uint8_t bytes[2 * PAGE];

	if (size > g->left || !jit_list_read_memory(&g->memory, address, bytes, size))
		return true;
	return give_bytes(g, address, (struct cairn_bytes){ bytes, size });
}

/* A list that no symbol leads to is searched for in whole pages. */
static bool give_descriptor(struct giving *g)
{
	const uint64_t descriptor = g->stacks->jit.descriptor, in_page = descriptor % PAGE;
	const bool crosses = in_page > PAGE - JIT_LIST_DESCRIPTOR;

	return (!g->stacks->jit.searched ||
	        give_range(g, descriptor - in_page, crosses ? 2 * PAGE : PAGE)) &&
	       give_range(g, descriptor, JIT_LIST_DESCRIPTOR);
}

static bool give_entries(struct giving *g, const struct jit_list *list)
{
	bool ok = true;

	for (size_t i = 0; ok && i < list->count; i++)
		ok = give_range(g, list->entry[i].at, JIT_LIST_ENTRY);
	return ok;
}

static bool has_entered(const struct stacks_jit *jit, const struct jit_code *code)
{
	for (size_t i = 0; i < code->count; i++) {
		const struct jit_function *function =
			jit_code_find(&jit->list.code, code->function[i].start);
		if (function && jit->entered[function - jit->list.code.function])
			return true;
	}
	return false;
}

/* Is a frame in one of the functions of the object?  Its relocations are applied in place. */
static bool is_object_entered(const struct cairn_stacks *stacks, struct byte_buffer *object)
{
	struct byte_buffer dump = { .limit = JIT_LIST_OBJECT, .big = stacks->snapshot.big_endian };
	struct jit_code code;
	bool entered = false;

	jit_object_relocate(object->data, object->size);
	jit_list_begin(&dump);
	if (jit_object_append((struct cairn_bytes){ object->data, object->size }, &dump) &&
	    jit_code_read(&code, (struct cairn_bytes){ dump.data, dump.size }, NULL) == CAIRN_OK) {
		entered = has_entered(&stacks->jit, &code);
		jit_code_finish(&code);
	}
	byte_buffer_finish(&dump);
	return entered;
}

/* Reads the object of an entry; false: it cannot be read, or is larger than what may still be given. */
static bool read_whole(const struct giving *g, const struct jit_list_entry *entry,
                       struct byte_buffer *object)
{
	return entry->size > 0 && entry->size <= g->left &&
	       jit_list_read_object(&g->memory, entry, object) && object->size > 0;
}

/* Gives an object, or only one that a frame is in; it counts once. */
static bool give_object(struct giving *g, struct jit_list_entry *entry, bool all)
{
	struct byte_buffer object = { .limit = JIT_LIST_OBJECT };
	struct byte_buffer copy = { .limit = JIT_LIST_OBJECT };
	bool ok = true;

	if (read_whole(g, entry, &object)) {
		byte_buffer_bytes(&copy, object.data, object.size);
		if (all || (!copy.failed && is_object_entered(g->stacks, &copy))) {
			ok = give_bytes(g, entry->object,
			                (struct cairn_bytes){ object.data, object.size });
			entry->size = 0;
		}
	}
	byte_buffer_finish(&copy);
	byte_buffer_finish(&object);
	return ok;
}

static bool give_objects(struct giving *g, struct jit_list *list, bool all)
{
	bool ok = true;

	for (size_t i = 0; ok && i < list->count; i++)
		ok = give_object(g, &list->entry[i], all);
	return ok;
}

bool stacks_give_made_code(struct cairn_stacks *stacks, uint64_t most,
                           const struct stacks_memory_taker *taker)
{
	struct giving g = { stacks, stacks_made_code_memory(stacks), most, taker };
	WITH_CLEANUP(jit_list_finish) struct jit_list list = { .limit = JIT_LIST_MAX };
	struct cairn_fault fault;

	if (!stacks->jit.entered || jit_list_open(&list, &g.memory, stacks->jit.descriptor,
	                                          stacks->snapshot.big_endian, &fault) != CAIRN_OK)
		return true;
	if (!give_descriptor(&g) || !give_entries(&g, &list))
		return false;
	return (list.bytes <= g.left || give_objects(&g, &list, false)) &&
	       give_objects(&g, &list, true);
}
