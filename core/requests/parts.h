/* SPDX-License-Identifier: MIT */
/*
 * The parts of a request:
 *
 *	request.c      which kind it is
 *	parts.c        what all kinds do alike
 *	threads.c      stacks, frame by frame
 *	offsets.c      addresses in build IDs
 *	reference.c    where the file of a core or log is
 *	module.c       modules, each once
 *	ask.c          names of addresses
 *	lookup.c       addresses of one module, from wherever they count
 *	judge.c        what has come of it
 */
#ifndef CAIRN_REQUESTS_PARTS_H
#define CAIRN_REQUESTS_PARTS_H

#include "records/record.h"
#include "request.h"

/* Sets a fault at the value, in `text`, and returns its status. */
enum cairn_status request_refuse(struct cairn_fault *fault, enum cairn_status status,
                                 const struct json_reader_value *value, struct cairn_bytes text,
                                 const char *what);

/* A new frame, all zeros; NULL with the fault: there are too many, or memory is short. */
struct request_frame *request_add_frame(struct request *request, struct cairn_fault *fault);

/* 0 for a module that has no build ID, or one of zeros; else its number from 1. UINT32_MAX: memory is short. */
uint32_t request_add_module(struct request *request, struct cairn_bytes build_id,
                            struct cairn_bytes name);

/* Lists the modules whose symbols are missing. False: memory is short. */
bool request_find_missing(struct request *request);

/* Read one kind of request, whose JSON is `text`. */
enum cairn_status request_read_threads(struct request *request, const struct record_thread *report,
                                       struct cairn_bytes text, struct cairn_fault *fault);
enum cairn_status request_read_thread(struct request *request, const struct record_thread *thread,
                                      struct cairn_bytes text, struct cairn_fault *fault);
enum cairn_status request_read_offsets(struct request *request,
                                       const struct json_reader_value *frames,
                                       struct cairn_bytes text, struct cairn_fault *fault);
enum cairn_status request_read_reference(struct request *request, struct cairn_bytes text,
                                         struct cairn_fault *fault);

#endif
