/* SPDX-License-Identifier: MIT */
#include "survey.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void survey_ask(struct call *call)
{
	struct text *questions = &call->session->command;

	text_reset(questions);
	text_add(questions, "output $_inferior\necho \\n\ninfo files\n");
	reply_collect(call, questions);
	call->session->asked = ASKED_SURVEY;
}

static void report(struct session *s, const struct files *files)
{
	cairn_space_begin(s->space);
	for (size_t i = 0; i < files->count; i++) {
		struct cairn_report one = files_report(&files->modules[i]);
		if (cairn_space_add(s->space, &one) == CAIRN_NO_MEMORY)
			break; /* the others are found in memory */
	}
	cairn_space_end(s->space);
}

static bool holds(const char *said, int fd)
{
	char name[40];

	snprintf(name, sizeof(name), " in /proc/self/fd/%d\n", fd);
	return strstr(said, name) != NULL;
}

/* Which objects of this inferior are there?  What GDB has let go of is let go of here. */
static void check_objects(struct sources *sources, int inferior, const char *said)
{
	for (size_t i = sources->objects; i-- > 0;) {
		struct source_object *o = &sources->object[i];
		if (o->inferior != inferior)
			continue;
		o->present = holds(said, o->fd);
		if (!o->present)
			sources_drop(sources, i);
	}
}

const struct survey *survey_take(struct call *call)
{
	static struct survey survey;
	const char *said = call->output ? call->output : "";
	size_t first = strcspn(said, "\n");

	survey.inferior = (int)strtol(said, NULL, 10);
	files_read((struct cairn_bytes){ (const uint8_t *)said + first, strlen(said + first) },
	           &survey.files);
	report(call->session, &survey.files);
	check_objects(&call->session->sources, survey.inferior, said);
	return &survey;
}

bool survey_module(struct call *call, const struct survey *survey, size_t index,
                   struct cairn_module *module)
{
	static char name[CAIRN_REPORT_NAME + 1];
	const struct files_module *m = &survey->files.modules[index];
	uint64_t pc = m->text.low < m->text.high ? m->text.low : m->low;

	if (cairn_space_module(call->session->space, pc, module) != CAIRN_OK ||
	    !module->has_headers)
		return false;
	size_t size = m->name.size < sizeof(name) ? m->name.size : sizeof(name) - 1;
	memcpy(name, m->name.data, size);
	name[size] = '\0';
	module->name = name;
	return true;
}

bool survey_is_called(const struct cairn_module *module, const char *name)
{
	const char *slash = strrchr(module->name, '/');

	return strcmp(module->name, name) == 0 ||
	       strcmp(slash ? slash + 1 : module->name, name) == 0;
}
