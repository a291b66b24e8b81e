/* SPDX-License-Identifier: MIT */
/* Reads numbers in OpenTelemetry's JSON. */
#ifndef CAIRN_FORMATS_OTLP_JSON_NUMBER_H
#define CAIRN_FORMATS_OTLP_JSON_NUMBER_H

#include <cairn.h>

enum { OTLP_JSON_DOUBLE_MAX = 400 }; /* maximum size of a floating-point number in bytes */

/*
 * Read an integer from -most_negative to `most`, as 64 bits in two's complement. Return NULL on
 * success, otherwise a constant message.
 */
const char *otlp_json_whole(struct cairn_bytes text, uint64_t most, uint64_t most_negative,
                            uint64_t *value);

/*
 * Read a number, NaN, Infinity or -Infinity as the bits of a double. Return NULL on success,
 * otherwise a constant message.
 */
const char *otlp_json_double(struct cairn_bytes text, uint64_t *bits);

#endif
