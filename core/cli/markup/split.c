/* SPDX-License-Identifier: MIT */
/* Assigns each log line to a process, and feeds it to the filter of that process. */
#include "split.h"

#include <stdio.h>
#include <string.h>

static bool open_process(struct markup_split *s, struct split_process *p)
{
	p->markup = cairn_markup_new(s->options, s->host);
	if (!p->markup)
		return refuse_with(NULL, "out of memory");
	if (s->observer)
		markup_observe(p->markup, s->observer);
	return markup_exes_add_modules(s->symbols, p->markup);
}

bool markup_split_pattern(struct markup_split *s, const char *pattern)
{
	char why[256];
	int error = pattern ? regcomp(&s->pattern, pattern, REG_EXTENDED) : 0;

	if (error) {
		regerror(error, &s->pattern, why, sizeof(why));
		return refuse_with(NULL, "--split-by: %s", why);
	}
	s->has_pattern = pattern != NULL;
	return true;
}

bool markup_split_open(struct markup_split *s)
{
	s->count = 1;
	return open_process(s, &s->process[0]);
}

void markup_split_close(struct markup_split *s)
{
	for (size_t i = 0; i < s->count; i++)
		cairn_markup_free(s->process[i].markup);
	if (s->has_pattern)
		regfree(&s->pattern);
}

/* Store the key that the expression finds in the line. Return false if it does not match. */
static bool match_pattern(const struct markup_split *s, struct cairn_bytes line,
                          char key[SPLIT_KEY])
{
	static char text[SPLIT_HEAD + 1];
	regmatch_t found[2];
	size_t size = line.size < SPLIT_HEAD ? line.size : SPLIT_HEAD;

	memcpy(text, line.data, size);
	text[size] = '\0';
	if (regexec(&s->pattern, text, 2, found, 0) != 0)
		return false;
	const regmatch_t *m = s->pattern.re_nsub > 0 && found[1].rm_so >= 0 ? &found[1] : &found[0];
	snprintf(key, SPLIT_KEY, "%.*s", (int)(m->rm_eo - m->rm_so), text + m->rm_so);
	return true;
}

/* Choose the least recently used process, which loses its state to a new one. */
static size_t find_oldest_process(const struct markup_split *s)
{
	size_t found = 0;

	for (size_t i = 1; i < s->count; i++)
		if (s->process[i].used < s->process[found].used)
			found = i;
	return found;
}

static bool find_process(struct markup_split *s, const char *key, size_t *index)
{
	for (*index = 0; *index < s->count; ++*index)
		if (strcmp(s->process[*index].key, key) == 0)
			return true;
	if (s->count < SPLIT_PROCESSES) {
		*index = s->count;
		if (!open_process(s, &s->process[s->count]))
			return false;
		s->count++;
	} else {
		*index = find_oldest_process(s);
		if (cairn_markup_finish(s->process[*index].markup) != CAIRN_OK)
			return false;
	}
	snprintf(s->process[*index].key, SPLIT_KEY, "%s", key);
	return true;
}

static bool choose_process(struct markup_split *s, struct cairn_bytes line)
{
	char key[SPLIT_KEY];
	size_t index;

	if (!match_pattern(s, line, key))
		return true;
	if (!find_process(s, key, &index))
		return false;
	if (index != s->current) {
		/*
		 * finish an open line about modules first, or the other process's text would be
		 * appended to it
		 */
		module_line_end(&s->process[s->current].markup->renderer);
		cairn_markup_pause(s->process[s->current].markup);
	}
	s->current = index;
	return true;
}

static enum cairn_status feed_line_piece(struct markup_split *s, struct cairn_bytes piece)
{
	struct split_process *p = &s->process[s->current];
	bool ends = piece.data[piece.size - 1] == '\n';

	p->markup->reporter.position.lines = s->line;
	p->used = s->line;
	s->inside = !ends;
	s->line += ends;
	return cairn_markup_feed(p->markup, piece);
}

static enum cairn_status begin_line(struct markup_split *s, struct cairn_bytes piece)
{
	return choose_process(s, piece) ? feed_line_piece(s, piece) : CAIRN_NO_MEMORY;
}

/* Choose the process of the held line, which is complete or fills the buffer, and feed it. */
static enum cairn_status feed_line_head(struct markup_split *s)
{
	struct cairn_bytes head = { s->head, s->held };

	s->held = 0;
	return head.size > 0 ? begin_line(s, head) : CAIRN_OK;
}

static enum cairn_status buffer_line_head(struct markup_split *s, struct cairn_bytes piece,
                                          size_t *taken)
{
	size_t room = SPLIT_HEAD - s->held;

	*taken = piece.size < room ? piece.size : room;
	memcpy(s->head + s->held, piece.data, *taken);
	s->held += *taken;
	if (s->held < SPLIT_HEAD && s->head[s->held - 1] != '\n')
		return CAIRN_OK;
	return feed_line_head(s);
}

enum cairn_status markup_split_feed(struct markup_split *s, struct cairn_bytes text)
{
	enum cairn_status status = CAIRN_OK;

	if (!s->has_pattern)
		return cairn_markup_feed(s->process[0].markup, text);
	while (text.size > 0 && status == CAIRN_OK) {
		const uint8_t *end = memchr(text.data, '\n', text.size);
		size_t size = end ? (size_t)(end + 1 - text.data) : text.size;
		struct cairn_bytes piece = { text.data, size };
		if (s->inside)
			status = feed_line_piece(s, piece);
		else if (s->held == 0 && (end || size >= SPLIT_HEAD))
			status = begin_line(s, piece);
		else
			status = buffer_line_head(s, piece, &size);
		text.data += size;
		text.size -= size;
	}
	return status;
}

enum cairn_status markup_split_pause(struct markup_split *s)
{
	enum cairn_status status = feed_line_head(s);

	cairn_markup_pause(s->process[s->current].markup);
	return status;
}

enum cairn_status markup_split_finish(struct markup_split *s)
{
	enum cairn_status status = feed_line_head(s);

	for (size_t i = 0; i < s->count; i++) {
		enum cairn_status one = cairn_markup_finish(s->process[i].markup);
		status = one != CAIRN_OK ? one : status;
	}
	return status;
}
