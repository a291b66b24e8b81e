/* SPDX-License-Identifier: MIT */
/* Makes messages about an input for the host that reads it, and asks it whether to go on. */
#include "messages.h"

#include <stdarg.h>
#include <stdio.h>

bool messages_wanted(const struct function_source *origin, enum cairn_message_level level)
{
	return origin->options.message && level <= origin->options.messages;
}

bool function_source_go_on(const struct function_source *origin, uint64_t done, uint64_t all)
{
	const struct cairn_functions_options *options = &origin->options;

	return !options->progress || options->progress(options->context, done, all);
}

static void tell_message(const struct function_source *origin, const struct cairn_message *message)
{
	origin->options.message(origin->options.context, message);
}

void message_tell(const struct function_source *origin, enum cairn_message_level level,
                  const char *path, const char *format, ...)
{
	char text[CAIRN_ERROR_TEXT];
	va_list arguments;

	if (!messages_wanted(origin, level))
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	tell_message(origin, &(struct cairn_message){ .level = level, .path = path, .text = text });
}

void message_tell_word(const struct function_source *origin, enum cairn_message_level level,
                       const char *path, const char *word, const char *why)
{
	if (messages_wanted(origin, level))
		tell_message(origin,
		             &(struct cairn_message){
				     .level = level, .path = path, .word = word, .text = why });
}

void message_tell_fault(const struct function_source *origin, enum cairn_message_level level,
                        const char *path, const char *part, const struct cairn_fault *fault,
                        const char *next)
{
	if (!messages_wanted(origin, level))
		return;
	tell_message(origin,
	             &(struct cairn_message){ .level = level,
	                                      .path = path,
	                                      .part = part,
	                                      .text = fault->what,
	                                      .next = next,
	                                      .has_offset = fault->status != CAIRN_NOT_FOUND,
	                                      .offset = fault->offset });
}
