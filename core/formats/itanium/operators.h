/* SPDX-License-Identifier: MIT */
/* The operators of C++ by their two letters: as functions, and in expressions. */
#ifndef CAIRN_FORMATS_ITANIUM_OPERATORS_H
#define CAIRN_FORMATS_ITANIUM_OPERATORS_H

#include <stdbool.h>
#include <stdint.h>

struct itanium_operator {
	char code[3];
	/* "operator+"; an operator that cannot be overloaded has no blank: "operatorsizeof " */
	const char *name;
	/*
	 * How an expression of it is written: '1', '2' and '3' operands; 'p': one, before or after it;
	 * 'w': one, after a word; 't': a type in parentheses; 'e': an expression in parentheses; 'c': a
	 * cast; 'm': a member; 'n': new; 0: in another way
	 */
	char form;
};

/* NULL: there is none. */
const struct itanium_operator *itanium_find_operator(uint8_t first, uint8_t second);

/* The name, by its two letters, of an operator that functions can overload; NULL if none has them. */
const char *itanium_operator_name(uint8_t first, uint8_t second);

/* "+" */
const char *itanium_operator_sign(const struct itanium_operator *op);

#endif
