/* SPDX-License-Identifier: MIT */
/*
 * Reads the frames and images of a recorded backtrace in JSON: a crash report by Swift's backtracer,
 * or the output of `cairn cbf decode --json`, which uses other names for the same members:
 *
 *	Swift   frame = { "kind": word, "address": "0x..", "inlined": bool, "symbol": text, "offset": n, "description": text,
 *	                  "image": text, "sourceLocation": { "file": text, "line": n, "column": n } }
 *	        image = { "baseAddress": "0x..", "endOfText": "0x..", "buildId": digits, "path": text, "name": text }
 *	cairn   frame = { "kind": word, "address": "0x..", "times": n }
 *	        image = { "base": "0x..", "end": "0x..", "id": digits, "path": text }
 *
 * Swift writes the members after "address" only if it looked up names. Strings still contain JSON
 * escapes, except for the output of recorded_frame_name().
 */
#ifndef CAIRN_OUTPUT_RECORDED_H
#define CAIRN_OUTPUT_RECORDED_H

#include "base/json_reader.h"

enum recorded_kind {
	RECORDED_RETURN, /* the address is a return address */
	RECORDED_PC,
	RECORDED_ASYNC,     /* the address is the first byte of code that resumes after an await */
	RECORDED_OMITTED,   /* stands for frames that were left out */
	RECORDED_TRUNCATED, /* the remaining frames were left out */
};

struct recorded_frame {
	enum recorded_kind kind;
	bool has_address;
	uint64_t address;
	/* number of consecutive equal frames or, without an address, of omitted frames */
	uint64_t times;
	bool inlined;
	struct json_reader_value image; /* name of the image */
	/* the source location; `line` and `column` are 0 if unknown */
	struct json_reader_value file;
	uint64_t line, column;
	/* name of the function, with " + offset" at its end in the description */
	struct json_reader_value description, symbol;
	uint64_t offset;
};

void recorded_frame_read(const struct json_reader_value *object, struct recorded_frame *frame);

/*
 * Write the name of the frame's function, without the offset, into `name`, as a string of at most
 * `capacity` - 1 bytes. Return its size, or 0 if the report does not name the function.
 */
size_t recorded_frame_name(const struct recorded_frame *frame, char *name, size_t capacity);

struct recorded_image {
	uint64_t base, end;
	struct cairn_bytes path; /* path or name, which is not empty */
	struct cairn_bytes id;   /* an even number of hexadecimal digits; may be empty */
};

/* Read an image. Return false if it has no path and no name, or no addresses. */
bool recorded_image_read(const struct json_reader_value *object, struct recorded_image *image);

#endif
