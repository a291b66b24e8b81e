/* SPDX-License-Identifier: MIT */
/*
 * Prints the tree of a Swift name in the same form as Swift's own tools.
 *
 * The context of an entity precedes its name in "Deck.park(_:)", but follows it in "closure #1 in
 * f(_:)". If the caller prints a context in front of something else (`in_front`), print() may
 * therefore return an entity instead of printing it, and the caller prints that entity last.
 * Otherwise print() prints everything and returns 0.
 */
#include "mangled_node.h"

#include <string.h>

struct printer {
	const struct swift_names *w;
	char *out;
	size_t size, capacity;
	unsigned steps, depth;
	bool full, failed;
	bool plain;       /* print Optional<T> instead of T?, as Swift does in nested names */
	bool specialized; /* "specialized" was printed, which the short form prints only once */
};

static uint16_t print(struct printer *p, uint16_t ref, bool in_front);

static const struct swift_node *node_of(const struct printer *p, uint16_t ref)
{
	return &p->w->node[ref & ~SWIFT_TYPE];
}

static uint8_t kind_of(const struct printer *p, uint16_t ref)
{
	return ref == 0 ? KIND_NONE : node_of(p, ref)->kind;
}

static uint16_t child_of(const struct printer *p, uint16_t ref, unsigned i)
{
	const struct swift_node *node = node_of(p, ref);
	return i < node->count ? p->w->children[node->child + i] : 0;
}

static void put(struct printer *p, const char *text, size_t size)
{
	if (p->failed || size > p->capacity - p->size) {
		p->failed = true;
		return;
	}
	memcpy(p->out + p->size, text, size);
	p->size += size;
}

static void put_words(struct printer *p, const char *text)
{
	put(p, text, strlen(text));
}

static void put_text(struct printer *p, uint16_t ref)
{
	put(p, node_of(p, ref)->text, node_of(p, ref)->size);
}

static void put_number(struct printer *p, uint32_t number)
{
	char digits[10];
	size_t at = sizeof(digits);
	do
		digits[--at] = (char)('0' + number % 10);
	while ((number /= 10) > 0);
	put(p, digits + at, sizeof(digits) - at);
}

static void print_all(struct printer *p, uint16_t ref, unsigned from, const char *separator)
{
	for (unsigned i = from; i < node_of(p, ref)->count; i++) {
		if (i > from)
			put_words(p, separator);
		print(p, child_of(p, ref, i), false);
	}
}

static uint16_t find_kind(const struct printer *p, uint16_t ref, uint8_t kind)
{
	for (unsigned i = 0; i < node_of(p, ref)->count; i++)
		if (kind_of(p, child_of(p, ref, i)) == kind)
			return child_of(p, ref, i);
	return 0;
}

static uint16_t find_type(const struct printer *p, uint16_t ref)
{
	for (unsigned i = 1; i < node_of(p, ref)->count; i++)
		if (child_of(p, ref, i) & SWIFT_TYPE)
			return child_of(p, ref, i);
	return 0;
}

/* Return true if a type needs no parentheses before '?' or ".Type". */
static bool is_simple(const struct printer *p, uint16_t type)
{
	switch (kind_of(p, type)) {
	case KIND_FUNCTION_TYPE:
	case KIND_LOWERED_FUNCTION:
	case KIND_PROTOCOLS_CLASS:
	case KIND_PACK_EXPANSION:
	case KIND_PACK_ELEMENT:
	case KIND_OPAQUE:
		return false;
	case KIND_PROTOCOLS:
		return node_of(p, type)->count <= 1;
	case KIND_PROTOCOLS_ANY:
		return node_of(p, child_of(p, type, 0))->count == 0;
	case KIND_WORDS:
		return node_of(p, type)->count == 0;
	default:
		return true;
	}
}

static void print_in_parentheses(struct printer *p, uint16_t type)
{
	bool simple = is_simple(p, type);
	if (!simple)
		put_words(p, "(");
	print(p, type, false);
	if (!simple)
		put_words(p, ")");
}

/* Return true if `type` is the type called `name` in the module Swift. */
static bool is_swifts(const struct printer *p, uint16_t type, const char *name)
{
	uint16_t module = child_of(p, type, 0), own = child_of(p, type, 1);
	return kind_of(p, module) == KIND_MODULE && node_of(p, module)->size == 5 &&
	       memcmp(node_of(p, module)->text, "Swift", 5) == 0 && own != 0 &&
	       node_of(p, own)->size == strlen(name) &&
	       memcmp(node_of(p, own)->text, name, node_of(p, own)->size) == 0;
}

static void print_bound(struct printer *p, uint16_t ref)
{
	uint16_t type = child_of(p, ref, 0), arguments = child_of(p, ref, 1);
	uint8_t kind = kind_of(p, type);
	unsigned count = node_of(p, arguments)->count;
	bool sugar = node_of(p, ref)->count == 2 && !p->plain;
	if (sugar && kind == KIND_ENUM && count == 1 && is_swifts(p, type, "Optional")) {
		print_in_parentheses(p, child_of(p, arguments, 0));
		put_words(p, "?");
	} else if (sugar && kind == KIND_STRUCTURE &&
	           ((count == 1 && is_swifts(p, type, "Array")) ||
	            (count == 2 && is_swifts(p, type, "Dictionary")))) {
		put_words(p, "[");
		print_all(p, arguments, 0, " : ");
		put_words(p, "]");
	} else if (sugar && kind == KIND_PROTOCOL) {
		print_all(p, arguments, 0, ", ");
		put_words(p, " as ");
		print(p, type, false);
	} else {
		print(p, type, false);
		put_words(p, "<");
		print_all(p, arguments, 0, ", ");
		put_words(p, ">");
	}
}

static void print_parameter_name(struct printer *p, uint32_t depth, uint32_t index)
{
	do {
		char letter = (char)('A' + index % 26);
		put(p, &letter, 1);
		index /= 26;
	} while (index > 0);
	if (depth > 0)
		put_number(p, depth);
}

/*
 * Return the requirement that declares a generic parameter as a pack or a value, or 0. Swift's
 * printer compares the depth with the index and vice versa, so it prints "each" only for some packs
 * such as the first parameter. We do the same.
 */
static uint16_t find_marker(const struct printer *p, uint16_t signature, uint32_t depth,
                            uint32_t index)
{
	const struct swift_node *node = node_of(p, signature);
	for (unsigned i = node->number; i < node->count; i++) {
		uint16_t marker = child_of(p, signature, i);
		uint8_t kind = kind_of(p, marker);
		if (kind != KIND_PACK_PARAMETER && kind != KIND_VALUE_PARAMETER)
			continue;
		const struct swift_node *parameter = node_of(p, child_of(p, marker, 0));
		if (parameter->kind == KIND_PARAMETER && parameter->size == index &&
		    parameter->number == depth)
			return marker;
	}
	return 0;
}

static void print_signature(struct printer *p, uint16_t ref)
{
	/* maximum number of printed parameters per level; Swift's printer has the same limit */
	enum { SHOWN = 128 };
	const struct swift_node *node = node_of(p, ref);
	put_words(p, "<");
	for (unsigned depth = 0; depth < node->number; depth++) {
		if (depth > 0)
			put_words(p, "><");
		uint32_t count = node_of(p, child_of(p, ref, depth))->number;
		for (uint32_t index = 0; index < count && !p->failed; index++) {
			if (index > 0)
				put_words(p, ", ");
			if (index == SHOWN) {
				put_words(p, "...");
				break;
			}
			uint16_t marker = find_marker(p, ref, depth, index);
			if (marker != 0)
				put_words(p, kind_of(p, marker) == KIND_PACK_PARAMETER ? "each "
				                                                       : "let ");
			print_parameter_name(p, depth, index);
			if (kind_of(p, marker) == KIND_VALUE_PARAMETER) {
				put_words(p, ": ");
				print(p, child_of(p, marker, 1), false);
			}
		}
	}
	bool first = true;
	for (unsigned i = node->number; p->full && i < node->count; i++) {
		uint16_t requirement = child_of(p, ref, i);
		uint8_t kind = kind_of(p, requirement);
		if (kind == KIND_PACK_PARAMETER || kind == KIND_VALUE_PARAMETER)
			continue;
		put_words(p, first ? " where " : ", ");
		first = false;
		print(p, requirement, false);
	}
	put_words(p, ">");
}

/*
 * Print the space between a generic signature and the type that it applies to. Omit the space
 * before types that start with a bracket.
 */
static void print_space_before(struct printer *p, uint16_t type)
{
	uint8_t kind = kind_of(p, type);
	if (kind != KIND_FUNCTION_TYPE && kind != KIND_DEPENDENT_TYPE)
		put_words(p, " ");
}

static void print_arguments(struct printer *p, uint16_t labels, uint16_t arguments, bool types)
{
	uint16_t tuple = child_of(p, arguments, 0);
	if (kind_of(p, tuple) != KIND_TUPLE) {
		put_words(p, "(");
		if (types)
			print(p, tuple, false);
		else
			put_words(p, "_:");
		put_words(p, ")");
		return;
	}
	bool labelled = labels != 0 && node_of(p, labels)->count > 0;
	put_words(p, "(");
	for (unsigned i = 0; i < node_of(p, tuple)->count; i++) {
		uint16_t element = child_of(p, tuple, i);
		if (types && i > 0)
			put_words(p, ", ");
		if (labelled) {
			uint16_t label = child_of(p, labels, i);
			if (kind_of(p, label) == KIND_IDENTIFIER)
				put_text(p, label);
			else
				put_words(p, "_");
			put_words(p, types ? ": " : ":");
		} else if (!types) {
			if (node_of(p, element)->size > 0)
				put_text(p, element);
			else
				put_words(p, "_");
			put_words(p, ":");
		}
		if (types)
			print(p, element, false);
	}
	put_words(p, ")");
}

/* Print a function type. If it is the type of an entity, the short form prints only the labels. */
static void print_function_type(struct printer *p, uint16_t labels, uint16_t ref)
{
	const struct swift_node *node = node_of(p, ref);
	unsigned i = 0;
	bool sending = false, async = false, sendable = false;
	uint16_t throws = 0;
	if (node->count < 2) {
		p->failed = true;
		return;
	}
	for (; i + 2 < node->count; i++) {
		uint16_t part = child_of(p, ref, i);
		switch (kind_of(p, part)) {
		case KIND_SENDING_RESULT:
			sending = true;
			break;
		case KIND_THROWS:
			throws = part;
			break;
		case KIND_SENDABLE:
			sendable = true;
			break;
		case KIND_ASYNC:
			async = true;
			break;
		case KIND_DIFFERENTIABLE:
			switch (node_of(p, part)->number) {
			case 'f':
				put_words(p, "@differentiable(_forward) ");
				break;
			case 'r':
				put_words(p, "@differentiable(reverse) ");
				break;
			case 'l':
				put_words(p, "@differentiable(_linear) ");
				break;
			default:
				put_words(p, "@differentiable ");
			}
			break;
		case KIND_GLOBAL_ACTOR:
			put_words(p, "@");
			print(p, child_of(p, part, 0), false);
			put_words(p, " ");
			break;
		case KIND_ISOLATED_ANY:
			put_words(p, "@isolated(any) ");
			break;
		case KIND_CALLER_ISOLATED:
			put_words(p, "nonisolated(nonsending) ");
			break;
		default:
			break;
		}
	}
	if (sendable)
		put_words(p, "@Sendable ");
	print_arguments(p, labels, child_of(p, ref, i), p->full);
	if (!p->full)
		return;
	if (async)
		put_words(p, " async");
	if (throws != 0) {
		put_words(p, " throws");
		if (node_of(p, throws)->count > 0) {
			put_words(p, "(");
			print(p, child_of(p, throws, 0), false);
			put_words(p, ")");
		}
	}
	put_words(p, sending ? " -> sending " : " -> ");
	print(p, child_of(p, child_of(p, ref, i + 1), 0), false);
}

static void print_lowered_function(struct printer *p, uint16_t ref)
{
	enum { ATTRIBUTES, ARGUMENTS, RESULTS } state = ATTRIBUTES;
	uint16_t pattern = find_kind(p, ref, KIND_LOWERED_PATTERN);
	uint16_t invocation = find_kind(p, ref, KIND_LOWERED_INVOCATION);
	for (unsigned i = 0; i <= node_of(p, ref)->count; i++) {
		/*
		 * the iteration after the last part has part 0, which ends a parameter list that is
		 * still open
		 */
		uint16_t part = child_of(p, ref, i);
		uint8_t kind = kind_of(p, part);
		int target = kind == KIND_LOWERED_PART                  ? ARGUMENTS
		             : kind == KIND_LOWERED_RESULT || part == 0 ? RESULTS
		                                                        : -1;
		if (kind == KIND_LOWERED_PATTERN || kind == KIND_LOWERED_INVOCATION)
			continue;
		if (target < 0) {
			print(p, part, false);
			put_words(p, " ");
			continue;
		}
		if ((int)state == target && part != 0)
			put_words(p, ", ");
		if (state == ATTRIBUTES) {
			if (pattern != 0) {
				put_words(p, "@substituted ");
				print(p, child_of(p, pattern, 0), false);
				put_words(p, " ");
			}
			put_words(p, "(");
			state = ARGUMENTS;
		}
		if (state == ARGUMENTS && target == RESULTS) {
			put_words(p, ") -> (");
			state = RESULTS;
		}
		if (part != 0)
			print_all(p, part, 0, "");
	}
	put_words(p, ")");
	uint16_t lists[] = { pattern != 0 ? child_of(p, pattern, 1) : 0,
		             invocation != 0 ? child_of(p, invocation, 0) : 0 };
	for (int i = 0; i < 2; i++)
		if (lists[i] != 0) {
			put_words(p, " for <");
			print_all(p, lists[i], 0, "");
			put_words(p, ">");
		}
}

static void print_box(struct printer *p, uint16_t ref)
{
	uint16_t fields = child_of(p, ref, 0);
	if (node_of(p, ref)->count > 2) {
		print(p, child_of(p, ref, 1), false);
		put_words(p, " ");
	}
	put_words(p, "{ ");
	for (unsigned i = 0; i < node_of(p, fields)->count; i++) {
		uint16_t field = child_of(p, fields, i);
		bool mutable = kind_of(p, field) == KIND_WORDS && node_of(p, field)->size == 6 &&
		               memcmp(node_of(p, field)->text, "inout ", 6) == 0;
		if (i > 0)
			put_words(p, ", ");
		put_words(p, mutable ? "var " : "let ");
		print(p, mutable ? child_of(p, field, 0) : field, false);
	}
	put_words(p, " }");
	if (node_of(p, ref)->count > 2) {
		put_words(p, " <");
		print_all(p, child_of(p, ref, 2), 0, ", ");
		put_words(p, ">");
	}
}

static void print_sugar(struct printer *p, uint16_t ref)
{
	uint16_t first = child_of(p, ref, 0), second = child_of(p, ref, 1);
	switch (node_of(p, ref)->number) {
	case 'q':
		print_in_parentheses(p, first);
		put_words(p, "?");
		return;
	case 'p':
		put_words(p, "(");
		print(p, first, false);
		put_words(p, ")");
		return;
	default:
		put_words(p, "[");
		print(p, first, false);
		if (second != 0) {
			put_words(p, node_of(p, ref)->number == 'D' ? " : " : " of ");
			print(p, second, false);
		}
		put_words(p, "]");
	}
}

enum type_style { NO_TYPE, WITH_COLON, AS_FUNCTION };

struct entity {
	enum type_style style;
	bool has_name;
	const char *extra; /* text before the name, or after it if the text is one word */
	uint32_t number;   /* number after `extra`; 0 prints no number */
	const char *name;  /* text to print instead of the entity's own name */
};

static void print_entity_type(struct printer *p, uint16_t ref, uint16_t type, uint16_t arguments)
{
	uint16_t labels = find_kind(p, ref, KIND_LABELS);
	if (labels == 0 && arguments == 0) {
		print(p, type, false);
		return;
	}
	if (arguments != 0) {
		put_words(p, "<");
		print_all(p, arguments, 0, ", ");
		put_words(p, ">");
	}
	if (kind_of(p, type) == KIND_DEPENDENT_TYPE) {
		if (arguments == 0)
			print(p, child_of(p, type, 0), false);
		type = child_of(p, type, 1);
		print_space_before(p, type);
	}
	if (kind_of(p, type) == KIND_FUNCTION_TYPE) {
		put_text(p, type);
		print_function_type(p, labels, type);
	} else
		print(p, type, false);
}

static uint16_t print_entity(struct printer *p, uint16_t ref, bool in_front, struct entity e)
{
	uint16_t arguments = 0, postfix = 0;
	if (kind_of(p, ref) == KIND_BOUND_FUNCTION) {
		arguments = child_of(p, ref, 1);
		ref = child_of(p, ref, 0);
	}
	bool multiple = e.extra != NULL && strchr(e.extra, ' ') != NULL;
	if (e.has_name && kind_of(p, child_of(p, ref, 1)) == KIND_LOCAL_NAME)
		multiple = true;
	if (in_front && (e.style != NO_TYPE || multiple))
		return ref;

	uint16_t context = child_of(p, ref, 0);
	if (multiple)
		postfix = context;
	else {
		size_t before = p->size;
		postfix = print(p, context, true);
		if (p->size != before)
			put_words(p, ".");
	}
	if (e.has_name || e.name != NULL) {
		if (e.extra != NULL && multiple) {
			put_words(p, e.extra);
			if (e.number > 0)
				put_number(p, e.number);
			put_words(p, " of ");
			e.extra = NULL;
		}
		size_t before = p->size;
		if (e.name != NULL)
			put_words(p, e.name);
		else {
			uint16_t name = child_of(p, ref, 1);
			if (kind_of(p, name) != KIND_PRIVATE_NAME)
				print(p, name, false);
			uint16_t private_name = find_kind(p, ref, KIND_PRIVATE_NAME);
			if (private_name != 0)
				print(p, private_name, false);
		}
		if (p->size != before && e.extra != NULL)
			put_words(p, ".");
	}
	if (e.extra != NULL) {
		put_words(p, e.extra);
		if (e.number > 0)
			put_number(p, e.number);
	}
	uint16_t type = e.style == NO_TYPE ? 0 : find_type(p, ref);
	if (type != 0) {
		uint16_t function = type;
		while (kind_of(p, function) == KIND_DEPENDENT_TYPE)
			function = child_of(p, function, 1);
		if (e.style == AS_FUNCTION && kind_of(p, function) == KIND_FUNCTION_TYPE) {
			if (multiple)
				put_words(p, " ");
			print_entity_type(p, ref, type, arguments);
		} else if (p->full) {
			put_words(p, " : ");
			print_entity_type(p, ref, type, arguments);
		}
	}
	if (in_front || postfix == 0)
		return postfix;
	uint8_t kind = kind_of(p, ref);
	put_words(p, kind == KIND_DEFAULT_ARGUMENT || kind == KIND_BACKING ? " of " : " in ");
	print(p, postfix, false);
	return 0;
}

static uint16_t print_macro_expansion(struct printer *p, uint16_t ref, bool in_front)
{
	if (in_front)
		return ref;
	uint16_t attached = child_of(p, ref, 2);
	put_text(p, ref);
	if (attached != 0 && kind_of(p, attached) != KIND_PRIVATE_NAME) {
		print(p, child_of(p, ref, 1), false);
		put_words(p, " expansion #");
	} else
		attached = child_of(p, ref, 1);
	put_number(p, node_of(p, ref)->number + 1);
	put_words(p, " of ");
	print(p, attached, false);
	put_words(p, " in ");
	print(p, child_of(p, ref, 0), false);
	return 0;
}

static const char *change_words(uint32_t change)
{
	switch (change) {
	case CHANGED_FUNCTION:
		return "Constant Propagated Function";
	case CHANGED_GLOBAL:
		return "Constant Propagated Global";
	case CHANGED_INTEGER:
		return "Constant Propagated Integer";
	case CHANGED_FLOAT:
		return "Constant Propagated Float";
	case CHANGED_STRING:
		return "Constant Propagated String";
	case CHANGED_KEY_PATH:
		return "Constant Propagated KeyPath";
	case CHANGED_STRUCT:
		return "Constant Propagated Struct";
	case CHANGED_CLOSURE:
		return "Closure Propagated";
	case CHANGED_BOX_TO_VALUE:
		return "Value Promoted from Box";
	case CHANGED_BOX_TO_STACK:
		return "Stack Promoted from Box";
	case CHANGED_INOUT_TO_OUT:
		return "InOut Converted to Out";
	default:
		return "";
	}
}

static void print_change(struct printer *p, uint16_t ref)
{
	static const struct {
		uint32_t change;
		const char *words;
	} flags[] = { { CHANGED_TO_GENERIC, "Existential To Protocol Constrained Generic" },
		      { CHANGED_DEAD, "Dead" },
		      { CHANGED_TO_GUARANTEED, "Owned To Guaranteed" },
		      { CHANGED_TO_OWNED, "Guaranteed To Owned" },
		      { CHANGED_EXPLODED, "Exploded" } };
	uint32_t change = node_of(p, ref)->number;
	const char *separator = "";
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (change & flags[i].change) {
			put_words(p, separator);
			put_words(p, flags[i].words);
			separator = " and ";
		}
	uint16_t first = child_of(p, ref, 0), second = child_of(p, ref, 1);
	if (change > CHANGED_INOUT_TO_OUT)
		return;
	if (change >= CHANGED_BOX_TO_VALUE) {
		put_words(p, change_words(change));
		return;
	}
	put_words(p, "[");
	put_words(p, change_words(change));
	put_words(p, " : ");
	bool plain = p->plain;
	p->plain = true;
	print(p, first, false);
	p->plain = plain;
	if (change == CHANGED_STRING) {
		put_words(p, "'");
		print(p, second, false);
		put_words(p, "'");
	}
	if (change == CHANGED_CLOSURE) {
		put_words(p, ", Argument Types : [");
		print_all(p, second, 0, "");
	}
	if (change == CHANGED_KEY_PATH) {
		put_words(p, "<");
		print_all(p, second, 0, ",");
		put_words(p, ">");
	}
	put_words(p, "]");
}

static void print_specialization(struct printer *p, uint16_t ref)
{
	if (!p->full) {
		if (!p->specialized)
			put_words(p, "specialized ");
		p->specialized = true;
		return;
	}
	const struct swift_node *node = node_of(p, ref);
	uint16_t arguments = child_of(p, ref, 0), result = child_of(p, ref, 1);
	const char *separator = "";
	put_text(p, ref);
	put_words(p, " <");
	if (find_kind(p, ref, KIND_SERIALIZED) != 0) {
		put_words(p, "serialized");
		separator = ", ";
	}
	if (node->number != 1) {
		if (node_of(p, arguments)->count > 0)
			put_words(p, separator);
		if (node->number == 2)
			put_words(p, "Signature = ");
		print_all(p, arguments, 0, ", ");
	}
	for (unsigned i = 0; node->number == 1 && i < node_of(p, arguments)->count; i++) {
		uint16_t argument = child_of(p, arguments, i);
		if (node_of(p, argument)->number == 0)
			continue;
		put_words(p, separator);
		put_words(p, "Arg[");
		put_number(p, i);
		put_words(p, "] = ");
		print_change(p, argument);
		separator = ", ";
	}
	if (node->number == 1 && node_of(p, result)->number != 0) {
		put_words(p, separator);
		put_words(p, "Return = ");
		print_change(p, result);
	}
	put_words(p, "> of ");
}

static void print_global(struct printer *p, uint16_t ref)
{
	const struct swift_node *node = node_of(p, ref);
	for (unsigned i = 0; i < node->count; i++) {
		uint16_t part = child_of(p, ref, i), next = child_of(p, ref, i + 1);
		switch (kind_of(p, part)) {
		case KIND_PARTIAL_APPLY:
			if (p->full || kind_of(p, part) != KIND_PARTIAL_APPLY)
				put_text(p, part);
			else
				put_words(p, "partial apply");
			if (next != 0 && kind_of(p, next) != KIND_SUFFIX)
				put_words(p, " for ");
			break;
		case KIND_RESUME:
			if (!p->full)
				break;
			put_words(p, "(");
			put_number(p, node_of(p, part)->number);
			put_words(p, ")");
			put_text(p, part);
			break;
		case KIND_OUTLINED_VARIABLE:
			put_text(p, part);
			put_number(p, node_of(p, part)->number);
			put_words(p, " of ");
			break;
		case KIND_OMITTED_ATTRIBUTE:
			if (p->full)
				put_text(p, part);
			break;
		case KIND_SUFFIX:
			if (!p->full)
				break;
			put_words(p, " with unmangled suffix \"");
			put_text(p, part);
			put_words(p, "\"");
			break;
		default:
			print(p, part, false);
		}
	}
}

static void print_reabstraction(struct printer *p, uint16_t ref)
{
	const struct swift_node *node = node_of(p, ref);
	if (!p->full && !node->number) {
		put_words(p, "thunk for ");
		print(p, child_of(p, ref, 0), false);
		return;
	}
	uint16_t signature = find_kind(p, ref, KIND_SIGNATURE);
	put_text(p, ref);
	if (signature != 0) {
		print(p, signature, false);
		put_words(p, " ");
	}
	put_words(p, "from ");
	print(p, child_of(p, ref, 0), false);
	put_words(p, " to ");
	print(p, child_of(p, ref, 1), false);
	if (node->number) {
		put_words(p, " self ");
		print(p, child_of(p, ref, 2), false);
	}
}

/* Print the indices in a subset of parameters or results: "SUS" is {0, 2}. */
static void print_subset(struct printer *p, uint16_t subset)
{
	const char *separator = "";
	put_words(p, "{");
	for (unsigned i = 0; i < node_of(p, subset)->size; i++)
		if (node_of(p, subset)->text[i] == 'S') {
			put_words(p, separator);
			put_number(p, i);
			separator = ", ";
		}
	put_words(p, "}");
}

static const char *derivative_words(uint32_t kind)
{
	switch (kind) {
	case 'f':
		return "forward-mode derivative";
	case 'r':
		return "reverse-mode derivative";
	case 'd':
		return "differential";
	default:
		return "pullback";
	}
}

static void print_derivative(struct printer *p, uint16_t ref)
{
	const struct swift_node *node = node_of(p, ref);
	uint16_t of = child_of(p, ref, 0), subsets = child_of(p, ref, 1);
	uint16_t signature = find_kind(p, of, KIND_SIGNATURE);
	put_text(p, ref);
	switch (node->size == 0 ? 'f' : node->text[node->size - 2]) {
	case 'k': /* self-reordering reabstraction thunk */
		put_words(p, "for ");
		if (!p->full) {
			print(p, child_of(p, of, 0), false);
			return;
		}
		put_words(p, derivative_words(node->number));
		if (signature != 0)
			print(p, signature, false);
		put_words(p, "  from ");
		print(p, child_of(p, of, 0), false);
		put_words(p, " to ");
		print(p, child_of(p, of, 1), false);
		return;
	default:
		put_words(p, derivative_words(node->number));
		put_words(p, " of ");
	}
	for (unsigned i = 0; i < node_of(p, of)->count; i++)
		if (child_of(p, of, i) != signature)
			print(p, child_of(p, of, i), false);
	if (!p->full)
		return;
	put_words(p, " with respect to parameters ");
	print_subset(p, child_of(p, subsets, 0));
	put_words(p, " and results ");
	print_subset(p, child_of(p, subsets, 1));
	if (child_of(p, subsets, 2) != 0) {
		put_words(p, " to parameters ");
		print_subset(p, child_of(p, subsets, 2));
	}
	if (signature != 0) {
		put_words(p, " with ");
		print(p, signature, false);
	}
}

static void print_joined(struct printer *p, uint16_t ref, unsigned first, const char *between,
                         unsigned second)
{
	print(p, child_of(p, ref, first), false);
	put_words(p, between);
	print(p, child_of(p, ref, second), false);
}

static void print_private_name(struct printer *p, uint16_t ref)
{
	uint16_t name = child_of(p, ref, 1);
	if (p->full)
		put_words(p, "(");
	if (name != 0)
		print(p, name, false);
	if (p->full) {
		put_words(p, name != 0 ? " in " : "in ");
		print(p, child_of(p, ref, 0), false);
		put_words(p, ")");
	}
}

/*
 * Patterns for kinds that are printed alike in the short and the full form: %0 to %3 are children,
 * %* is all children separated by commas, %t is the text of the node, %n its number.
 */
static const char *const patterns[KIND_END] = {
	[KIND_IDENTIFIER] = "%t",
	[KIND_BUILTIN] = "%t",
	[KIND_ATTRIBUTE] = "%t",
	[KIND_RELATED_NAME] = "related decl '%t' for %0",
	[KIND_TUPLE] = "(%*)",
	[KIND_PACK] = "%t%*}",
	[KIND_TYPE_LIST] = "%*",
	[KIND_MEMBER] = "%0.%1",
	[KIND_CONFORMS] = "%0: %1",
	[KIND_SAME_TYPE] = "%0 == %1",
	[KIND_SAME_SHAPE] = "%0.shape == %1.shape",
	[KIND_PROTOCOLS_CLASS] = "%1 & %0",
	[KIND_CONSTRAINED] = "any %0<%1>",
	[KIND_OPAQUE] = "%0.%n",
	[KIND_OPAQUE_OF] = "<<opaque return type of %0>>",
	[KIND_PACK_EXPANSION] = "repeat %0",
	[KIND_PACK_ELEMENT] = "/* level: %n */ each %0",
	[KIND_INTEGER] = "%t%n",
	[KIND_FIXED_ARRAY] = "Builtin.FixedArray<%0, %1>",
	[KIND_SHAPE] = "existential shape for %0 any <null node pointer>",
	[KIND_OF] = "%t%0",
	[KIND_WITNESS] = "protocol witness for %1 in conformance %0",
	[KIND_VTABLE_THUNK] = "vtable thunk for %1 dispatching to %0",
	[KIND_LAZY_TABLE] = "%t%0 and conformance %1",
	[KIND_ACTOR_THUNK] = "%0 with global actor constraint %1",
	[KIND_TYPE_MANGLING] = "%0",
};

static void print_pattern(struct printer *p, uint16_t ref, const char *pattern)
{
	for (; *pattern != 0; pattern++) {
		size_t plain = strcspn(pattern, "%");
		put(p, pattern, plain);
		pattern += plain;
		if (*pattern == 0)
			break;
		switch (*++pattern) {
		case 't':
			put_text(p, ref);
			break;
		case 'n':
			put_number(p, node_of(p, ref)->number);
			break;
		case '*':
			print_all(p, ref, 0, ", ");
			break;
		default:
			print(p, child_of(p, ref, (unsigned)(*pattern - '0')), false);
		}
	}
}

static uint16_t print_node(struct printer *p, uint16_t ref, bool in_front)
{
	const struct swift_node *node = node_of(p, ref);
	uint16_t first = child_of(p, ref, 0), second = child_of(p, ref, 1);
	if (patterns[node->kind] != NULL) {
		print_pattern(p, ref, patterns[node->kind]);
		return 0;
	}
	switch (node->kind) {
	case KIND_GLOBAL:
		print_global(p, ref);
		break;
	case KIND_MODULE:
		if (p->full)
			put_text(p, ref);
		break;
	case KIND_EXTENSION:
		if (p->full) {
			put_words(p, "(extension in ");
			print(p, first, true);
			put_words(p, "):");
		}
		print(p, second, false);
		if (node->count > 2)
			print(p, child_of(p, ref, 2), false);
		break;
	case KIND_ANONYMOUS:
		if (p->full) {
			print(p, second, false);
			put_words(p, ".(unknown context at ");
			print(p, first, false);
			put_words(p, ")");
			if (node_of(p, child_of(p, ref, 2))->count > 0) {
				put_words(p, "<");
				print_all(p, child_of(p, ref, 2), 0, ", ");
				put_words(p, ">");
			}
		}
		break;
	case KIND_CLASS:
	case KIND_STRUCTURE:
	case KIND_ENUM:
	case KIND_PROTOCOL:
	case KIND_ALIAS:
	case KIND_OTHER_NOMINAL:
	case KIND_BUILTIN_TUPLE:
	case KIND_GENERIC_PARAMETER_DECL:
		return print_entity(p, ref, in_front,
		                    (struct entity){ .style = NO_TYPE, .has_name = true });
	case KIND_FUNCTION:
	case KIND_BOUND_FUNCTION:
	case KIND_MACRO:
		return print_entity(p, ref, in_front,
		                    (struct entity){ .style = AS_FUNCTION, .has_name = true });
	case KIND_VARIABLE:
		return print_entity(p, ref, in_front,
		                    (struct entity){ .style = WITH_COLON, .has_name = true });
	case KIND_SUBSCRIPT:
		return print_entity(p, ref, in_front,
		                    (struct entity){ .style = AS_FUNCTION, .name = "subscript" });
	case KIND_INITIALIZER:
		return print_entity(p, ref, in_front,
		                    (struct entity){ .style = AS_FUNCTION,
		                                     .has_name = node->number != 0,
		                                     .extra = node->text });
	case KIND_DEINIT: {
		/*
		 * only the deallocator of a class is called __deallocating_deinit; others are
		 * called deinit
		 */
		bool plain = node->number != 0 && kind_of(p, first) != KIND_CLASS;
		return print_entity(p, ref, in_front,
		                    (struct entity){ .style = NO_TYPE,
		                                     .extra = plain ? "deinit" : node->text });
	}
	case KIND_CLOSURE:
		return print_entity(p, ref, in_front,
		                    (struct entity){ .style = p->full ? AS_FUNCTION : NO_TYPE,
		                                     .extra = node->text,
		                                     .number = node->number });
	case KIND_DEFAULT_ARGUMENT:
	case KIND_BACKING:
		if (in_front)
			return ref;
		put_text(p, ref);
		if (node->kind == KIND_DEFAULT_ARGUMENT)
			put_number(p, node->number);
		put_words(p, " of ");
		print(p, first, false);
		break;
	case KIND_ACCESSOR:
		return print_entity(p, first, in_front,
		                    (struct entity){ .style = WITH_COLON,
		                                     .has_name = kind_of(p, first) == KIND_VARIABLE,
		                                     .extra = node->text,
		                                     .name = kind_of(p, first) == KIND_SUBSCRIPT
		                                                     ? "subscript"
		                                                     : NULL });
	case KIND_STATIC:
		put_words(p, "static ");
		return print(p, first, in_front);
	case KIND_MACRO_EXPANSION:
		return print_macro_expansion(p, ref, in_front);

	case KIND_PARTIAL_APPLY:
	case KIND_OMITTED_ATTRIBUTE:
	case KIND_OUTLINED_VARIABLE:
	case KIND_RESUME:
	case KIND_SUFFIX:
		put_text(p, ref);
		break;
	case KIND_LOCAL_NAME:
		print(p, first, false);
		put_words(p, " #");
		put_number(p, node->number + 1);
		break;
	case KIND_PRIVATE_NAME:
		print_private_name(p, ref);
		break;
	case KIND_OPERATOR:
		put_text(p, ref);
		put_words(p, node->number == 'i'   ? " infix"
		             : node->number == 'p' ? " prefix"
		                                   : " postfix");
		break;

	case KIND_FUNCTION_TYPE: {
		/* types nested in another type are printed in full even in the short form */
		bool full = p->full;
		put_text(p, ref);
		print_function_type(p, 0, ref);
		p->full = full;
		break;
	}
	case KIND_ELEMENT:
		if (node->size > 0) {
			put_text(p, ref);
			put_words(p, ": ");
		}
		print(p, first, false);
		if (node->number)
			put_words(p, "...");
		break;
	case KIND_BOUND:
		print_bound(p, ref);
		break;
	case KIND_PARAMETER:
		print_parameter_name(p, node->size, node->number);
		break;
	case KIND_ASSOCIATED:
		if (second != 0)
			print_joined(p, ref, 1, ".", 0);
		else
			print(p, first, false);
		break;
	case KIND_DEPENDENT_TYPE:
		print(p, first, false);
		print_space_before(p, second);
		print(p, second, false);
		break;
	case KIND_SIGNATURE:
		print_signature(p, ref);
		break;
	case KIND_LAYOUT:
		print(p, first, false);
		put_words(p, ": ");
		put_text(p, ref);
		if (second != 0) {
			put_words(p, "(");
			print_all(p, ref, 1, ", ");
			put_words(p, ")");
		}
		break;
	case KIND_INVERSE:
		print(p, first, false);
		put_words(p, node->number == 0 ? ": ~Swift.Copyable" : ": ~Swift.Escapable");
		break;
	case KIND_PACK_PARAMETER:
	case KIND_VALUE_PARAMETER:
		break;
	case KIND_METATYPE: {
		uint8_t kind = kind_of(p, first);
		bool protocol =
			!node->number && (kind == KIND_PROTOCOLS || kind == KIND_PROTOCOLS_CLASS ||
		                          kind == KIND_PROTOCOLS_ANY ||
		                          (kind == KIND_METATYPE && node_of(p, first)->number));
		put_text(p, ref);
		if (node->number)
			print(p, first, false);
		else
			print_in_parentheses(p, first);
		put_words(p, protocol ? ".Protocol" : ".Type");
		break;
	}
	case KIND_PROTOCOLS:
		if (node->count == 0)
			put_words(p, "Any");
		print_all(p, ref, 0, " & ");
		break;
	case KIND_PROTOCOLS_ANY:
		if (node_of(p, first)->count > 0) {
			print(p, first, false);
			put_words(p, " & ");
		}
		put_words(p, "Swift.AnyObject"); /* even the short form prints this module */
		break;
	case KIND_SUGAR:
		print_sugar(p, ref);
		break;
	case KIND_WORDS:
		put_text(p, ref);
		if (first != 0) {
			if (node->size == 5 && memcmp(node->text, "@box ", 5) == 0)
				print_in_parentheses(p, first);
			else
				print(p, first, false);
		}
		break;
	case KIND_LOWERED_FUNCTION:
		print_lowered_function(p, ref);
		break;
	case KIND_BOX:
		print_box(p, ref);
		break;
	case KIND_SPECIALIZATION:
		print_specialization(p, ref);
		break;
	case KIND_ARGUMENT_CHANGED:
		print_change(p, ref);
		break;
	case KIND_CONFORMANCE:
		if (node->count > 3) {
			put_words(p, "property behavior storage of ");
			print_joined(p, ref, 3, " in ", 0);
			put_words(p, " : ");
			print(p, second, false);
		} else if (p->full) {
			print_joined(p, ref, 0, " : ", 1);
			put_words(p, " in ");
			print(p, child_of(p, ref, 2), false);
		} else
			print(p, first, false);
		break;
	case KIND_REABSTRACTION:
		print_reabstraction(p, ref);
		break;
	case KIND_KEY_PATH: {
		uint16_t types = child_of(p, ref, node->count - 1u);
		put_text(p, ref);
		print(p, first, false);
		put_words(p, " : ");
		if (node->count > 2)
			print(p, second, false);
		print_all(p, types, 0, "");
		break;
	}
	case KIND_KEY_PATH_HELPER:
		put_text(p, ref);
		if (second != 0)
			print(p, second, false);
		put_words(p, "(");
		print_all(p, first, 0, ", ");
		put_words(p, ")");
		break;
	case KIND_ASSOCIATED_ACCESS:
		put_text(p, ref);
		if (kind_of(p, first) == KIND_CONFORMANCE) {
			print(p, second, false);
			if (node->count > 2) {
				put_words(p, " : ");
				print(p, child_of(p, ref, 2), false);
			}
			put_words(p, " in ");
			print(p, first, false);
		} else if (node->count > 2) {
			print_joined(p, ref, 0, ".", 1);
			put_words(p, ": ");
			print(p, child_of(p, ref, 2), false);
		} else
			print_joined(p, ref, 0, ": ", 1);
		break;
	case KIND_VALUE_WITNESS:
		put_text(p, ref);
		put_words(p, p->full ? " value witness for " : " for ");
		print(p, first, false);
		break;
	case KIND_OUTLINED:
		put_text(p, ref);
		print(p, first, false);
		if (second != 0 && node->number)
			print(p, second, false);
		break;
	case KIND_DERIVATIVE:
		print_derivative(p, ref);
		break;
	case KIND_ONCE:
		put_text(p, ref);
		if (node->count > 2)
			put_words(p, "(");
		print_all(p, ref, 1, ", ");
		if (node->count > 2)
			put_words(p, ")");
		break;
	case KIND_PATH:
		print_all(p, ref, 0, ".");
		break;
	case KIND_COMPLETION:
		put_text(p, ref);
		if (node->count > 2)
			print(p, child_of(p, ref, 2), false);
		print_joined(p, ref, 0, " with result type ", 1);
		break;
	/*
	 * print nothing for markers, which exist only while a name is read, and for nodes that
	 * their parents print
	 */
	default:
		break;
	}
	return 0;
}

static uint16_t print(struct printer *p, uint16_t ref, bool in_front)
{
	if (p->failed || p->steps == 0 || p->depth == SWIFT_DEPTH) {
		p->failed = true;
		return 0;
	}
	p->steps--;
	p->depth++;
	uint16_t postfix = print_node(p, ref, in_front);
	p->depth--;
	return postfix;
}

size_t swift_print(const struct swift_names *w, uint16_t global, enum swift_form form,
                   unsigned *steps, char *out, size_t capacity, bool *exhausted)
{
	struct printer p = { .w = w,
		             .out = out,
		             .capacity = capacity,
		             .steps = *steps,
		             .full = form == SWIFT_FULL };
	print(&p, global, false);
	*steps = p.steps;
	*exhausted = p.failed;
	return p.failed ? 0 : p.size;
}
