/* SPDX-License-Identifier: MIT */
/*
 * Receives the content of a message: a frame with properties and the size of the body, then frames
 * of the body. Bytes beyond the limit are counted but not stored, so that the sender does not
 * control how much memory a body takes.
 */
#include "link.h"

#include <amqp_framing.h>
#include <stdlib.h>
#include <string.h>

void message_drop(struct link_message *message)
{
	free(message->request.body);
	broker_origin_free(message->request.origin);
	*message = (struct link_message){ .is_request = false };
}

static bool take_head(struct link_message *message, const amqp_frame_t *frame)
{
	struct broker_request *request = &message->request;
	const uint64_t size = frame->payload.properties.body_size;

	message->has_head = true;
	request->whole_size = size;
	request->size = size <= BROKER_REQUEST_MAX ? (size_t)size : BROKER_HEAD_MAX;
	if (!message->is_request)
		return true;
	request->body = malloc(request->size + 1);
	if (!request->body)
		return false;
	request->body[request->size] = '\n';
	return origin_copy(frame->payload.properties.decoded, request);
}

static void take_body_part(struct link_message *message, amqp_bytes_t part)
{
	struct broker_request *request = &message->request;

	if (message->is_request && message->at < request->size && part.len > 0) {
		const size_t at = (size_t)message->at, left = request->size - at;
		memcpy(request->body + at, part.bytes, part.len < left ? part.len : left);
	}
	message->at += part.len;
}

bool message_take(struct link_message *message, const amqp_frame_t *frame, bool *whole)
{
	if (message->has_method && !message->has_head && frame->frame_type == AMQP_FRAME_HEADER) {
		if (!take_head(message, frame))
			return false;
	} else if (message->has_head && frame->frame_type == AMQP_FRAME_BODY) {
		take_body_part(message, frame->payload.body_fragment);
	}
	*whole = message->has_head && message->at >= message->request.whole_size;
	return true;
}
