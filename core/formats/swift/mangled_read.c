/* SPDX-License-Identifier: MIT */
/*
 * Builds a tree from a name mangled by Swift.
 *
 * The grammar is postfix: "4main4DeckV" pushes the module and the name, then V pops both and pushes
 * the struct. The `read_` functions handle one operator each and return the node to push, or 0 to
 * reject the whole name. The `pop_` functions take a specific kind of node from the stack; if the
 * top is something else, they return 0 and do not change the stack.
 *
 * Lists are also read backwards: elements are popped up to and including the one with the marker
 * '_'. Because each element takes at least one pop, pop_list() and similar functions can store the
 * results in the stack slots that were just popped, starting from the highest. This restores the
 * order without additional memory.
 */
#include "mangled_node.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define NODE(r, kind, ...) \
	make(r, kind, (const uint16_t[]){ __VA_ARGS__ }, COUNT(((const uint16_t[]){ __VA_ARGS__ })))
#define SOME(r, kind, ...)                                    \
	make_some(r, kind, (const uint16_t[]){ __VA_ARGS__ }, \
	          COUNT(((const uint16_t[]){ __VA_ARGS__ })))

enum {
	/*
	 * maximum number of repetitions of a substitution; Swift's own demangler has the same limit
	 */
	REPEAT_MAX = 2048,
	INDEX_MAX = INT32_MAX / 2,
};

struct letter_words {
	char letter;
	const char *words;
};

#define WORDS_OF(table, letter) words_of(table, COUNT(table), letter)

static const char *words_of(const struct letter_words *table, size_t count, uint8_t letter)
{
	for (size_t i = 0; i < count; i++)
		if (table[i].letter == (char)letter)
			return table[i].words;
	return NULL;
}

static uint8_t peek(const struct swift_reader *r)
{
	return r->at < r->in.size ? r->in.data[r->at] : 0;
}

static uint8_t take(struct swift_reader *r)
{
	return r->at < r->in.size ? r->in.data[r->at++] : 0;
}

static bool take_if(struct swift_reader *r, char expected)
{
	if (peek(r) != (uint8_t)expected)
		return false;
	r->at++;
	return true;
}

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static bool is_upper(uint8_t c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_lower(uint8_t c)
{
	return c >= 'a' && c <= 'z';
}

static uint16_t exhaust(struct swift_reader *r)
{
	r->exhausted = true;
	return 0;
}

static struct swift_node *at(struct swift_reader *r, uint16_t ref)
{
	return &r->w->node[ref & ~SWIFT_TYPE];
}

static uint8_t kind_of(struct swift_reader *r, uint16_t ref)
{
	return at(r, ref)->kind;
}

static uint16_t child_of(struct swift_reader *r, uint16_t ref, unsigned i)
{
	const struct swift_node *node = at(r, ref);
	return i < node->count ? r->w->children[node->child + i] : 0;
}

/* Return a new node without children or text, or 0 if there are too many nodes. */
static uint16_t leaf(struct swift_reader *r, uint8_t kind, uint32_t number)
{
	if (r->nodes == SWIFT_NODES)
		return exhaust(r);
	r->w->node[r->nodes] = (struct swift_node){ .kind = kind, .number = number, .text = "" };
	return (uint16_t)r->nodes++;
}

/* Return a new node with these children, or 0 if any child is 0. */
static uint16_t make(struct swift_reader *r, uint8_t kind, const uint16_t *child, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (child[i] == 0)
			return 0;
	if (count > SWIFT_CHILDREN - r->children)
		return exhaust(r);
	uint16_t ref = leaf(r, kind, 0);
	if (ref == 0)
		return 0;
	if (count > 0)
		memcpy(&r->w->children[r->children], child, count * sizeof(child[0]));
	at(r, ref)->child = (uint16_t)r->children;
	at(r, ref)->count = (uint16_t)count;
	r->children += (unsigned)count;
	return ref;
}

/* Like make(), but skip children that are 0. */
static uint16_t make_some(struct swift_reader *r, uint8_t kind, const uint16_t *child, size_t count)
{
	uint16_t kept[8];
	size_t n = 0;
	for (size_t i = 0; i < count; i++)
		if (child[i] != 0 && n < COUNT(kept))
			kept[n++] = child[i];
	return make(r, kind, kept, n);
}

static uint16_t with_text(struct swift_reader *r, uint16_t ref, const char *text)
{
	if (ref != 0) {
		at(r, ref)->text = text;
		at(r, ref)->size = (uint16_t)strlen(text);
	}
	return ref;
}

static uint16_t with_number(struct swift_reader *r, uint16_t ref, uint32_t number)
{
	if (ref != 0)
		at(r, ref)->number = number;
	return ref;
}

static uint16_t words(struct swift_reader *r, uint8_t kind, const char *text)
{
	return with_text(r, leaf(r, kind, 0), text);
}

/* Return a node that prints a constant string before `child`, which must not be 0. */
static uint16_t prefixed(struct swift_reader *r, const char *text, uint16_t child)
{
	return with_text(r, NODE(r, KIND_OF, child), text);
}

static uint16_t as_type(uint16_t ref)
{
	return ref == 0 ? 0 : ref | SWIFT_TYPE;
}

static bool push(struct swift_reader *r, uint16_t ref)
{
	if (ref == 0)
		return false;
	if (r->top == SWIFT_STACK)
		return exhaust(r);
	r->w->stack[r->top++] = ref;
	return true;
}

static uint16_t substitutable(struct swift_reader *r, uint16_t ref)
{
	if (ref == 0)
		return 0;
	if (r->substitutions == SWIFT_SUBSTITUTIONS)
		return exhaust(r);
	r->w->substitution[r->substitutions++] = ref;
	return ref;
}

static uint16_t peek_node(const struct swift_reader *r)
{
	return r->top > r->bottom ? r->w->stack[r->top - 1] : 0;
}

static uint16_t pop(struct swift_reader *r)
{
	return r->top > r->bottom ? r->w->stack[--r->top] : 0;
}

static uint16_t pop_type(struct swift_reader *r)
{
	return peek_node(r) & SWIFT_TYPE ? pop(r) : 0;
}

static uint16_t pop_bare_type(struct swift_reader *r)
{
	return pop_type(r) & (uint16_t)~SWIFT_TYPE;
}

/* Pop a node whose kind lies between `first` and `last`. Types are not popped. */
static uint16_t pop_among(struct swift_reader *r, uint8_t first, uint8_t last)
{
	uint16_t ref = peek_node(r);
	if (ref == 0 || ref & SWIFT_TYPE || kind_of(r, ref) < first || kind_of(r, ref) > last)
		return 0;
	return pop(r);
}

static uint16_t pop_kind(struct swift_reader *r, uint8_t kind)
{
	return pop_among(r, kind, kind);
}

static bool is_context(uint8_t kind)
{
	return kind >= KIND_MODULE && kind < KIND_CONTEXT_END;
}

static bool is_nominal(uint8_t kind)
{
	return (kind >= KIND_CLASS && kind <= KIND_BUILTIN_TUPLE);
}

static uint16_t pop_decl_name(struct swift_reader *r)
{
	return pop_among(r, KIND_IDENTIFIER, KIND_NAME_END - 1);
}

static uint16_t pop_entity(struct swift_reader *r)
{
	uint16_t ref = peek_node(r);
	return ref != 0 && (ref & SWIFT_TYPE || is_context(kind_of(r, ref))) ? pop(r) : 0;
}

static uint16_t pop_module(struct swift_reader *r)
{
	uint16_t ref = pop_kind(r, KIND_IDENTIFIER);
	if (ref == 0)
		return pop_kind(r, KIND_MODULE);
	struct swift_node copy = *at(r, ref);
	uint16_t module = leaf(r, KIND_MODULE, 0);
	if (module != 0) {
		at(r, module)->text = copy.text;
		at(r, module)->size = copy.size;
	}
	return module;
}

static uint16_t pop_context(struct swift_reader *r)
{
	uint16_t ref = pop_module(r);
	if (ref != 0)
		return ref;
	ref = peek_node(r);
	if (ref & SWIFT_TYPE) {
		uint8_t kind = kind_of(r, ref);
		return is_context(kind) || kind == KIND_BOUND ? pop_bare_type(r) : 0;
	}
	return pop_among(r, KIND_MODULE, KIND_CONTEXT_END - 1);
}

static uint16_t pop_nominal(struct swift_reader *r)
{
	uint16_t ref = pop_bare_type(r);
	return ref != 0 && is_nominal(kind_of(r, ref)) ? ref : 0;
}

static uint16_t pop_protocol(struct swift_reader *r)
{
	uint16_t ref = peek_node(r);
	if (ref & SWIFT_TYPE)
		return kind_of(r, ref) == KIND_PROTOCOL ? pop(r) : 0;
	uint16_t name = pop_decl_name(r);
	uint16_t context = pop_context(r);
	return as_type(NODE(r, KIND_PROTOCOL, context, name));
}

static uint16_t pop_requirement(struct swift_reader *r)
{
	return pop_among(r, KIND_CONFORMS, KIND_VALUE_PARAMETER);
}

static uint16_t pop_signature(struct swift_reader *r)
{
	return pop_kind(r, KIND_SIGNATURE);
}

/*
 * Pop the elements of a list, the last one first. The marker KIND_FIRST_ELEMENT lies on top of the
 * first element, so the element popped after the marker ends the list. Return a node with the
 * elements as children. An empty list consists of a marker only.
 */
static uint16_t pop_list(struct swift_reader *r, uint8_t kind,
                         uint16_t (*pop_element)(struct swift_reader *))
{
	unsigned end = r->top, begin = end;
	if (pop_kind(r, KIND_EMPTY_LIST) != 0)
		return make(r, kind, NULL, 0);
	for (bool first = false; !first;) {
		first = pop_kind(r, KIND_FIRST_ELEMENT) != 0;
		uint16_t element = pop_element(r);
		if (element == 0)
			return 0;
		r->w->stack[--begin] = element;
	}
	return make(r, kind, &r->w->stack[begin], end - begin);
}

static uint16_t pop_tuple_element(struct swift_reader *r)
{
	bool variadic = pop_kind(r, KIND_VARIADIC) != 0;
	uint16_t label = pop_kind(r, KIND_IDENTIFIER);
	uint16_t element = NODE(r, KIND_ELEMENT, pop_type(r));
	if (element != 0) {
		at(r, element)->number = variadic;
		if (label != 0) {
			at(r, element)->text = at(r, label)->text;
			at(r, element)->size = at(r, label)->size;
		}
	}
	return element;
}

static uint16_t pop_conformance(struct swift_reader *r)
{
	uint16_t signature = pop_signature(r);
	uint16_t module = pop_module(r);
	uint16_t protocol = pop_protocol(r);
	uint16_t type = pop_type(r), behavior = 0;
	/* without a type, this is a property behavior, which Swift 5 and newer do not emit */
	if (type == 0) {
		behavior = pop_kind(r, KIND_IDENTIFIER);
		type = pop_type(r);
	}
	if (signature != 0)
		type = as_type(NODE(r, KIND_DEPENDENT_TYPE, signature, type));
	if (type == 0 || protocol == 0 || module == 0)
		return 0;
	return SOME(r, KIND_CONFORMANCE, type, protocol, module, behavior);
}

/* Pop a reference to a conformance within a type, in any form. Such references are not printed. */
static uint16_t pop_any_conformance(struct swift_reader *r)
{
	return pop_kind(r, KIND_ANY_CONFORMANCE);
}

static uint16_t pop_associated_name(struct swift_reader *r)
{
	uint16_t protocol = pop_type(r);
	if (protocol != 0 && kind_of(r, protocol) != KIND_PROTOCOL)
		return 0;
	uint16_t name = pop_kind(r, KIND_IDENTIFIER);
	return name == 0 ? 0 : SOME(r, KIND_ASSOCIATED, name, protocol);
}

static uint16_t pop_associated_path(struct swift_reader *r)
{
	return pop_list(r, KIND_PATH, pop_associated_name);
}

static bool read_natural(struct swift_reader *r, uint32_t *number)
{
	uint32_t value = 0;
	if (!is_digit(peek(r)))
		return false;
	while (is_digit(peek(r))) {
		value = value * 10 + (uint32_t)(take(r) - '0');
		if (value > INDEX_MAX / 10)
			return false;
	}
	*number = value;
	return true;
}

/* Read an index: "_" is 0, "0_" is 1. */
static bool read_index(struct swift_reader *r, uint32_t *index)
{
	if (take_if(r, '_')) {
		*index = 0;
		return true;
	}
	if (!read_natural(r, index) || !take_if(r, '_'))
		return false;
	++*index;
	return true;
}

/* Append to the unfinished string at the end of the pool. */
static bool append(struct swift_reader *r, const void *text, size_t size)
{
	if (size > SWIFT_POOL - r->pool)
		return exhaust(r);
	memcpy(&r->w->pool[r->pool], text, size);
	r->pool += (unsigned)size;
	return true;
}

/*
 * Decode Punycode and append the result. Swift's variant differs from RFC 3492: the digits are a-z
 * and A-J, the delimiter is '_', and ASCII characters of operators are encoded as 0xd800 and above.
 */
static bool append_punycode(struct swift_reader *r, struct cairn_bytes in)
{
	enum { BASE = 36, T_MIN = 1, T_MAX = 26, SKEW = 38, DAMP = 700, POINTS = 256 };
	uint32_t point[POINTS], n = 128, i = 0, bias = 72;
	size_t count = 0, from = 0;

	for (size_t at = in.size; at > 0; at--)
		if (in.data[at - 1] == '_') {
			for (; count < at - 1; count++) {
				if (count == POINTS || in.data[count] >= 0x80)
					return false;
				point[count] = in.data[count];
			}
			from = at;
			break;
		}
	while (from < in.size) {
		uint32_t before = i;
		for (uint32_t weight = 1, k = BASE;; k += BASE) {
			uint8_t c = from < in.size ? in.data[from++] : 0;
			uint32_t digit = is_lower(c)            ? c - (uint32_t)'a'
			                 : c >= 'A' && c <= 'J' ? c - (uint32_t)'A' + 26
			                                        : BASE;
			if (digit == BASE || digit > (UINT32_MAX / 2 - i) / weight)
				return false;
			i += digit * weight;
			uint32_t t = k <= bias ? T_MIN : k >= bias + T_MAX ? T_MAX : k - bias;
			if (digit < t)
				break;
			if (weight > UINT32_MAX / 2 / (BASE - t))
				return false;
			weight *= BASE - t;
		}
		if (count == POINTS)
			return false;
		uint32_t delta = (i - before) / (before == 0 ? DAMP : 2), k = 0;
		delta += delta / (uint32_t)(count + 1);
		for (; delta > (BASE - T_MIN) * T_MAX / 2; k += BASE)
			delta /= BASE - T_MIN;
		bias = k + (BASE - T_MIN + 1) * delta / (delta + SKEW);
		n += i / (uint32_t)(count + 1);
		i %= (uint32_t)(count + 1);
		memmove(&point[i + 1], &point[i], (count - i) * sizeof(point[0]));
		point[i++] = n;
		count++;
	}
	for (size_t p = 0; p < count; p++) {
		uint32_t c = point[p] >= 0xd800 && point[p] < 0xd880 ? point[p] - 0xd800 : point[p];
		if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000) || c < ' ')
			return false;
		uint8_t utf8[4];
		size_t size = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
		for (size_t b = size; b-- > 1; c >>= 6)
			utf8[b] = (uint8_t)(0x80 | (c & 0x3f));
		utf8[0] = (uint8_t)(size == 1 ? c : c | (0xf00u >> size & 0xff));
		if (!append(r, utf8, size))
			return false;
	}
	return true;
}

/*
 * Record the words of an identifier, which later identifiers can refer to. A capital letter that
 * does not follow another capital letter starts a new word, and '_' ends a word.
 */
static void note_words(struct swift_reader *r, const uint8_t *text, size_t size)
{
	size_t begin = SIZE_MAX;
	for (size_t i = 0; i <= size; i++) {
		uint8_t c = i < size ? text[i] : 0;
		if (begin != SIZE_MAX &&
		    (c == '_' || c == 0 || (is_upper(c) && !is_upper(text[i - 1])))) {
			if (i - begin >= 2 && r->words < SWIFT_WORDS)
				r->word[r->words++] =
					(struct cairn_bytes){ text + begin, i - begin };
			begin = SIZE_MAX;
		}
		if (begin == SIZE_MAX && c != 0 && c != '_' && !is_digit(c))
			begin = i;
	}
}

static uint16_t read_identifier(struct swift_reader *r)
{
	bool substitutes = false, punycode = false;
	unsigned begin = r->pool;
	if (!is_digit(peek(r)))
		return 0;
	if (take_if(r, '0')) {
		punycode = take_if(r, '0');
		substitutes = !punycode;
	}
	do {
		while (substitutes && (is_lower(peek(r)) || is_upper(peek(r)))) {
			uint8_t c = take(r);
			unsigned index = is_lower(c) ? c - 'a' : c - 'A';
			substitutes = is_lower(c);
			if (index >= r->words ||
			    !append(r, r->word[index].data, r->word[index].size))
				return 0;
		}
		if (take_if(r, '0'))
			break;
		uint32_t size;
		if (!read_natural(r, &size) || size == 0)
			return 0;
		if (punycode)
			take_if(r, '_');
		if (size > r->in.size - r->at)
			return 0;
		struct cairn_bytes piece = { r->in.data + r->at, size };
		r->at += size;
		if (punycode ? !append_punycode(r, piece) : !append(r, piece.data, piece.size))
			return 0;
		if (!punycode)
			note_words(r, piece.data, piece.size);
	} while (substitutes);
	if (r->pool == begin)
		return 0;
	uint16_t ref = leaf(r, KIND_IDENTIFIER, 0);
	if (ref == 0)
		return 0;
	at(r, ref)->text = &r->w->pool[begin];
	at(r, ref)->size = (uint16_t)(r->pool - begin);
	return substitutable(r, ref);
}

static uint16_t read_operator(struct swift_reader *r)
{
	static const char characters[] = "& @/= >    <*!|+?%-~   ^ .";
	uint16_t name = pop_kind(r, KIND_IDENTIFIER);
	if (name == 0)
		return 0;
	unsigned begin = r->pool;
	for (unsigned i = 0; i < at(r, name)->size; i++) {
		char c = at(r, name)->text[i];
		if ((uint8_t)c < 0x80) {
			if (!is_lower((uint8_t)c) || characters[c - 'a'] == ' ')
				return 0;
			c = characters[c - 'a'];
		}
		if (!append(r, &c, 1))
			return 0;
	}
	uint8_t fix = take(r);
	if (fix != 'i' && fix != 'p' && fix != 'P')
		return 0;
	uint16_t ref = leaf(r, KIND_OPERATOR, fix);
	if (ref != 0) {
		at(r, ref)->text = &r->w->pool[begin];
		at(r, ref)->size = (uint16_t)(r->pool - begin);
	}
	return ref;
}

/* Push `ref` count - 1 times and return it, so that the caller pushes it once more. */
static uint16_t repeat(struct swift_reader *r, uint32_t count, uint16_t ref)
{
	if (count > REPEAT_MAX)
		return exhaust(r);
	while (ref != 0 && count > 1) {
		if (!push(r, ref))
			return 0;
		count--;
	}
	return ref;
}

static uint16_t substitution(struct swift_reader *r, uint32_t index)
{
	unsigned known = r->substitutions - r->first_substitution;
	return index < known ? r->w->substitution[r->first_substitution + index] : 0;
}

/*
 * Read substitutions. In "AbC", b stands for substitution 1 and C for substitution 2; the capital
 * letter marks the last one. "A3b" stands for three copies of substitution 1, and "A3_" for a
 * substitution with a large index.
 */
static uint16_t read_substitutions(struct swift_reader *r)
{
	for (uint32_t count = 0;;) {
		uint8_t c = peek(r);
		if (is_digit(c)) {
			if (!read_natural(r, &count))
				return 0;
			if (!take_if(r, '_'))
				continue;
			return substitution(r, count + SWIFT_WORDS + 1);
		}
		take(r);
		if (c == '_')
			return substitution(r, SWIFT_WORDS);
		if (is_upper(c))
			return repeat(r, count, substitution(r, c - 'A'));
		if (!is_lower(c) || !push(r, repeat(r, count, substitution(r, c - 'a'))))
			return 0;
		count = 0;
	}
}

static uint16_t module_named(struct swift_reader *r, const char *name)
{
	return words(r, KIND_MODULE, name);
}

static uint16_t standard_type(struct swift_reader *r, uint8_t kind, const char *name)
{
	uint16_t module = module_named(r, "Swift");
	return as_type(NODE(r, kind, module, words(r, KIND_IDENTIFIER, name)));
}

struct standard {
	char letter;
	uint8_t kind;
	const char *name;
};

static const struct standard standard_types[] = {
	{ 'A', KIND_STRUCTURE, "AutoreleasingUnsafeMutablePointer" },
	{ 'a', KIND_STRUCTURE, "Array" },
	{ 'B', KIND_PROTOCOL, "BinaryFloatingPoint" },
	{ 'b', KIND_STRUCTURE, "Bool" },
	{ 'D', KIND_STRUCTURE, "Dictionary" },
	{ 'd', KIND_STRUCTURE, "Double" },
	{ 'E', KIND_PROTOCOL, "Encodable" },
	{ 'e', KIND_PROTOCOL, "Decodable" },
	{ 'F', KIND_PROTOCOL, "FloatingPoint" },
	{ 'f', KIND_STRUCTURE, "Float" },
	{ 'G', KIND_PROTOCOL, "RandomNumberGenerator" },
	{ 'H', KIND_PROTOCOL, "Hashable" },
	{ 'h', KIND_STRUCTURE, "Set" },
	{ 'I', KIND_STRUCTURE, "DefaultIndices" },
	{ 'i', KIND_STRUCTURE, "Int" },
	{ 'J', KIND_STRUCTURE, "Character" },
	{ 'j', KIND_PROTOCOL, "Numeric" },
	{ 'K', KIND_PROTOCOL, "BidirectionalCollection" },
	{ 'k', KIND_PROTOCOL, "RandomAccessCollection" },
	{ 'L', KIND_PROTOCOL, "Comparable" },
	{ 'l', KIND_PROTOCOL, "Collection" },
	{ 'M', KIND_PROTOCOL, "MutableCollection" },
	{ 'm', KIND_PROTOCOL, "RangeReplaceableCollection" },
	{ 'N', KIND_STRUCTURE, "ClosedRange" },
	{ 'n', KIND_STRUCTURE, "Range" },
	{ 'O', KIND_STRUCTURE, "ObjectIdentifier" },
	{ 'P', KIND_STRUCTURE, "UnsafePointer" },
	{ 'p', KIND_STRUCTURE, "UnsafeMutablePointer" },
	{ 'Q', KIND_PROTOCOL, "Equatable" },
	{ 'q', KIND_ENUM, "Optional" },
	{ 'R', KIND_STRUCTURE, "UnsafeBufferPointer" },
	{ 'r', KIND_STRUCTURE, "UnsafeMutableBufferPointer" },
	{ 'S', KIND_STRUCTURE, "String" },
	{ 's', KIND_STRUCTURE, "Substring" },
	{ 'T', KIND_PROTOCOL, "Sequence" },
	{ 't', KIND_PROTOCOL, "IteratorProtocol" },
	{ 'U', KIND_PROTOCOL, "UnsignedInteger" },
	{ 'u', KIND_STRUCTURE, "UInt" },
	{ 'V', KIND_STRUCTURE, "UnsafeRawPointer" },
	{ 'v', KIND_STRUCTURE, "UnsafeMutableRawPointer" },
	{ 'W', KIND_STRUCTURE, "UnsafeRawBufferPointer" },
	{ 'w', KIND_STRUCTURE, "UnsafeMutableRawBufferPointer" },
	{ 'X', KIND_PROTOCOL, "RangeExpression" },
	{ 'x', KIND_PROTOCOL, "Strideable" },
	{ 'Y', KIND_PROTOCOL, "RawRepresentable" },
	{ 'y', KIND_PROTOCOL, "StringProtocol" },
	{ 'Z', KIND_PROTOCOL, "SignedInteger" },
	{ 'z', KIND_PROTOCOL, "BinaryInteger" },
};

/* Types in Swift's concurrency module, selected by the letter after "Sc". */
static const struct standard concurrency_types[] = {
	{ 'A', KIND_PROTOCOL, "Actor" },
	{ 'C', KIND_STRUCTURE, "CheckedContinuation" },
	{ 'c', KIND_STRUCTURE, "UnsafeContinuation" },
	{ 'E', KIND_STRUCTURE, "CancellationError" },
	{ 'e', KIND_STRUCTURE, "UnownedSerialExecutor" },
	{ 'F', KIND_PROTOCOL, "Executor" },
	{ 'f', KIND_PROTOCOL, "SerialExecutor" },
	{ 'G', KIND_STRUCTURE, "TaskGroup" },
	{ 'g', KIND_STRUCTURE, "ThrowingTaskGroup" },
	{ 'h', KIND_PROTOCOL, "TaskExecutor" },
	{ 'I', KIND_PROTOCOL, "AsyncIteratorProtocol" },
	{ 'i', KIND_PROTOCOL, "AsyncSequence" },
	{ 'J', KIND_STRUCTURE, "UnownedJob" },
	{ 'M', KIND_CLASS, "MainActor" },
	{ 'P', KIND_STRUCTURE, "TaskPriority" },
	{ 'S', KIND_STRUCTURE, "AsyncStream" },
	{ 's', KIND_STRUCTURE, "AsyncThrowingStream" },
	{ 'T', KIND_STRUCTURE, "Task" },
	{ 't', KIND_STRUCTURE, "UnsafeCurrentTask" },
};

static uint16_t read_standard(struct swift_reader *r)
{
	if (take_if(r, 'o'))
		return module_named(r, "__C");
	if (take_if(r, 'C'))
		return module_named(r, "__C_Synthesized");
	if (take_if(r, 'g')) {
		uint16_t wrapped = NODE(r, KIND_TYPE_LIST, pop_type(r));
		uint16_t optional = standard_type(r, KIND_ENUM, "Optional");
		return substitutable(r, as_type(NODE(r, KIND_BOUND, optional, wrapped)));
	}
	uint32_t count = 0;
	if (is_digit(peek(r)) && !read_natural(r, &count))
		return 0;
	bool concurrency = take_if(r, 'c');
	const struct standard *table = concurrency ? concurrency_types : standard_types;
	size_t size = concurrency ? COUNT(concurrency_types) : COUNT(standard_types);
	uint8_t letter = take(r);
	for (size_t i = 0; i < size; i++)
		if (table[i].letter == (char)letter)
			return repeat(r, count, standard_type(r, table[i].kind, table[i].name));
	return 0;
}

static uint16_t read_builtin(struct swift_reader *r)
{
	static const struct letter_words simple[] = {
		{ 'b', "Builtin.BridgeObject" },
		{ 'B', "Builtin.UnsafeValueBuffer" },
		{ 'e', "Builtin.Executor" },
		{ 'I', "Builtin.IntLiteral" },
		{ 'O', "Builtin.UnknownObject" },
		{ 'o', "Builtin.NativeObject" },
		{ 'p', "Builtin.RawPointer" },
		{ 'j', "Builtin.Job" },
		{ 't', "Builtin.SILToken" },
		{ 'w', "Builtin.Word" },
		{ 'c', "Builtin.RawUnsafeContinuation" },
		{ 'D', "Builtin.DefaultActorStorage" },
		{ 'd', "Builtin.NonDefaultDistributedActorStorage" },
		{ 'P', "Builtin.PackIndex" },
		{ 'A', "Builtin.ImplicitActor" },
	};
	enum { SIZE_LIMIT = 4096 };
	uint8_t letter = take(r);
	const char *name = WORDS_OF(simple, letter);
	if (name != NULL)
		return as_type(words(r, KIND_BUILTIN, name));
	if (letter == 'V') {
		uint16_t element = pop_type(r), size = pop_type(r);
		return as_type(NODE(r, KIND_FIXED_ARRAY, size, element));
	}
	uint16_t element = letter == 'v' ? pop_bare_type(r) : 0;
	if (letter != 'i' && letter != 'f' && (element == 0 || kind_of(r, element) != KIND_BUILTIN))
		return 0;
	uint32_t size;
	if (!read_index(r, &size) || size < 2 || size > SIZE_LIMIT)
		return 0;
	char digits[12];
	size_t first = sizeof(digits);
	for (size--; size > 0; size /= 10)
		digits[--first] = (char)('0' + size % 10);
	static const char *const begin[] = { "Builtin.Int", "Builtin.FPIEEE", "Builtin.Vec" };
	const char *prefix = begin[letter == 'i' ? 0 : letter == 'f' ? 1 : 2];
	unsigned pool = r->pool;
	if (!append(r, prefix, strlen(prefix)) ||
	    !append(r, digits + first, sizeof(digits) - first))
		return 0;
	if (element != 0) {
		enum { SKIPPED = sizeof("Builtin.") - 1 };
		const struct swift_node *node = at(r, element);
		if (node->size < SKIPPED || !append(r, "x", 1) ||
		    !append(r, node->text + SKIPPED, node->size - SKIPPED))
			return 0;
	}
	uint16_t ref = leaf(r, KIND_BUILTIN, 0);
	if (ref != 0) {
		at(r, ref)->text = &r->w->pool[pool];
		at(r, ref)->size = (uint16_t)(r->pool - pool);
	}
	return as_type(ref);
}

static uint16_t read_nominal(struct swift_reader *r, uint8_t kind)
{
	uint16_t name = pop_decl_name(r);
	uint16_t context = pop_context(r);
	return substitutable(r, as_type(NODE(r, kind, context, name)));
}

static uint16_t read_extension(struct swift_reader *r)
{
	uint16_t signature = pop_signature(r);
	uint16_t module = pop_module(r);
	uint16_t type = pop_nominal(r);
	return module == 0 || type == 0 ? 0 : SOME(r, KIND_EXTENSION, module, type, signature);
}

static uint16_t pop_parameters(struct swift_reader *r, uint8_t kind)
{
	uint16_t type = pop_kind(r, KIND_EMPTY_LIST) != 0 ? as_type(make(r, KIND_TUPLE, NULL, 0))
	                                                  : pop_type(r);
	return NODE(r, kind, type);
}

/*
 * Pop the components of a function type in reverse order and build the type. `prefix` is printed
 * before the type.
 */
static uint16_t pop_function_type(struct swift_reader *r, const char *prefix)
{
	uint16_t sending = pop_kind(r, KIND_SENDING_RESULT);
	uint16_t isolation = pop_among(r, KIND_GLOBAL_ACTOR, KIND_CALLER_ISOLATED);
	uint16_t differentiable = pop_kind(r, KIND_DIFFERENTIABLE);
	uint16_t throws = pop_kind(r, KIND_THROWS);
	uint16_t sendable = pop_kind(r, KIND_SENDABLE);
	uint16_t async = pop_kind(r, KIND_ASYNC);
	uint16_t arguments = pop_parameters(r, KIND_ARGUMENTS);
	uint16_t result = pop_parameters(r, KIND_RESULT);
	if (arguments == 0 || result == 0)
		return 0;
	return as_type(with_text(r,
	                         SOME(r, KIND_FUNCTION_TYPE, sending, isolation, differentiable,
	                              throws, sendable, async, arguments, result),
	                         prefix));
}

/*
 * Pop the labels of a function's parameters. Return 0 if the function has no labels; this is not an
 * error.
 */
static uint16_t pop_labels(struct swift_reader *r, uint16_t type)
{
	if (pop_kind(r, KIND_EMPTY_LIST) != 0)
		return make(r, KIND_LABELS, NULL, 0);
	if (type != 0 && kind_of(r, type) == KIND_DEPENDENT_TYPE)
		type = child_of(r, type, 1);
	if (type == 0 || kind_of(r, type) != KIND_FUNCTION_TYPE)
		return 0;
	uint16_t arguments = child_of(r, type, at(r, type)->count - 2u);
	uint16_t tuple = child_of(r, arguments, 0);
	unsigned count = kind_of(r, tuple) == KIND_TUPLE ? at(r, tuple)->count : 1;
	if (count == 0)
		return 0;
	unsigned end = r->top, begin = end;
	bool labelled = false;
	for (unsigned i = 0; i < count; i++) {
		uint16_t label = pop(r);
		if (label == 0 || label & SWIFT_TYPE)
			return 0;
		uint8_t kind = kind_of(r, label);
		if (kind != KIND_IDENTIFIER && kind != KIND_FIRST_ELEMENT)
			return 0;
		labelled |= kind == KIND_IDENTIFIER;
		begin--;
	}
	return labelled ? make(r, KIND_LABELS, &r->w->stack[begin], end - begin)
	                : make(r, KIND_LABELS, NULL, 0);
}

static uint16_t pop_retroactive(struct swift_reader *r)
{
	unsigned end = r->top, begin = end;
	for (uint16_t each; (each = pop_kind(r, KIND_RETROACTIVE)) != 0;)
		r->w->stack[--begin] = each;
	return begin == end ? 0 : make(r, KIND_CONFORMANCE_LIST, &r->w->stack[begin], end - begin);
}

/*
 * Pop the generic arguments of a bound type. There is one list for each nesting level that can have
 * arguments, and the innermost level comes first. Each list becomes a node in lists[].
 */
static bool pop_argument_lists(struct swift_reader *r, uint16_t *lists, size_t capacity,
                               size_t *count)
{
	for (*count = 0;;) {
		unsigned end = r->top, begin = end;
		for (uint16_t type; (type = pop_type(r)) != 0;)
			r->w->stack[--begin] = type;
		if (*count == capacity)
			return exhaust(r);
		lists[*count] = make(r, KIND_TYPE_LIST, &r->w->stack[begin], end - begin);
		if (lists[*count] == 0)
			return false;
		++*count;
		if (pop_kind(r, KIND_EMPTY_LIST) != 0)
			return true;
		if (pop_kind(r, KIND_FIRST_ELEMENT) == 0)
			return false;
	}
}

enum { ARGUMENT_LEVELS = 32 };

/*
 * Bind the argument lists to a type and the contexts that enclose it. `level` limits the recursion.
 */
static uint16_t bind_arguments(struct swift_reader *r, uint16_t type, const uint16_t *lists,
                               size_t count, unsigned level)
{
	if (type == 0 || count == 0 || at(r, type)->count == 0)
		return 0;
	if (level == ARGUMENT_LEVELS)
		return exhaust(r);
	uint8_t kind = kind_of(r, type);
	bool takes = kind != KIND_VARIABLE && kind != KIND_SUBSCRIPT && kind != KIND_CLOSURE &&
	             kind != KIND_DEFAULT_ARGUMENT && kind != KIND_BACKING && kind != KIND_STATIC;
	uint16_t arguments = lists[0];
	if (takes) {
		lists++;
		count--;
	}
	if (count > 0) {
		uint16_t context = child_of(r, type, 0), bound;
		if (kind_of(r, context) == KIND_EXTENSION) {
			bound = bind_arguments(r, child_of(r, context, 1), lists, count, level + 1);
			if (bound == 0)
				return 0;
			bound = SOME(r, KIND_EXTENSION, child_of(r, context, 0), bound,
			             child_of(r, context, 2));
		} else
			bound = bind_arguments(r, context, lists, count, level + 1);
		if (bound == 0)
			return 0;
		struct swift_node old = *at(r, type);
		uint16_t copy = make(r, old.kind, &r->w->children[old.child], old.count);
		if (copy == 0)
			return 0;
		at(r, copy)->text = old.text;
		at(r, copy)->size = old.size;
		at(r, copy)->number = old.number;
		r->w->children[at(r, copy)->child] = bound;
		type = copy;
	}
	if (!takes || at(r, arguments)->count == 0)
		return type;
	if (is_nominal(kind))
		return NODE(r, KIND_BOUND, as_type(type), arguments);
	if (kind == KIND_FUNCTION || kind == KIND_INITIALIZER)
		return NODE(r, KIND_BOUND_FUNCTION, type, arguments);
	return 0;
}

static uint16_t read_bound(struct swift_reader *r)
{
	uint16_t lists[ARGUMENT_LEVELS];
	size_t count;
	uint16_t retroactive = pop_retroactive(r);
	if (!pop_argument_lists(r, lists, ARGUMENT_LEVELS, &count))
		return 0;
	uint16_t bound = bind_arguments(r, pop_nominal(r), lists, count, 0);
	if (bound != 0 && retroactive != 0 && kind_of(r, bound) == KIND_BOUND)
		bound = NODE(r, KIND_BOUND, child_of(r, bound, 0), child_of(r, bound, 1),
		             retroactive);
	return substitutable(r, as_type(bound));
}

static uint16_t parameter(struct swift_reader *r, uint32_t depth, uint32_t index)
{
	if (depth > UINT16_MAX)
		return 0;
	uint16_t ref = leaf(r, KIND_PARAMETER, index);
	if (ref != 0)
		at(r, ref)->size = (uint16_t)depth;
	return ref;
}

static uint16_t read_parameter(struct swift_reader *r)
{
	uint32_t depth, index;
	if (take_if(r, 'd'))
		return read_index(r, &depth) && read_index(r, &index)
		               ? parameter(r, depth + 1, index)
		               : 0;
	if (take_if(r, 'z'))
		return parameter(r, 0, 0);
	if (take_if(r, 's'))
		return words(r, KIND_WORDS, "Self");
	return read_index(r, &index) ? parameter(r, 0, index + 1) : 0;
}

static uint16_t read_member(struct swift_reader *r, uint16_t base)
{
	uint16_t name = pop_associated_name(r);
	return substitutable(
		r, as_type(NODE(r, KIND_MEMBER, base != 0 ? as_type(base) : pop_type(r), name)));
}

static uint16_t read_member_path(struct swift_reader *r, uint16_t base)
{
	uint16_t path = pop_associated_path(r);
	uint16_t type = base != 0 ? as_type(base) : pop_type(r);
	for (unsigned i = 0; path != 0 && i < at(r, path)->count; i++)
		type = as_type(NODE(r, KIND_MEMBER, type, child_of(r, path, i)));
	return path == 0 ? 0 : substitutable(r, type);
}

static uint16_t read_opaque(struct swift_reader *r)
{
	uint32_t index;
	uint16_t lists[ARGUMENT_LEVELS];
	size_t count;
	if (!read_index(r, &index))
		return 0;
	pop_retroactive(r);
	if (!pop_argument_lists(r, lists, ARGUMENT_LEVELS, &count))
		return 0;
	uint16_t of = pop(r);
	return substitutable(r, as_type(with_number(r, NODE(r, KIND_OPAQUE, of), index)));
}

/*
 * Read an operator that starts with 'Q': archetypes, members of generic parameters, opaque types
 * and packs.
 */
static uint16_t read_archetype(struct swift_reader *r)
{
	uint32_t index;
	uint16_t ref;
	switch (take(r)) {
	case 'a':
		ref = pop_kind(r, KIND_IDENTIFIER);
		return substitutable(r, as_type(NODE(r, KIND_MEMBER, pop_type(r), ref)));
	case 'O':
		return NODE(r, KIND_OPAQUE_OF, pop_context(r));
	case 'o':
		return read_opaque(r);
	case 'r':
		return as_type(words(r, KIND_WORDS, "some"));
	case 'R':
		return read_index(r, &index) ? as_type(words(r, KIND_WORDS, "some")) : 0;
	case 'x':
		return read_member(r, 0);
	case 'X':
		return read_member_path(r, 0);
	case 'y':
		ref = read_parameter(r);
		return ref == 0 ? 0 : read_member(r, ref);
	case 'Y':
		ref = read_parameter(r);
		return ref == 0 ? 0 : read_member_path(r, ref);
	case 'z':
		return read_member(r, parameter(r, 0, 0));
	case 'Z':
		return read_member_path(r, parameter(r, 0, 0));
	case 'p':
		/* pop the pack that determines the number of elements, but do not print it */
		ref = pop_type(r);
		return ref == 0 ? 0 : as_type(NODE(r, KIND_PACK_EXPANSION, pop_type(r)));
	case 'e':
		ref = pop_type(r);
		if (ref == 0 || !read_index(r, &index))
			return 0;
		return as_type(with_number(r, NODE(r, KIND_PACK_ELEMENT, ref), index));
	case 'P':
		return as_type(with_text(r, pop_list(r, KIND_PACK, pop_type), "Pack{"));
	case 'S':
		ref = take(r);
		if (ref != 'd' && ref != 'i')
			return 0;
		return as_type(with_text(r, pop_list(r, KIND_PACK, pop_type),
		                         ref == 'd' ? "@direct Pack{" : "@indirect Pack{"));
	default:
		return 0;
	}
}

static uint16_t read_signature(struct swift_reader *r, bool has_counts)
{
	enum { DEPTHS = 64 };
	uint16_t counts[DEPTHS];
	uint32_t depths = 0;
	if (!has_counts)
		counts[depths++] = leaf(r, KIND_COUNT, 1);
	else
		while (!take_if(r, 'l')) {
			uint32_t count = 0;
			if (!take_if(r, 'z')) {
				if (!read_index(r, &count))
					return 0;
				count++;
			}
			if (depths == DEPTHS)
				return exhaust(r);
			counts[depths++] = leaf(r, KIND_COUNT, count);
		}
	unsigned end = r->top, begin = end;
	for (uint16_t each; (each = pop_requirement(r)) != 0;)
		r->w->stack[--begin] = each;
	/*
	 * Append the requirements in the child array, after the counts. make() requires all
	 * children in a single array, so it cannot be used here.
	 */
	if (depths + (end - begin) > SWIFT_CHILDREN - r->children)
		return exhaust(r);
	uint16_t ref = make(r, KIND_SIGNATURE, counts, depths);
	if (ref == 0)
		return 0;
	memcpy(&r->w->children[r->children], &r->w->stack[begin],
	       (end - begin) * sizeof(counts[0]));
	r->children += end - begin;
	at(r, ref)->count = (uint16_t)(at(r, ref)->count + (end - begin));
	at(r, ref)->number = depths;
	return ref;
}

static uint16_t read_layout(struct swift_reader *r, uint16_t type)
{
	static const struct {
		char letter;
		const char *name;
		int numbers;
	} layouts[] = {
		{ 'U', "_UnknownLayout", 0 },
		{ 'R', "_RefCountedObject", 0 },
		{ 'N', "_NativeRefCountedObject", 0 },
		{ 'C', "AnyObject", 0 },
		{ 'D', "_NativeClass", 0 },
		{ 'T', "_Trivial", 0 },
		{ 'B', "_BridgeObject", 0 },
		{ 'E', "_Trivial", 2 },
		{ 'e', "_Trivial", 1 },
		{ 'M', "_TrivialAtMost", 2 },
		{ 'm', "_TrivialAtMost", 1 },
		{ 'S', "_TrivialStride", 1 },
	};
	uint8_t letter = take(r);
	for (size_t i = 0; i < COUNT(layouts); i++)
		if (layouts[i].letter == (char)letter) {
			uint16_t number[2] = { 0, 0 };
			for (int n = 0; n < layouts[i].numbers; n++) {
				uint32_t value;
				if (!read_index(r, &value))
					return 0;
				number[n] = leaf(r, KIND_INTEGER, value);
			}
			return type == 0
			               ? 0
			               : with_text(r,
			                           SOME(r, KIND_LAYOUT, type, number[0], number[1]),
			                           layouts[i].name);
		}
	return 0;
}

/*
 * Read an operator that starts with 'R', a requirement in a generic signature. The letter after 'R'
 * selects the kind of requirement and its subject: a generic parameter, a direct member of one, a
 * member by a path, or a type on the stack.
 */
static uint16_t read_requirement(struct swift_reader *r)
{
	static const char letters[] = "bcCBstTSlmMLipPQhijJIvV";
	enum { PARAMETER, MEMBER, PATH, STACK } of;
	uint8_t letter = peek(r);
	if (letter == 0 || strchr(letters, letter) == NULL)
		letter = 'g'; /* the most common case, conformance of a parameter, has no letter */
	else
		r->at++;
	of = strchr("ctmpj", letter)   ? MEMBER
	     : strchr("CTMPJ", letter) ? PATH
	     : strchr("BSLQI", letter) ? STACK
	                               : PARAMETER;
	bool inverse = strchr("ijJI", letter) != NULL;
	uint32_t protocol = 0;
	if (inverse && !read_index(r, &protocol))
		return 0;
	uint16_t type = of == STACK ? pop_type(r) : read_parameter(r);
	if (type == 0)
		return 0;
	if (of == MEMBER)
		type = read_member(r, type);
	else if (of == PATH)
		type = read_member_path(r, type);
	type = as_type(type);
	if (inverse)
		return with_number(r, NODE(r, KIND_INVERSE, type), protocol);
	if (letter == 'v')
		return NODE(r, KIND_PACK_PARAMETER, type);
	if (strchr("lmML", letter))
		return read_layout(r, type);
	if (strchr("gpPQ", letter))
		return NODE(r, KIND_CONFORMS, type, pop_protocol(r));
	uint8_t kind = letter == 'V'            ? KIND_VALUE_PARAMETER
	               : letter == 'h'          ? KIND_SAME_SHAPE
	               : strchr("bcCB", letter) ? KIND_CONFORMS
	                                        : KIND_SAME_TYPE;
	return NODE(r, kind, type, pop_type(r));
}

static uint16_t read_dependent(struct swift_reader *r)
{
	uint16_t signature = pop_signature(r);
	return as_type(NODE(r, KIND_DEPENDENT_TYPE, signature, pop_type(r)));
}

static uint16_t wrap_type(struct swift_reader *r, const char *prefix)
{
	return as_type(with_text(r, NODE(r, KIND_WORDS, pop_type(r)), prefix));
}

/* Read an operator that starts with 'Y': an attribute of a function type or parameter. */
static uint16_t read_annotation(struct swift_reader *r)
{
	uint8_t kind;
	switch (take(r)) {
	case 'a':
		return leaf(r, KIND_ASYNC, 0);
	case 'A':
		return leaf(r, KIND_ISOLATED_ANY, 0);
	case 'b':
		return leaf(r, KIND_SENDABLE, 0);
	case 'c':
		return NODE(r, KIND_GLOBAL_ACTOR, pop_type(r));
	case 'C':
		return leaf(r, KIND_CALLER_ISOLATED, 0);
	case 'i':
		return wrap_type(r, "isolated ");
	case 'j':
		kind = take(r);
		return kind == 'd' || kind == 'f' || kind == 'r' || kind == 'l'
		               ? leaf(r, KIND_DIFFERENTIABLE, kind)
		               : 0;
	case 'k':
		return wrap_type(r, "@noDerivative ");
	case 'K':
		return NODE(r, KIND_THROWS, pop_type(r));
	case 't':
		return wrap_type(r, "_const ");
	case 'g':
		return wrap_type(r, "@const ");
	case 'T':
		return leaf(r, KIND_SENDING_RESULT, 0);
	case 'u':
		return wrap_type(r, "sending ");
	default:
		return 0;
	}
}

static uint16_t read_metatype(struct swift_reader *r, bool existential, bool has_representation)
{
	static const struct letter_words representations[] = { { 't', "@thin " },
		                                               { 'T', "@thick " },
		                                               { 'o', "@objc_metatype " } };
	const char *representation = has_representation ? WORDS_OF(representations, take(r)) : "";
	if (representation == NULL)
		return 0;
	uint16_t ref = with_text(r, NODE(r, KIND_METATYPE, pop_type(r)), representation);
	return as_type(with_number(r, ref, existential));
}

/* Read 'Xx' or 'XX': a box with fields, each of which may be mutable. */
static uint16_t read_box(struct swift_reader *r, bool generic)
{
	uint16_t signature = 0, types = 0;
	if (generic) {
		signature = pop_signature(r);
		types = pop_list(r, KIND_TYPE_LIST, pop_type);
		if (signature == 0 || types == 0)
			return 0;
	}
	uint16_t fields = pop_list(r, KIND_TYPE_LIST, pop_type);
	if (fields == 0)
		return 0;
	return as_type(SOME(r, KIND_BOX, fields, signature, types));
}

/* Read an operator that starts with 'X', which selects a less common type. */
static uint16_t read_special_type(struct swift_reader *r)
{
	static const struct letter_words functions[] = {
		{ 'E', "" },
		{ 'A', "@autoclosure " },
		{ 'f', "@convention(thin) " },
		{ 'K', "@autoclosure " },
		{ 'U', "" },
		{ 'L', "@escaping @convention(block) " },
		{ 'B', "@convention(block) " },
		{ 'C', "@convention(c) " },
	};
	static const struct letter_words references[] = {
		{ 'o', "unowned " },
		{ 'u', "unowned(unsafe) " },
		{ 'w', "weak " },
		{ 'b', "@box " },
	};
	uint16_t first, second;
	uint8_t letter = take(r);
	if (WORDS_OF(functions, letter))
		return pop_function_type(r, WORDS_OF(functions, letter));
	if (WORDS_OF(references, letter))
		return wrap_type(r, WORDS_OF(references, letter));
	switch (letter) {
	case 'D':
		/* discard the static type, because only the name Self is printed */
		first = pop_type(r);
		return first == 0 ? 0 : as_type(words(r, KIND_WORDS, "Self"));
	case 'M':
		return read_metatype(r, false, true);
	case 'm':
		return read_metatype(r, true, true);
	case 'p':
		return read_metatype(r, true, false);
	case 'P':
		first = pop_list(r, KIND_TYPE_LIST, pop_requirement);
		second = pop_type(r);
		return as_type(NODE(r, KIND_CONSTRAINED, second, first));
	case 'c':
		first = pop_type(r);
		second = pop_list(r, KIND_PROTOCOLS, pop_protocol);
		return as_type(NODE(r, KIND_PROTOCOLS_CLASS, second, first));
	case 'l':
		return as_type(
			NODE(r, KIND_PROTOCOLS_ANY, pop_list(r, KIND_PROTOCOLS, pop_protocol)));
	case 'g':
	case 'G':
		first = pop_type(r);
		if (letter == 'G' && pop_signature(r) == 0)
			return 0;
		return NODE(r, KIND_SHAPE, first);
	case 'X':
	case 'x':
		return read_box(r, letter == 'X');
	case 'Y':
		return read_nominal(r, KIND_OTHER_NOMINAL);
	case 'Z':
		first = pop_list(r, KIND_TYPE_LIST, pop_type);
		second = pop_kind(r, KIND_IDENTIFIER);
		return NODE(r, KIND_ANONYMOUS, second, pop_context(r), first);
	case 'e':
		return as_type(words(r, KIND_WORDS, "<ERROR TYPE>"));
	case 'S':
		letter = take(r);
		first = letter == 'D' || letter == 'A' ? pop_type(r) : 0;
		second = pop_type(r);
		if (letter == 0 || strchr("qaDpA", letter) == NULL || second == 0 ||
		    ((letter == 'D' || letter == 'A') && first == 0))
			return 0;
		return as_type(with_number(r, SOME(r, KIND_SUGAR, second, first), letter));
	default:
		return 0;
	}
}

/* Lowered function types occur in the names of reabstraction thunks. */

static const struct letter_words argument_conventions[] = {
	{ 'i', "@in " },
	{ 'c', "@in_constant " },
	{ 'l', "@inout " },
	{ 'b', "@inout_aliasable " },
	{ 'n', "@in_guaranteed " },
	{ 'X', "@in_cxx " },
	{ 'x', "@owned " },
	{ 'g', "@guaranteed " },
	{ 'e', "@deallocating " },
	{ 'y', "@unowned " },
	{ 'v', "@pack_owned " },
	{ 'p', "@pack_guaranteed " },
	{ 'm', "@pack_inout " },
};

static const struct letter_words result_conventions[] = {
	{ 'r', "@out " },
	{ 'o', "@owned " },
	{ 'd', "@unowned " },
	{ 'u', "@unowned_inner_pointer " },
	{ 'a', "@autoreleased " },
	{ 'k', "@pack_out " },
	{ 'l', "@guaranteed_address " },
	{ 'g', "@guaranteed " },
	{ 'm', "@inout " },
};

enum { LOWERED_PARTS = 64 };

struct lowered {
	uint16_t part[LOWERED_PARTS];
	unsigned count;
	unsigned typed; /* number of parts that still need a type from the stack */
};

static bool add_part(struct swift_reader *r, struct lowered *l, uint16_t part)
{
	if (part == 0)
		return false;
	if (l->count == LOWERED_PARTS)
		return exhaust(r);
	l->part[l->count++] = part;
	return true;
}

static bool add_words(struct swift_reader *r, struct lowered *l, const char *text)
{
	return add_part(r, l, words(r, KIND_WORDS, text));
}

/*
 * Skip the next character, whose meaning is `text`, and add a node with `text`. If `text` is NULL,
 * do nothing and return true.
 */
static bool add_optional_words(struct swift_reader *r, struct lowered *l, const char *text)
{
	if (text == NULL)
		return true;
	r->at++;
	return add_words(r, l, text);
}

/*
 * Add a parameter or result: the words before its type, its attributes, and a placeholder for its
 * type. The types are on the stack in the same order, so the last one must be popped first, after
 * all parameters and results have been read.
 */
static bool add_typed(struct swift_reader *r, struct lowered *l, uint8_t kind, const char *before,
                      const char *convention)
{
	static const struct {
		char letter;
		const char *words;
	} attributes[] = { { 'w', "@noDerivative " },
		           { 'T', "sending " },
		           { 'I', "isolated " },
		           { 'L', "sil_implicit_leading_param " } };
	uint16_t child[8];
	size_t n = 0;
	if (*before != 0)
		child[n++] = words(r, KIND_WORDS, before);
	child[n++] = words(r, KIND_WORDS, convention);
	for (size_t i = 0; i < COUNT(attributes); i++)
		if ((i == 0 || kind == KIND_LOWERED_PART) && take_if(r, attributes[i].letter))
			child[n++] = words(r, KIND_WORDS, attributes[i].words);
	child[n] = child[n - 1];
	l->typed++;
	return add_part(r, l, make(r, kind, child, n + 1));
}

static uint16_t read_lowered_function(struct swift_reader *r)
{
	struct lowered l = { .count = 0 };
	uint16_t lists[ARGUMENT_LEVELS], signature;
	size_t count;
	if (take_if(r, 's')) {
		pop_retroactive(r);
		if (!pop_argument_lists(r, lists, 1, &count) ||
		    (signature = pop_signature(r)) == 0 ||
		    !add_part(r, &l, NODE(r, KIND_LOWERED_PATTERN, signature, lists[0])))
			return 0;
	}
	if (take_if(r, 'I')) {
		pop_retroactive(r);
		if (!pop_argument_lists(r, lists, 1, &count) ||
		    !add_part(r, &l, NODE(r, KIND_LOWERED_INVOCATION, lists[0])))
			return 0;
	}
	signature = pop_signature(r);
	if (signature != 0)
		take_if(r, 'P');
	if (take_if(r, 'e') && !add_words(r, &l, "@escaping"))
		return 0;
	if (take_if(r, 'A') && !add_words(r, &l, "@isolated(any)"))
		return 0;
	static const struct letter_words differentiable[] = { { 'd', "@differentiable" },
		                                              { 'l', "@differentiable(_linear)" },
		                                              { 'f', "@differentiable(_forward)" },
		                                              { 'r', "@differentiable(reverse)" } };
	static const struct letter_words callee[] = { { 'y', "@callee_unowned" },
		                                      { 'g', "@callee_guaranteed" },
		                                      { 'x', "@callee_owned" },
		                                      { 't', "@convention(thin)" } };
	static const struct letter_words convention[] = {
		{ 'B', "@convention(block)" },   { 'C', "@convention(c)" },
		{ 'M', "@convention(method)" },  { 'O', "@convention(objc_method)" },
		{ 'K', "@convention(closure)" }, { 'W', "@convention(witness_method)" }
	};
	static const struct letter_words coroutine[] = { { 'A', "@yield_once" },
		                                         { 'I', "@yield_once_2" },
		                                         { 'G', "@yield_many" } };
	const char *text = WORDS_OF(differentiable, peek(r));
	if (!add_optional_words(r, &l, text))
		return 0;
	if ((text = WORDS_OF(callee, take(r))) == NULL || !add_words(r, &l, text))
		return 0;
	if (!add_optional_words(r, &l, WORDS_OF(convention, peek(r))) ||
	    !add_optional_words(r, &l, WORDS_OF(coroutine, peek(r))))
		return 0;
	if (take_if(r, 'h') && !add_words(r, &l, "@Sendable"))
		return 0;
	if (take_if(r, 'H') && !add_words(r, &l, "@async"))
		return 0;
	bool sending = take_if(r, 'T');
	if (signature != 0 && !add_part(r, &l, signature))
		return 0;
	while ((text = WORDS_OF(argument_conventions, peek(r))) != NULL) {
		r->at++;
		if (!add_typed(r, &l, KIND_LOWERED_PART, "", text))
			return 0;
	}
	if (sending && !add_words(r, &l, "sending"))
		return 0;
	while ((text = WORDS_OF(result_conventions, peek(r))) != NULL) {
		r->at++;
		if (!add_typed(r, &l, KIND_LOWERED_RESULT, "", text))
			return 0;
	}
	while (take_if(r, 'Y'))
		if ((text = WORDS_OF(argument_conventions, take(r))) == NULL ||
		    !add_typed(r, &l, KIND_LOWERED_RESULT, "@yields ", text))
			return 0;
	if (take_if(r, 'z') && ((text = WORDS_OF(result_conventions, take(r))) == NULL ||
	                        !add_typed(r, &l, KIND_LOWERED_RESULT, "@error ", text)))
		return 0;
	if (!take_if(r, '_'))
		return 0;
	for (unsigned part = l.count; l.typed > 0; l.typed--) {
		const struct swift_node *node = at(r, l.part[--part]);
		uint16_t type = pop_type(r);
		if (type == 0)
			return 0;
		/* skip "sending", which lies between parameters and results */
		while (node->kind == KIND_WORDS)
			node = at(r, l.part[--part]);
		r->w->children[node->child + node->count - 1] = type;
	}
	return as_type(make(r, KIND_LOWERED_FUNCTION, l.part, l.count));
}

static uint16_t read_function(struct swift_reader *r)
{
	uint16_t signature = pop_signature(r);
	uint16_t type = pop_function_type(r, "");
	uint16_t labels = pop_labels(r, type);
	if (signature != 0)
		type = as_type(NODE(r, KIND_DEPENDENT_TYPE, signature, type));
	uint16_t name = pop_decl_name(r);
	uint16_t context = pop_context(r);
	return context == 0 || name == 0 || type == 0
	               ? 0
	               : SOME(r, KIND_FUNCTION, context, name, labels, type);
}

static uint16_t read_typed_entity(struct swift_reader *r, uint8_t kind)
{
	uint16_t type = pop_type(r);
	uint16_t labels = pop_labels(r, type);
	uint16_t name = pop_decl_name(r);
	uint16_t context = pop_context(r);
	return context == 0 || name == 0 || type == 0 ? 0
	                                              : SOME(r, kind, context, name, labels, type);
}

static uint16_t read_accessor(struct swift_reader *r, uint16_t storage)
{
	static const struct letter_words accessors[] = {
		{ 'm', "materializeForSet" },
		{ 's', "setter" },
		{ 'g', "getter" },
		{ 'G', "getter" },
		{ 'w', "willset" },
		{ 'W', "didset" },
		{ 'r', "read" },
		{ 'y', "yielding_borrow" },
		{ 'M', "modify" },
		{ 'x', "yielding_mutate" },
		{ 'b', "borrow" },
		{ 'z', "mutate" },
		{ 'i', "init" },
	};
	static const struct letter_words mutable_addressors[] = {
		{ 'O', "owningMutableAddressor" },
		{ 'o', "nativeOwningMutableAddressor" },
		{ 'P', "nativePinningMutableAddressor" },
		{ 'u', "unsafeMutableAddressor" },
	};
	static const struct letter_words addressors[] = {
		{ 'O', "owningAddressor" },
		{ 'o', "nativeOwningAddressor" },
		{ 'p', "nativePinningAddressor" },
		{ 'u', "unsafeAddressor" },
	};
	uint8_t letter = take(r);
	if (letter == 'p') /* 'p' stands for the variable or subscript itself */
		return storage;
	const char *name = letter == 'a'   ? WORDS_OF(mutable_addressors, take(r))
	                   : letter == 'l' ? WORDS_OF(addressors, take(r))
	                                   : WORDS_OF(accessors, letter);
	return name == NULL ? 0 : with_text(r, NODE(r, KIND_ACCESSOR, storage), name);
}

static uint16_t read_subscript(struct swift_reader *r)
{
	uint16_t private_name = pop_kind(r, KIND_PRIVATE_NAME);
	uint16_t type = pop_type(r);
	uint16_t labels = pop_labels(r, type);
	uint16_t context = pop_context(r);
	if (context == 0 || type == 0)
		return 0;
	return read_accessor(r, SOME(r, KIND_SUBSCRIPT, context, labels, type, private_name));
}

/*
 * Read 'fM', a macro expansion. Compilers use such names for the buffers and declarations that
 * macros expand to.
 */
static uint16_t read_macro_expansion(struct swift_reader *r)
{
	static const struct {
		char letter;
		const char *words;
		bool attached;
	} roles[] = {
		{ 'a', "accessor macro @", true },
		{ 'r', "member attribute macro @", true },
		{ 'm', "member macro @", true },
		{ 'p', "peer macro @", true },
		{ 'c', "conformance macro @", true },
		{ 'e', "extension macro @", true },
		{ 'q', "preamble macro @", true },
		{ 'b', "body macro @", true },
		{ 'f', "freestanding macro expansion #", false },
		{ 'u', "unique name #", false },
	};
	uint8_t letter = take(r);
	for (size_t i = 0; i < COUNT(roles); i++)
		if (roles[i].letter == (char)letter) {
			uint16_t macro = pop_decl_name(r);
			uint16_t attached = roles[i].attached ? pop_decl_name(r) : 0;
			uint16_t discriminator = pop_kind(r, KIND_PRIVATE_NAME);
			uint16_t context = pop_context(r);
			uint32_t index;
			if (macro == 0 || context == 0 || (roles[i].attached && attached == 0) ||
			    !read_index(r, &index))
				return 0;
			uint16_t ref = SOME(r, KIND_MACRO_EXPANSION, context, macro, attached,
			                    discriminator);
			return with_number(r, with_text(r, ref, roles[i].words), index);
		}
	return 0;
}

/* Read an operator that starts with 'f': functions without a name of their own. */
static uint16_t read_unnamed_function(struct swift_reader *r)
{
	static const struct letter_words ends[] = {
		{ 'D', "__deallocating_deinit" },
		{ 'Z', "__isolated_deallocating_deinit" },
		{ 'd', "deinit" },
		{ 'E', "__ivar_destroyer" },
		{ 'e', "__ivar_initializer" },
	};
	static const struct letter_words backing[] = {
		{ 'i', "variable initialization expression" },
		{ 'P', "property wrapper backing initializer" },
		{ 'W', "property wrapper init from projected value" },
	};
	uint32_t index;
	uint16_t first, second, third, context;
	uint8_t letter = take(r);
	if (WORDS_OF(ends, letter)) {
		first = with_text(r, NODE(r, KIND_DEINIT, pop_context(r)), WORDS_OF(ends, letter));
		return with_number(r, first, is_upper(letter) && letter != 'E');
	}
	if (WORDS_OF(backing, letter))
		return with_text(r, NODE(r, KIND_BACKING, pop_context(r)),
		                 WORDS_OF(backing, letter));
	switch (letter) {
	case 'C':
	case 'c':
		third = pop_kind(r, KIND_PRIVATE_NAME);
		second = pop_type(r);
		first = pop_labels(r, second);
		context = pop_context(r);
		if (context == 0 || second == 0)
			return 0;
		first = SOME(r, KIND_INITIALIZER, context, first, second, third);
		bool allocates = letter == 'C' && kind_of(r, context) == KIND_CLASS;
		first = with_text(r, first, allocates ? "__allocating_init" : "init");
		return with_number(r, first, letter == 'c' && third != 0);
	case 'U':
	case 'u':
		if (!read_index(r, &index))
			return 0;
		first = pop_type(r);
		second = pop_context(r);
		return with_number(r,
		                   with_text(r, NODE(r, KIND_CLOSURE, second, first),
		                             letter == 'U' ? "closure #" : "implicit closure #"),
		                   index + 1);
	case 'A':
		if (!read_index(r, &index))
			return 0;
		return with_number(r,
		                   with_text(r, NODE(r, KIND_DEFAULT_ARGUMENT, pop_context(r)),
		                             "default argument "),
		                   index);
	case 'm':
		return read_typed_entity(r, KIND_MACRO);
	case 'M':
		return read_macro_expansion(r);
	case 'p':
		first = pop_decl_name(r);
		return NODE(r, KIND_GENERIC_PARAMETER_DECL, pop_context(r), first);
	default:
		return 0;
	}
}

/* Read an operator that starts with 'L': local, private and related names. */
static uint16_t read_local_name(struct swift_reader *r)
{
	if (take_if(r, 'L')) {
		uint16_t discriminator = pop_kind(r, KIND_IDENTIFIER);
		return NODE(r, KIND_PRIVATE_NAME, discriminator, pop_decl_name(r));
	}
	if (take_if(r, 'l'))
		return NODE(r, KIND_PRIVATE_NAME, pop_kind(r, KIND_IDENTIFIER));
	uint8_t c = peek(r);
	if ((c >= 'a' && c <= 'j') || (c >= 'A' && c <= 'J')) {
		static const char relations[] = "aAbBcCdDeEfFgGhHiIjJ";
		take(r);
		uint16_t ref = NODE(r, KIND_RELATED_NAME, pop(r));
		if (ref != 0) {
			at(r, ref)->text = strchr(relations, c);
			at(r, ref)->size = 1;
		}
		return ref;
	}
	uint32_t index;
	if (!read_index(r, &index))
		return 0;
	return with_number(r, NODE(r, KIND_LOCAL_NAME, pop_decl_name(r)), index);
}

/*
 * Kind of node that an operator pops. The operator pushes a node that prints a constant string
 * before the popped node.
 */
enum operand { TYPE, CONFORMANCE, PROTOCOL, ENTITY, ANYTHING, CONTEXT, MODULE, NOMINAL };

struct symbol {
	char letter;
	uint8_t operand;
	const char *words;
};

/* Operators that start with 'M'. */
static const struct symbol metadata[] = {
	{ 'a', TYPE, "type metadata accessor for " },
	{ 'A', CONFORMANCE, "reflection metadata associated type descriptor " },
	{ 'b', TYPE, "canonical specialized generic type metadata accessor for " },
	{ 'B', TYPE, "reflection metadata builtin descriptor " },
	{ 'c', CONFORMANCE, "protocol conformance descriptor for " },
	{ 'C', NOMINAL, "reflection metadata superclass descriptor " },
	{ 'D', TYPE, "demangling cache variable for type metadata for " },
	{ 'f', TYPE, "full type metadata for " },
	{ 'F', TYPE, "reflection metadata field descriptor " },
	{ 'g', ANYTHING, "opaque type descriptor accessor for " },
	{ 'h', ANYTHING, "opaque type descriptor accessor impl for " },
	{ 'i', TYPE, "type metadata instantiation function for " },
	{ 'I', TYPE, "type metadata instantiation cache for " },
	{ 'j', ANYTHING, "opaque type descriptor accessor key for " },
	{ 'J', TYPE, "cache variable for noncanonical specialized generic type metadata for " },
	{ 'k', ANYTHING, "opaque type descriptor accessor var for " },
	{ 'K', ANYTHING, "metadata instantiation cache for " },
	{ 'l', TYPE, "type metadata singleton initialization cache for " },
	{ 'L', TYPE, "lazy cache variable for type metadata for " },
	{ 'm', TYPE, "metaclass for " },
	{ 'M', TYPE, "specialized generic metaclass for " },
	{ 'n', TYPE, "nominal type descriptor for " },
	{ 'N', TYPE, "noncanonical specialized generic type metadata for " },
	{ 'o', TYPE, "class metadata base offset for " },
	{ 'p', PROTOCOL, "protocol descriptor for " },
	{ 'P', TYPE, "generic type metadata pattern for " },
	{ 'q', ANYTHING, "uniquable " },
	{ 'Q', ANYTHING, "opaque type descriptor for " },
	{ 'r', TYPE, "type metadata completion function for " },
	{ 's', TYPE, "ObjC resilient class stub for " },
	{ 'S', PROTOCOL, "protocol self-conformance descriptor for " },
	{ 't', TYPE, "full ObjC resilient class stub for " },
	{ 'u', TYPE, "method lookup function for " },
	{ 'U', TYPE, "ObjC metadata update function for " },
	{ 'V', ENTITY, "property descriptor for " },
	{ 'z', TYPE, "flag for loading of canonical specialized generic type metadata for " },
};

/* Operators that start with 'W'. */
static const struct symbol witnesses[] = {
	{ 'C', ENTITY, "enum case for " },
	{ 'V', TYPE, "value witness table for " },
	{ 'S', PROTOCOL, "protocol self-conformance witness table for " },
	{ 'P', CONFORMANCE, "protocol witness table for " },
	{ 'p', CONFORMANCE, "protocol witness table pattern for " },
	{ 'G', CONFORMANCE, "generic protocol witness table for " },
	{ 'I', CONFORMANCE, "instantiation function for generic protocol witness table for " },
	{ 'r', CONFORMANCE, "resilient protocol witness table for " },
	{ 'a', CONFORMANCE, "protocol witness table accessor for " },
};

/* Operators that start with 'H'. */
static const struct symbol records[] = {
	{ 'c', CONFORMANCE, "protocol conformance descriptor runtime record for " },
	{ 'n', TYPE, "nominal type descriptor runtime record for " },
	{ 'o', ANYTHING, "opaque type descriptor runtime record for " },
	{ 'r', PROTOCOL, "protocol descriptor runtime record for " },
};

/* Operators that start with 'T'. */
static const struct symbol thunks[] = {
	{ 'c', ENTITY, "curry thunk of " },
	{ 'j', ENTITY, "dispatch thunk of " },
	{ 'q', ENTITY, "method descriptor for " },
	{ 'S', ENTITY, "protocol self-conformance witness for " },
	{ 'C', TYPE, "coroutine continuation prototype for " },
	{ 'L', PROTOCOL, "protocol requirements base descriptor for " },
};

/* Operators that start with 'T' and produce an attribute of the whole symbol. */
static const struct letter_words thunk_attributes[] = {
	{ 'o', "@objc " },
	{ 'O', "@nonobjc " },
	{ 'D', "dynamic " },
	{ 'd', "super " },
	{ 'u', "async function pointer to " },
};

/* Operators that start with 'T' and produce an attribute that short names omit. */
static const struct letter_words omitted_attributes[] = {
	{ 'm', "merged " },
	{ 'E', "distributed thunk " },
	{ 'F', "distributed accessor for " },
	{ 'x', "dynamically replaceable key for " },
	{ 'X', "dynamically replaceable variable for " },
	{ 'I', "dynamically replaceable thunk for " },
};

/* Operators that start with "Tw" and produce an attribute of the whole symbol. */
static const struct letter_words newer_attributes[] = {
	{ 'b', "back deployment thunk for " }, { 'B', "back deployment fallback for " },
	{ 'c', "coro function pointer to " },  { 'd', "default override of " },
	{ 'S', "#_hasSymbol query for " },
};

/*
 * Look up a letter in `table`. If the table contains it, set *found to true and return the node for
 * the symbol. Otherwise return 0 and leave *found unchanged.
 */
static uint16_t read_symbol(struct swift_reader *r, const struct symbol *table, size_t size,
                            uint8_t letter, bool *found)
{
	for (size_t i = 0; i < size; i++) {
		if (table[i].letter != (char)letter)
			continue;
		uint16_t operand = 0;
		*found = true;
		switch ((enum operand)table[i].operand) {
		case TYPE:
			operand = pop_type(r);
			break;
		case CONFORMANCE:
			operand = pop_conformance(r);
			break;
		case PROTOCOL:
			operand = pop_protocol(r);
			break;
		case ENTITY:
			operand = pop_entity(r);
			break;
		case ANYTHING:
			operand = pop(r);
			break;
		case CONTEXT:
			operand = pop_context(r);
			break;
		case MODULE:
			operand = pop_module(r);
			break;
		case NOMINAL:
			operand = pop_nominal(r);
			break;
		}
		return prefixed(r, table[i].words, operand);
	}
	return 0;
}

static uint16_t read_metadata(struct swift_reader *r)
{
	bool found = false;
	uint8_t letter = take(r);
	uint16_t ref = read_symbol(r, metadata, COUNT(metadata), letter, &found), second;
	if (found || letter != 'X')
		return ref;
	switch (take(r)) {
	case 'E':
		return prefixed(r, "extension descriptor ", pop_context(r));
	case 'M':
		return prefixed(r, "module descriptor ", pop_module(r));
	case 'Y':
		second = pop(r);
		return second == 0 ? 0 : prefixed(r, "anonymous descriptor ", pop_context(r));
	case 'X':
		return prefixed(r, "anonymous descriptor ", pop_context(r));
	default:
		return 0;
	}
}

static uint16_t read_record(struct swift_reader *r)
{
	uint32_t index;
	uint16_t first, second;
	bool found = false;
	uint8_t letter = take(r);
	uint16_t ref = read_symbol(r, records, COUNT(records), letter, &found);
	if (found)
		return ref;
	switch (letter) {
	case 'P':
	case 'p':
		return NODE(r, KIND_CONFORMANCE_REF, pop_protocol(r));
	/* a conformance: its conditions, a reference to it and the type are on the stack */
	case 'C':
		if (pop_list(r, KIND_CONFORMANCE_LIST, pop_any_conformance) == 0)
			return 0;
		first = pop_kind(r, KIND_CONFORMANCE_REF);
		if (first == 0) {
			first = pop_module(r);
			second = pop_protocol(r);
			if (first == 0 || second == 0)
				return 0;
		}
		return pop_type(r) == 0 ? 0 : leaf(r, KIND_ANY_CONFORMANCE, 0);
	case 'X':
		return pop_list(r, KIND_CONFORMANCE_LIST, pop_any_conformance) == 0
		               ? 0
		               : leaf(r, KIND_ANY_CONFORMANCE, 0);
	case 'D':
	case 'O':
	case 'I':
	case 'A':
		if (!read_index(r, &index) || index == 0)
			return 0;
		if (letter == 'A') { /* an associated conformance, given by a path and a protocol */
			second = pop_protocol(r);
			first = pop_associated_path(r);
			if (first == 0 || second == 0 || pop_any_conformance(r) == 0)
				return 0;
		} else if (pop_protocol(r) == 0 ||
		           (letter == 'I' ? pop_any_conformance(r) : pop_type(r)) == 0)
			return 0;
		return leaf(r, KIND_ANY_CONFORMANCE, 0);
	case 'F':
		return words(r, KIND_ATTRIBUTE, "accessible function runtime record for ");
	default:
		return 0;
	}
}

static uint16_t read_retroactive(struct swift_reader *r)
{
	uint32_t index;
	return read_index(r, &index) && pop_any_conformance(r) != 0
	               ? leaf(r, KIND_RETROACTIVE, index)
	               : 0;
}

static uint16_t read_value_witness(struct swift_reader *r)
{
	static const struct {
		char letters[3];
		const char *name;
	} names[] = {
		{ "al", "allocateBuffer" },
		{ "ca", "assignWithCopy" },
		{ "ta", "assignWithTake" },
		{ "de", "deallocateBuffer" },
		{ "xx", "destroy" },
		{ "XX", "destroyBuffer" },
		{ "Xx", "destroyArray" },
		{ "CP", "initializeBufferWithCopyOfBuffer" },
		{ "Cp", "initializeBufferWithCopy" },
		{ "cp", "initializeWithCopy" },
		{ "Tk", "initializeBufferWithTake" },
		{ "tk", "initializeWithTake" },
		{ "pr", "projectBuffer" },
		{ "TK", "initializeBufferWithTakeOfBuffer" },
		{ "Cc", "initializeArrayWithCopy" },
		{ "Tt", "initializeArrayWithTakeFrontToBack" },
		{ "tT", "initializeArrayWithTakeBackToFront" },
		{ "xs", "storeExtraInhabitant" },
		{ "xg", "getExtraInhabitantIndex" },
		{ "ug", "getEnumTag" },
		{ "up", "destructiveProjectEnumData" },
		{ "ui", "destructiveInjectEnumTag" },
		{ "et", "getEnumTagSinglePayload" },
		{ "st", "storeEnumTagSinglePayload" },
	};
	char first = (char)take(r), second = (char)take(r);
	for (size_t i = 0; i < COUNT(names); i++)
		if (names[i].letters[0] == first && names[i].letters[1] == second)
			return with_text(r, NODE(r, KIND_VALUE_WITNESS, pop_type(r)),
			                 names[i].name);
	return 0;
}

/* Read 'WO': an operation on values that the compiler moved to a separate function ("outlined"). */
static uint16_t read_outlined(struct swift_reader *r)
{
	static const struct letter_words operations[] = {
		{ 'y', "outlined copy of " },
		{ 'e', "outlined consume of " },
		{ 'r', "outlined retain of " },
		{ 's', "outlined release of " },
		{ 'b', "outlined init with take of " },
		{ 'B', "outlined init with take of " },
		{ 'c', "outlined init with copy of " },
		{ 'C', "outlined init with copy of " },
		{ 'd', "outlined assign with take of " },
		{ 'D', "outlined assign with take of " },
		{ 'f', "outlined assign with copy of " },
		{ 'F', "outlined assign with copy of " },
		{ 'h', "outlined destroy of " },
		{ 'H', "outlined destroy of " },
		{ 'g', "outlined enum get tag of " },
		{ 'i', "outlined enum tag store of " },
		{ 'j', "outlined enum project data for load of " },
	};
	uint8_t letter = take(r);
	uint32_t index;
	uint16_t signature = pop_signature(r), type = pop_type(r);
	if (!WORDS_OF(operations, letter) || type == 0 ||
	    ((letter == 'i' || letter == 'j') && !read_index(r, &index)))
		return 0;
	type = with_text(r, SOME(r, KIND_OUTLINED, type, signature), WORDS_OF(operations, letter));
	return with_number(r, type, strchr("yers", letter) != NULL);
}

/*
 * Read 'WZ' or 'Wz': the one-time initialization function of global variables, or its token. The
 * names of the variables are on the stack.
 */
static uint16_t read_once(struct swift_reader *r, const char *text)
{
	enum { NAMES = 64 };
	uint16_t child[NAMES + 1];
	size_t n = 0;
	while (pop_kind(r, KIND_FIRST_ELEMENT) != 0) {
		uint16_t name = pop_decl_name(r);
		if (name == 0)
			return 0;
		if (n == NAMES)
			return exhaust(r);
		child[NAMES - n++] = name;
	}
	child[NAMES - n] = pop_context(r);
	return with_text(r, make(r, KIND_ONCE, &child[NAMES - n], n + 1), text);
}

static uint16_t read_witness(struct swift_reader *r)
{
	uint16_t first, second, third;
	bool found = false;
	uint8_t letter = take(r);
	uint16_t ref = read_symbol(r, witnesses, COUNT(witnesses), letter, &found);
	if (found)
		return ref;
	switch (letter) {
	case 'v':
		switch (take(r)) {
		case 'd':
			return prefixed(r, "direct field offset for ", pop_entity(r));
		case 'i':
			return prefixed(r, "indirect field offset for ", pop_entity(r));
		default:
			return 0;
		}
	case 'l':
	case 'L':
		first = pop_conformance(r);
		second = pop_type(r);
		return with_text(r, NODE(r, KIND_LAZY_TABLE, second, first),
		                 letter == 'l'
		                         ? "lazy protocol witness table accessor for type "
		                         : "lazy protocol witness table cache variable for type ");
	case 't':
		first = pop_decl_name(r);
		second = pop_conformance(r);
		return with_text(r, NODE(r, KIND_ASSOCIATED_ACCESS, second, first),
		                 "associated type metadata accessor for ");
	case 'T':
		first = pop_type(r);
		second = pop_associated_path(r);
		third = pop_conformance(r);
		return with_text(r, NODE(r, KIND_ASSOCIATED_ACCESS, third, second, first),
		                 "associated type witness table accessor for ");
	case 'b':
		first = pop_type(r);
		second = pop_conformance(r);
		return with_text(r, NODE(r, KIND_ASSOCIATED_ACCESS, second, first),
		                 "base witness table accessor for ");
	case 'O':
		return read_outlined(r);
	case 'Z':
		return read_once(r, "one-time initialization function for ");
	case 'z':
		return read_once(r, "one-time initialization token for ");
	default:
		return 0;
	}
}

/*
 * Read the flags and the number of the compiler pass, which precede the arguments of a
 * specialization. Of the flags, only 'q' (serialized) is printed. Set *serialized to a node for
 * this flag, or to 0 if it is absent.
 */
static bool read_pass(struct swift_reader *r, uint16_t *serialized)
{
	take_if(r, 'm');
	*serialized = take_if(r, 'q') ? leaf(r, KIND_SERIALIZED, 0) : 0;
	take_if(r, 'a');
	return is_digit(take(r));
}

static uint16_t read_generic_specialization(struct swift_reader *r, const char *text, bool one)
{
	uint16_t serialized;
	if (!read_pass(r, &serialized))
		return 0;
	uint16_t types =
		one ? NODE(r, KIND_TYPE_LIST, pop_type(r)) : pop_list(r, KIND_TYPE_LIST, pop_type);
	return types == 0 ? 0 : with_text(r, SOME(r, KIND_SPECIALIZATION, types, serialized), text);
}

/*
 * Replace a mangled name in an argument by its tree. The nested reader uses the rest of the same
 * working memory. If the name cannot be read, it is kept as a string.
 */
static uint16_t read_payload(struct swift_reader *r, uint16_t name)
{
	struct cairn_bytes text = { (const uint8_t *)at(r, name)->text, at(r, name)->size };
	if (!swift_is_mangled(text) || r->nested == SWIFT_NESTED ||
	    text.size > SWIFT_PAYLOADS - r->payloads)
		return name;
	struct swift_reader inner = { .w = r->w,
		                      .in = text,
		                      .nodes = r->nodes,
		                      .children = r->children,
		                      .top = r->top,
		                      .bottom = r->top,
		                      .substitutions = r->substitutions,
		                      .first_substitution = r->substitutions,
		                      .pool = r->pool,
		                      .nested = r->nested + 1,
		                      .payloads = r->payloads + text.size };
	uint16_t global = swift_read(&inner);
	r->exhausted |= inner.exhausted;
	r->payloads = inner.payloads;
	if (global == 0)
		return name;
	r->nodes = inner.nodes;
	r->children = inner.children;
	r->pool = inner.pool;
	return global;
}

/*
 * Read how a function signature specialization changed one argument. Return false for an unknown
 * letter.
 */
static bool read_change(struct swift_reader *r, uint32_t *change, uint16_t *payload)
{
	static const struct letter_words encodings[] = { { 'b', "u8" },
		                                         { 'w', "u16" },
		                                         { 'c', "objc" } };
	struct cairn_bytes digits;
	uint8_t letter;
	*change = 0;
	*payload = 0;
	switch (take(r)) {
	case 'n':
		return true;
	case 'c':
		*change = CHANGED_CLOSURE;
		return true;
	case 'p':
		switch (take(r)) {
		case 'f':
			*change = CHANGED_FUNCTION;
			return true;
		case 'g':
			*change = CHANGED_GLOBAL;
			return true;
		case 'k':
			*change = CHANGED_KEY_PATH;
			return true;
		case 'S':
			*change = CHANGED_STRUCT;
			return true;
		case 'i':
		case 'd':
			*change = r->in.data[r->at - 1] == 'i' ? CHANGED_INTEGER : CHANGED_FLOAT;
			digits = (struct cairn_bytes){ r->in.data + r->at, 0 };
			while (is_digit(peek(r)) || peek(r) == '-')
				r->at++;
			digits.size = (size_t)(r->in.data + r->at - digits.data);
			*payload = leaf(r, KIND_IDENTIFIER, 0);
			if (digits.size == 0 || *payload == 0)
				return false;
			at(r, *payload)->text = (const char *)digits.data;
			at(r, *payload)->size = (uint16_t)digits.size;
			return true;
		case 's':
			*change = CHANGED_STRING;
			letter = take(r);
			if (!WORDS_OF(encodings, letter))
				return false;
			*payload = words(r, KIND_IDENTIFIER, WORDS_OF(encodings, letter));
			return *payload != 0;
		default:
			return false;
		}
	case 'e':
		*change = CHANGED_TO_GENERIC;
		if (take_if(r, 'D'))
			*change |= CHANGED_DEAD;
		break;
	case 'd':
		*change = CHANGED_DEAD;
		break;
	case 'g':
		*change = CHANGED_TO_GUARANTEED;
		break;
	case 'o':
		*change = CHANGED_TO_OWNED;
		break;
	case 'x':
		*change = CHANGED_EXPLODED;
		return true;
	case 'i':
		*change = CHANGED_BOX_TO_VALUE;
		return true;
	case 's':
		*change = CHANGED_BOX_TO_STACK;
		return true;
	case 'r':
		*change = CHANGED_INOUT_TO_OUT;
		return true;
	default:
		return false;
	}
	if (!(*change & (CHANGED_TO_GUARANTEED | CHANGED_TO_OWNED))) {
		if (take_if(r, 'G'))
			*change |= CHANGED_TO_GUARANTEED;
		if (take_if(r, 'O'))
			*change |= CHANGED_TO_OWNED;
	}
	if (take_if(r, 'X'))
		*change |= CHANGED_EXPLODED;
	return true;
}

static uint16_t read_signature_specialization(struct swift_reader *r)
{
	enum { ARGUMENTS = 128 };
	uint16_t argument[ARGUMENTS];
	uint32_t change[ARGUMENTS];
	size_t n = 0;
	uint32_t result = 0;
	uint16_t payload, serialized;
	if (!read_pass(r, &serialized))
		return 0;
	while (!take_if(r, '_')) {
		if (n == ARGUMENTS)
			return exhaust(r);
		if (!read_change(r, &change[n], &argument[n]))
			return 0;
		n++;
	}
	if (!take_if(r, 'n') && !read_change(r, &result, &payload))
		return 0;
	/* The names and types of the arguments are on the stack, with the last argument on top. */
	for (size_t i = n; i-- > 0;) {
		unsigned end = r->top, begin = end;
		uint16_t name = 0, types = 0;
		bool typed = change[i] == CHANGED_CLOSURE || change[i] == CHANGED_KEY_PATH;
		if (typed || change[i] == CHANGED_FUNCTION || change[i] == CHANGED_GLOBAL ||
		    change[i] == CHANGED_STRING) {
			for (uint16_t type; typed && (type = pop_type(r)) != 0;)
				r->w->stack[--begin] = type;
			types = make(r, KIND_TYPE_LIST, &r->w->stack[begin], end - begin);
			name = pop_kind(r, KIND_IDENTIFIER);
			if (types == 0 || name == 0)
				return 0;
			if (change[i] == CHANGED_STRING && at(r, name)->text[0] == '_') {
				/* copy the node, because other nodes may share it */
				struct swift_node copy = *at(r, name);
				if ((name = leaf(r, KIND_IDENTIFIER, 0)) == 0)
					return 0;
				at(r, name)->text = copy.text + 1;
				at(r, name)->size = (uint16_t)(copy.size - 1);
			} else if (change[i] != CHANGED_STRING)
				name = read_payload(r, name);
		}
		argument[i] = with_number(
			r, SOME(r, KIND_ARGUMENT_CHANGED, argument[i], name, types), change[i]);
	}
	uint16_t arguments = make(r, KIND_TYPE_LIST, argument, n);
	uint16_t returned = leaf(r, KIND_ARGUMENT_CHANGED, result);
	if (arguments == 0 || returned == 0)
		return 0;
	return with_number(r,
	                   with_text(r,
	                             SOME(r, KIND_SPECIALIZATION, arguments, returned, serialized),
	                             "function signature specialization"),
	                   1);
}

static uint16_t read_key_path(struct swift_reader *r, const char *text)
{
	unsigned end = r->top, begin = end;
	for (uint16_t type; (type = pop_type(r)) != 0;)
		r->w->stack[--begin] = type;
	uint16_t types = make(r, KIND_TYPE_LIST, &r->w->stack[begin], end - begin);
	uint16_t signature = pop_signature(r);
	uint16_t entity = pop(r);
	return entity == 0 || types == 0
	               ? 0
	               : with_text(r, SOME(r, KIND_KEY_PATH, entity, signature, types), text);
}

static uint16_t read_key_path_helper(struct swift_reader *r, const char *text)
{
	take_if(r, 'q');
	uint16_t signature = pop_signature(r);
	unsigned end = r->top, begin = end;
	for (uint16_t type; (type = pop_type(r)) != 0;)
		r->w->stack[--begin] = type;
	uint16_t types = make(r, KIND_TYPE_LIST, &r->w->stack[begin], end - begin);
	return types == 0 || begin == end
	               ? 0
	               : with_text(r, SOME(r, KIND_KEY_PATH_HELPER, types, signature), text);
}

static uint16_t read_reabstraction(struct swift_reader *r, const char *text, bool with_self)
{
	uint16_t signature = pop_signature(r);
	uint16_t self = with_self ? pop_type(r) : 0;
	uint16_t to = pop_type(r), from = pop_type(r);
	if (to == 0 || from == 0 || (with_self && self == 0))
		return 0;
	uint16_t ref = SOME(r, KIND_REABSTRACTION, from, to, self, signature);
	return with_number(r, with_text(r, ref, text), with_self);
}

/*
 * Read 'TJ': derivatives of functions and their thunks. All nodes on the stack belong to the
 * function. Subsets of its parameters and results are strings of 'S' (in the subset) and 'U' (not
 * in it).
 */
static uint16_t read_derivative(struct swift_reader *r)
{
	bool reorders = take_if(r, 'O'), subset = !reorders && take_if(r, 'S');
	bool vtable = !reorders && !subset && take_if(r, 'V');
	uint16_t of = make(r, KIND_TYPE_LIST, &r->w->stack[r->bottom], r->top - r->bottom);
	r->top = r->bottom;
	uint8_t kind = take(r);
	if (of == 0 || at(r, of)->count == 0 || kind == 0 || strchr("frdp", kind) == NULL)
		return 0;
	uint16_t subsets[3] = { 0, 0, 0 };
	for (int i = 0; !reorders && i < (subset ? 3 : 2); i++) {
		size_t begin = r->at;
		while (take_if(r, 'S') || take_if(r, 'U'))
			;
		subsets[i] = leaf(r, KIND_IDENTIFIER, 0);
		if (subsets[i] == 0 || r->at == begin)
			return 0;
		at(r, subsets[i])->text = (const char *)r->in.data + begin;
		at(r, subsets[i])->size = (uint16_t)(r->at - begin);
		if (!take_if(r, "prP"[i]))
			return 0;
	}
	uint16_t list = make_some(r, KIND_TYPE_LIST, subsets, COUNT(subsets));
	return with_number(r,
	                   with_text(r, NODE(r, KIND_DERIVATIVE, of, list),
	                             reorders ? "autodiff self-reordering reabstraction thunk "
	                             : subset ? "autodiff subset parameters thunk for "
	                             : vtable ? "vtable thunk for "
	                                      : ""),
	                   kind);
}

static uint16_t read_thunk(struct swift_reader *r)
{
	uint32_t index;
	uint16_t first, second, third;
	bool found = false;
	uint8_t letter = take(r);
	uint16_t ref = read_symbol(r, thunks, COUNT(thunks), letter, &found);
	if (found)
		return ref;
	if (WORDS_OF(thunk_attributes, letter))
		return words(r, KIND_ATTRIBUTE, WORDS_OF(thunk_attributes, letter));
	if (WORDS_OF(omitted_attributes, letter))
		return words(r, KIND_OMITTED_ATTRIBUTE, WORDS_OF(omitted_attributes, letter));
	switch (letter) {
	case 'a':
		return words(r, KIND_PARTIAL_APPLY, "partial apply ObjC forwarder");
	case 'A':
		return words(r, KIND_PARTIAL_APPLY, "partial apply forwarder");
	case 'J':
		return read_derivative(r);
	case 'Y':
	case 'Q':
		if (!read_index(r, &index))
			return 0;
		return with_number(r,
		                   words(r, KIND_RESUME,
		                         letter == 'Y' ? " suspend resume partial function for "
		                                       : " await resume partial function for "),
		                   index);
	case 'V':
		first = pop_entity(r);
		second = pop_entity(r);
		return NODE(r, KIND_VTABLE_THUNK, second, first);
	case 'W':
		first = pop_entity(r);
		return NODE(r, KIND_WITNESS, pop_conformance(r), first);
	case 'R':
		return read_reabstraction(r, "reabstraction thunk helper ", false);
	case 'r':
		return read_reabstraction(r, "reabstraction thunk ", false);
	case 'y':
		return read_reabstraction(r, "reabstraction thunk ", true);
	case 'U':
		first = pop_type(r);
		return NODE(r, KIND_ACTOR_THUNK, pop(r), first);
	case 'z':
	case 'Z':
		if (!read_index(r, &index))
			return 0;
		first = pop_signature(r);
		second = pop_type(r);
		third = pop_type(r);
		if (second == 0 || third == 0)
			return 0;
		return with_text(
			r, SOME(r, KIND_COMPLETION, third, second, first),
			letter == 'z'
				? "@objc completion handler block implementation for "
				: "predefined @objc completion handler block implementation for ");
	case 't': /* the number of dropped arguments is not printed */
		do
			if (is_digit(peek(r)) && !read_natural(r, &index))
				return 0;
		while (take_if(r, 't'));
		letter = take(r);
		if (letter == 'g' || letter == 'B')
			return read_generic_specialization(r, "generic specialization", false);
		if (letter == 'G')
			return read_generic_specialization(
				r, "generic not re-abstracted specialization", false);
		return 0;
	case 'g':
	case 'B':
		return read_generic_specialization(r, "generic specialization", false);
	case 'G':
		return read_generic_specialization(r, "generic not re-abstracted specialization",
		                                   false);
	case 's':
		return read_generic_specialization(r, "generic pre-specialization", false);
	case 'i':
		return read_generic_specialization(r, "inlined generic function", false);
	case 'p':
		return with_number(
			r, read_generic_specialization(r, "generic partial specialization", true),
			2);
	case 'P':
		return with_number(
			r,
			read_generic_specialization(
				r, "generic not-reabstracted partial specialization", true),
			2);
	case 'f':
		return read_signature_specialization(r);
	case 'K':
		return read_key_path(r, "key path getter for ");
	case 'k':
		return read_key_path(r, "key path setter for ");
	case 'H':
		return read_key_path_helper(r, "key path index equality operator for ");
	case 'h':
		return read_key_path_helper(r, "key path index hash operator for ");
	case 'l':
		return prefixed(r, "associated type descriptor for ", pop_associated_name(r));
	case 'M':
		return prefixed(r, "default associated type metadata accessor for ",
		                pop_associated_name(r));
	case 'n':
	case 'N':
		first = pop_protocol(r);
		second = pop_associated_path(r);
		third = pop_type(r);
		return with_text(r, NODE(r, KIND_ASSOCIATED_ACCESS, third, second, first),
		                 letter == 'n' ? "associated conformance descriptor for "
		                               : "default associated conformance accessor for ");
	case 'b':
		first = pop_protocol(r);
		return with_text(r, NODE(r, KIND_ASSOCIATED_ACCESS, pop_type(r), first),
		                 "base conformance descriptor for ");
	case 'v':
		if (!read_index(r, &index))
			return 0;
		return with_number(r, words(r, KIND_OUTLINED_VARIABLE, "outlined variable #"),
		                   index);
	case 'w':
		letter = take(r);
		return WORDS_OF(newer_attributes, letter)
		               ? words(r, KIND_ATTRIBUTE, WORDS_OF(newer_attributes, letter))
		               : 0;
	default:
		return 0;
	}
}

static uint16_t read_integer(struct swift_reader *r)
{
	uint32_t value;
	bool negative = take_if(r, 'n');
	if (!read_index(r, &value))
		return 0;
	return as_type(with_text(r, leaf(r, KIND_INTEGER, value), negative ? "-" : ""));
}

/* Read one operator and return the node to push, or 0 if the name is invalid. */
static uint16_t read_one(struct swift_reader *r)
{
	uint16_t ref;
	switch (peek(r)) {
	case '0':
	case '1':
	case '2':
	case '3':
	case '4':
	case '5':
	case '6':
	case '7':
	case '8':
	case '9':
		return read_identifier(r);
	default:
		break;
	}
	switch (take(r)) {
	case 'A':
		return read_substitutions(r);
	case 'B':
		return read_builtin(r);
	case 'C':
		return read_nominal(r, KIND_CLASS);
	case 'D':
		return NODE(r, KIND_TYPE_MANGLING, pop_type(r));
	case 'E':
		return read_extension(r);
	case 'F':
		return read_function(r);
	case 'G':
		return read_bound(r);
	case 'H':
		return read_record(r);
	case 'I':
		return read_lowered_function(r);
	case 'K':
		return leaf(r, KIND_THROWS, 0);
	case 'L':
		return read_local_name(r);
	case 'M':
		return read_metadata(r);
	case 'N':
		return prefixed(r, "type metadata for ", pop_type(r));
	case 'O':
		return read_nominal(r, KIND_ENUM);
	case 'P':
		return read_nominal(r, KIND_PROTOCOL);
	case 'Q':
		return read_archetype(r);
	case 'R':
		return read_requirement(r);
	case 'S':
		return read_standard(r);
	case 'T':
		return read_thunk(r);
	case 'V':
		return read_nominal(r, KIND_STRUCTURE);
	case 'W':
		return read_witness(r);
	case 'X':
		return read_special_type(r);
	case 'Y':
		return read_annotation(r);
	case 'Z':
		return NODE(r, KIND_STATIC, pop_entity(r));
	case 'a':
		return read_nominal(r, KIND_ALIAS);
	case 'c':
		return pop_function_type(r, "");
	case 'd':
		return leaf(r, KIND_VARIADIC, 0);
	case 'f':
		return read_unnamed_function(r);
	case 'g':
		return read_retroactive(r);
	case 'h':
		return wrap_type(r, "__shared ");
	case 'i':
		return read_subscript(r);
	case 'l':
		return read_signature(r, false);
	case 'm':
		return read_metatype(r, false, false);
	case 'n':
		return wrap_type(r, "__owned ");
	case 'o':
		return read_operator(r);
	case 'p':
		return as_type(pop_list(r, KIND_PROTOCOLS, pop_protocol));
	case 'q':
		return as_type(read_parameter(r));
	case 'r':
		return read_signature(r, true);
	case 's':
		return module_named(r, "Swift");
	case 't':
		return as_type(pop_list(r, KIND_TUPLE, pop_tuple_element));
	case 'u':
		return read_dependent(r);
	case 'v':
		return read_accessor(r, read_typed_entity(r, KIND_VARIABLE));
	case 'w':
		return read_value_witness(r);
	case 'x':
		return as_type(parameter(r, 0, 0));
	case 'y':
		return leaf(r, KIND_EMPTY_LIST, 0);
	case 'z':
		return wrap_type(r, "inout ");
	case '_':
		return leaf(r, KIND_FIRST_ELEMENT, 0);
	case '$':
		return read_integer(r);
	case '.':
		/*
		 * Compilers append "." and a number to the name of a copied function. Read such a
		 * suffix, which extends from the "." to the end.
		 */
		ref = leaf(r, KIND_SUFFIX, 0);
		if (ref != 0) {
			at(r, ref)->text = (const char *)r->in.data + r->at - 1;
			at(r, ref)->size = (uint16_t)(r->in.size - r->at + 1);
		}
		r->at = r->in.size;
		return ref;
	default:
		return 0;
	}
}

static size_t prefix_size(struct cairn_bytes name)
{
	size_t at = name.size > 0 && name.data[0] == '_';
	bool known =
		name.size - at >= 2 && name.data[at] == '$' &&
		(name.data[at + 1] == 's' || name.data[at + 1] == 'S' || name.data[at + 1] == 'e');
	return known ? at + 2 : 0;
}

bool swift_is_mangled(struct cairn_bytes name)
{
	return prefix_size(name) != 0;
}

uint16_t swift_read(struct swift_reader *r)
{
	enum { ATTRIBUTES = 32 };
	uint16_t attribute[ATTRIBUTES];
	size_t attributes = 0;

	r->at = prefix_size(r->in);
	if (r->at == 0 || r->at == r->in.size)
		return 0;
	while (r->at < r->in.size)
		if (!push(r, read_one(r)))
			return 0;

	uint16_t suffix = pop_kind(r, KIND_SUFFIX);
	for (uint16_t each; (each = pop_among(r, KIND_ATTRIBUTE, KIND_ATTRIBUTE_END - 1)) != 0;) {
		if (attributes == ATTRIBUTES)
			return exhaust(r);
		attribute[attributes++] = each;
	}
	if (suffix != 0 && !push(r, suffix))
		return 0;
	unsigned rest = r->top - r->bottom;
	if (rest == 0)
		return 0;
	/* Put the attributes before the other nodes, in reverse order. */
	if (r->top + attributes > SWIFT_STACK)
		return exhaust(r);
	uint16_t *all = &r->w->stack[r->bottom];
	memmove(all + attributes, all, rest * sizeof(all[0]));
	memcpy(all, attribute, attributes * sizeof(all[0]));
	r->top = r->bottom;
	return make(r, KIND_GLOBAL, all, attributes + rest);
}

size_t swift_demangle(struct swift_names *work, struct cairn_bytes name, enum swift_form form,
                      char *out, size_t capacity, bool *exhausted)
{
	*exhausted = name.size > SWIFT_NAME_MAX;
	work->steps = 0;
	if (*exhausted)
		return 0;
	struct swift_reader r = { .w = work, .in = name, .nodes = 1 };
	/* node 0 stands for a missing child and prints nothing */
	work->node[0] = (struct swift_node){ .kind = KIND_NONE, .text = "" };
	uint16_t global = swift_read(&r);
	*exhausted = global == 0 && r.exhausted;
	work->steps = (unsigned)name.size;
	if (global == 0)
		return 0;
	unsigned steps = SWIFT_STEPS + SWIFT_STEPS_TIMES * (unsigned)name.size, left = steps;
	size_t size = swift_print(work, global, form, &left, out, capacity, exhausted);
	work->steps += steps - left;
	return size;
}

char swift_funclet(struct cairn_bytes name)
{
	enum { SUFFIX_MIN = 4 }; /* size of the shortest suffix, such as "TY0_" */
	size_t at = name.size;

	if (at < SUFFIX_MIN || name.data[--at] != '_')
		return 0;
	while (at > 0 && name.data[at - 1] >= '0' && name.data[at - 1] <= '9')
		at--;
	if (at == name.size - 1 || at < 2 || name.data[at - 2] != 'T')
		return 0;
	return name.data[at - 1] == 'Y' || name.data[at - 1] == 'Q' ? (char)name.data[at - 1] : 0;
}
