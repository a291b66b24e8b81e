/* SPDX-License-Identifier: MIT */
#include "sources.h"

#include "memfile.h"

#include <stdlib.h>
#include <string.h>

char *source_text(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = malloc(size);

	if (copy)
		memcpy(copy, text, size);
	return copy;
}

struct source_id source_id(struct cairn_bytes build_id)
{
	struct source_id id = { .size = build_id.size < SOURCES_ID ? build_id.size : SOURCES_ID };

	memcpy(id.data, build_id.data, id.size);
	return id;
}

bool source_is(const struct source_id *id, struct cairn_bytes build_id)
{
	return id->size > 0 && id->size == build_id.size &&
	       memcmp(id->data, build_id.data, id->size) == 0;
}

bool sources_give(struct sources *s, const char *path, struct cairn_bytes build_id, uint64_t offset)
{
	char *copy = source_text(path);
	size_t i = 0;

	while (i < s->given_count && !source_is(&s->given[i].id, build_id))
		i++;
	if (!copy || i == SOURCES_MAX) {
		free(copy);
		return false;
	}
	if (i < s->given_count)
		free(s->given[i].path);
	else
		s->given_count++;
	s->given[i] = (struct source){ copy, source_id(build_id), offset };
	return true;
}

/* A file that was given belongs to its module by the user's word. */
static enum cairn_status open_given(const struct source *given, struct source_hit *hit,
                                    struct cairn_fault *fault)
{
	const struct cairn_bytes any = { (const uint8_t *)"", 0 };

	hit->offset = given->offset;
	return cairn_symbol_file_open(given->path, any, &hit->file, fault);
}

enum cairn_status sources_open(const struct sources *s, const struct cairn_module *module,
                               struct source_hit *hit, struct cairn_fault *fault)
{
	for (size_t i = 0; i < s->given_count; i++)
		if (source_is(&s->given[i].id, module->build_id))
			return open_given(&s->given[i], hit, fault);
	hit->offset = 0;
	return cairn_symbol_file_find(module->name ? module->name : "", module->build_id,
	                              s->directories, &hit->file, fault);
}

struct source_object *sources_object(struct sources *s, int inferior, struct cairn_bytes build_id)
{
	for (size_t i = 0; i < s->objects; i++)
		if (s->object[i].inferior == inferior && source_is(&s->object[i].id, build_id))
			return &s->object[i];
	return NULL;
}

void sources_drop(struct sources *s, size_t index)
{
	struct source_object gone = s->object[index];
	bool shared = false;

	s->object[index] = s->object[--s->objects];
	for (size_t i = 0; i < s->objects; i++)
		shared = shared || s->object[i].fd == gone.fd;
	if (!shared)
		memfile_close(gone.fd);
	free(gone.path);
	free(gone.module);
}
