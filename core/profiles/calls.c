/* SPDX-License-Identifier: MIT */
/*
 * Iterates over the calls of a location: the looked-up ones if there are any, otherwise those in
 * the input.
 */
#include "samples.h"

struct profile_calls profile_calls(const struct cairn_profile *p, const struct profile_location *l)
{
	return (struct profile_calls){ p, l, l->body, 0 };
}

static void read_new_call(const struct profile_calls *c, struct profile_call *call)
{
	const struct cairn_profile *p = c->profile;
	const struct profile_line *line = &p->new_lines[c->location->first_line + c->next];
	const struct profile_function *f = &p->new_functions[line->function];

	*call = (struct profile_call){ string_pool_get(&p->pool, f->name),
		                       string_pool_get(&p->pool, f->linked_name),
		                       string_pool_get(&p->pool, f->file),
		                       f->id,
		                       line->line,
		                       line->column };
}

/* Read the next line of the input. Lines of OpenTelemetry are converted to pprof's struct. */
static bool read_line(struct profile_calls *c, struct pprof_line *line)
{
	struct otlp_line other;

	if (c->profile->otlp == OTLP_UNKNOWN)
		return pprof_next_line(&c->rest, line);
	if (!otlp_next_line(&c->rest, &other))
		return false;
	*line = (struct pprof_line){ other.function, other.line, other.column };
	return true;
}

static bool read_old_call(struct profile_calls *c, struct profile_call *call)
{
	const struct cairn_profile *p = c->profile;
	struct pprof_line line;

	if (!read_line(c, &line))
		return false;
	const uint32_t number = p->otlp == OTLP_UNKNOWN
	                                ? profile_number(&p->function_ids, line.function)
	                                : profile_place_number(p->function_count, line.function);
	const struct pprof_function none = { 0 };
	const struct pprof_function *f = number > 0 ? &p->functions[number - 1] : &none;
	*call = (struct profile_call){ profile_text(p, f->name),
		                       profile_text(p, f->linked_name),
		                       profile_text(p, f->file),
		                       number > 0 ? line.function : 0,
		                       line.line,
		                       line.column };
	return true;
}

bool profile_next_call(struct profile_calls *c, struct profile_call *call)
{
	if (c->location->line_count == 0)
		return read_old_call(c, call);
	if (c->next >= c->location->line_count)
		return false;
	read_new_call(c, call);
	c->next++;
	return true;
}

unsigned profile_judge_calls(const struct cairn_profile *p, const struct profile_location *l)
{
	unsigned has = PPROF_HAS_FILES | PPROF_HAS_LINES, named = 0, count = 0;
	struct profile_calls calls = profile_calls(p, l);
	struct profile_call call;

	for (; profile_next_call(&calls, &call); count++) {
		if (call.name.size > 0)
			named = PPROF_HAS_FUNCTIONS;
		if (call.file.size == 0)
			has &= ~(unsigned)PPROF_HAS_FILES;
		if (call.line == 0)
			has &= ~(unsigned)PPROF_HAS_LINES;
	}
	return count == 0 ? 0 : has | named | (count > 1 ? PPROF_HAS_INLINES : 0);
}
