/* SPDX-License-Identifier: MIT */
/* Syntax tree of a mangled Swift name, which mangled_read.c builds and mangled_print.c prints. */
#ifndef CAIRN_FORMATS_SWIFT_MANGLED_NODE_H
#define CAIRN_FORMATS_SWIFT_MANGLED_NODE_H

#include "mangled.h"

/*
 * A reference to a node is the node's index, or 0 for a missing node. Where Swift's grammar wraps a
 * node in a node "Type", this tree sets a bit in the reference instead, which halves the number of
 * nodes.
 */
enum { SWIFT_TYPE = 0x8000 };

/*
 * Kinds of nodes. Kinds that the grammar treats alike are adjacent, so that a range test suffices.
 * The comments list the children of each kind, then `text` and `number` if the kind uses them.
 */
enum swift_kind {
	KIND_NONE,
	KIND_GLOBAL, /* attributes, then the entity */

	/* Contexts: entities that can contain the declarations of other entities. */
	KIND_MODULE,
	KIND_EXTENSION, /* module, extended type, optional generic signature */
	KIND_ANONYMOUS, /* name, parent, types */
	KIND_CLASS,     /* first of the nominal types; context, name */
	KIND_STRUCTURE,
	KIND_ENUM,
	KIND_PROTOCOL,
	KIND_ALIAS,
	KIND_OTHER_NOMINAL,
	KIND_BUILTIN_TUPLE, /* last of the nominal types */
	KIND_FUNCTION,      /* context, name, optional labels, type */
	KIND_VARIABLE,      /* context, name, optional labels, type */
	KIND_SUBSCRIPT,     /* context, optional labels, type, optional private name */
	/*
	 * context, optional labels, type, optional private name; text; number: 1 if the initializer
	 * does not allocate
	 */
	KIND_INITIALIZER,
	KIND_DEINIT,           /* context; text: demangled keyword */
	KIND_CLOSURE,          /* context, type; number, text: explicit or implicit */
	KIND_DEFAULT_ARGUMENT, /* context; number */
	KIND_BACKING,          /* context; text: "variable initialization expression" or similar */
	KIND_ACCESSOR,         /* variable or subscript; text: kind of accessor */
	KIND_STATIC,           /* entity */
	KIND_MACRO,            /* context, name, optional labels, type */
	KIND_MACRO_EXPANSION,  /* context, macro name, optional attached name; number, text */
	KIND_GENERIC_PARAMETER_DECL, /* context, name */
	KIND_CONTEXT_END,

	/* Names of declarations. */
	KIND_IDENTIFIER,
	KIND_LOCAL_NAME,   /* name; number */
	KIND_PRIVATE_NAME, /* discriminator, optional name */
	KIND_RELATED_NAME, /* name; text: kind of relation */
	KIND_OPERATOR,     /* text; number: 'i', 'p' or 'P' */
	KIND_NAME_END,

	/* Function types and their components. */
	/* any of the kinds below, in their order, then arguments and result; text: prefix */
	KIND_FUNCTION_TYPE,
	KIND_SENDING_RESULT,
	KIND_GLOBAL_ACTOR, /* type */
	KIND_ISOLATED_ANY,
	KIND_CALLER_ISOLATED,
	KIND_DIFFERENTIABLE, /* number: 'd', 'f', 'r' or 'l' */
	KIND_THROWS,         /* optional type */
	KIND_SENDABLE,
	KIND_ASYNC,
	KIND_ARGUMENTS, /* type */
	KIND_RESULT,    /* type */
	KIND_LABELS,

	/* Other types. */
	KIND_BUILTIN,   /* text */
	KIND_TUPLE,     /* elements */
	KIND_ELEMENT,   /* type; text: label; number: 1 if variadic */
	KIND_PACK,      /* types; text: prefix */
	KIND_TYPE_LIST, /* types */
	/* generic type with arguments: nominal type, type list, optional conformances */
	KIND_BOUND,
	KIND_BOUND_FUNCTION,
	KIND_PARAMETER,      /* generic parameter; number: index; size: depth */
	KIND_MEMBER,         /* base, name */
	KIND_ASSOCIATED,     /* name, optional protocol */
	KIND_DEPENDENT_TYPE, /* generic signature, type */
	KIND_SIGNATURE,      /* counts, then requirements; number: number of counts */
	KIND_COUNT,          /* number */
	KIND_CONFORMS,       /* requirement: type, protocol or class */
	KIND_SAME_TYPE,      /* type, type */
	KIND_SAME_SHAPE,     /* type, type */
	KIND_LAYOUT,         /* layout constraint: type; text: kind; optional size and alignment */
	KIND_INVERSE, /* inverse requirement (~Protocol): type; number: index of the protocol */
	KIND_PACK_PARAMETER,   /* type */
	KIND_VALUE_PARAMETER,  /* type, type */
	KIND_METATYPE,         /* type; text: representation; number: 1 if existential */
	KIND_PROTOCOLS,        /* protocols */
	KIND_PROTOCOLS_CLASS,  /* protocols, class */
	KIND_PROTOCOLS_ANY,    /* protocols, with AnyObject */
	KIND_CONSTRAINED,      /* base, requirements */
	KIND_OPAQUE,           /* declaration; number */
	KIND_OPAQUE_OF,        /* context */
	KIND_PACK_EXPANSION,   /* pattern */
	KIND_PACK_ELEMENT,     /* pack; number: nesting level */
	KIND_SUGAR,            /* types; number: letter of the syntactic sugar, such as T? or [T] */
	KIND_INTEGER,          /* number; text: sign */
	KIND_WORDS,            /* text before the type; the type then needs no parentheses */
	KIND_FIXED_ARRAY,      /* size, element */
	KIND_LOWERED_FUNCTION, /* parts */
	KIND_LOWERED_PART,     /* words, then a type */
	KIND_LOWERED_RESULT,   /* words, then a type; printed after the arrow */
	KIND_LOWERED_PATTERN,  /* signature, types */
	KIND_LOWERED_INVOCATION, /* types */
	KIND_SHAPE,              /* existential type */
	KIND_BOX,                /* fields, optional signature and types */

	/* Markers that exist only while a name is read. */
	KIND_EMPTY_LIST,
	KIND_FIRST_ELEMENT,
	KIND_VARIADIC,
	KIND_CONFORMANCE_REF,
	KIND_ANY_CONFORMANCE,
	KIND_RETROACTIVE,
	KIND_CONFORMANCE_LIST,

	/* Attributes of a whole symbol. They precede the entity that they apply to. */
	KIND_ATTRIBUTE,         /* text */
	KIND_PARTIAL_APPLY,     /* text, printed before the rest of the symbol */
	KIND_RESUME,            /* async funclet; number, text */
	KIND_OUTLINED_VARIABLE, /* number; text */
	KIND_OMITTED_ATTRIBUTE, /* text, which the short form omits */
	/*
	 * arguments, optional result, KIND_SERIALIZED; text; number: 1 for a function signature
	 * specialization, 2 for a partial specialization
	 */
	KIND_SPECIALIZATION,
	KIND_ATTRIBUTE_END,
	KIND_SERIALIZED,
	KIND_ARGUMENT_CHANGED, /* payload and types; number: how the argument changed */

	/* Other symbols. */
	KIND_OF,           /* child; text, printed before the child; for symbols not listed below */
	KIND_CONFORMANCE,  /* type, protocol, module */
	KIND_WITNESS,      /* conformance, entity */
	KIND_VTABLE_THUNK, /* derived, base */
	/* two types, optional self type, optional signature; text; number: 1 with a self type */
	KIND_REABSTRACTION,
	KIND_KEY_PATH,          /* entity, optional signature, types; text */
	KIND_KEY_PATH_HELPER,   /* types, optional signature; text */
	KIND_LAZY_TABLE,        /* type, conformance; text */
	KIND_ASSOCIATED_ACCESS, /* conformance, path, optional protocol; text */
	KIND_VALUE_WITNESS,     /* type; text */
	/* type, optional signature; text; number: 1 if the signature is printed */
	KIND_OUTLINED,
	/*
	 * list of nodes for the differentiated function, list of parameter and result subsets;
	 * text; number: letter of the kind
	 */
	KIND_DERIVATIVE,
	KIND_ONCE,          /* context, names; text */
	KIND_PATH,          /* names, for associated types of associated types */
	KIND_ACTOR_THUNK,   /* thunk, actor */
	KIND_COMPLETION,    /* implementation type, result type, optional signature; text */
	KIND_TYPE_MANGLING, /* type */
	KIND_SUFFIX,        /* text */
	KIND_END
};

/*
 * How a function signature specialization changed an argument. The low numbers exclude each other;
 * higher bits can be combined.
 */
enum {
	CHANGED_FUNCTION = 1,
	CHANGED_GLOBAL,
	CHANGED_INTEGER,
	CHANGED_FLOAT,
	CHANGED_STRING,
	CHANGED_KEY_PATH,
	CHANGED_CLOSURE,
	CHANGED_STRUCT,
	CHANGED_BOX_TO_VALUE,
	CHANGED_BOX_TO_STACK,
	CHANGED_INOUT_TO_OUT,
	CHANGED_TO_GENERIC = 1 << 4,
	CHANGED_DEAD = 1 << 5,
	CHANGED_TO_GUARANTEED = 1 << 6,
	CHANGED_TO_OWNED = 1 << 7,
	CHANGED_EXPLODED = 1 << 8,
};

/* State while one mangled name is read. Each nested name has its own reader. */
struct swift_reader {
	struct swift_names *w;
	struct cairn_bytes in;
	size_t at;
	unsigned nodes, children, top, bottom, substitutions, first_substitution, words, pool,
		nested;
	/* total size of nested names so far, including names that could not be read */
	size_t payloads;
	bool exhausted;
	struct cairn_bytes word[SWIFT_WORDS];
};

/*
 * Read the name, including its prefix, and return its KIND_GLOBAL node, or 0 if it is invalid or a
 * limit is exceeded.
 */
uint16_t swift_read(struct swift_reader *r);

/*
 * Print a tree and return the size of the output. *steps is the maximum number of nodes to print;
 * subtract the number of printed nodes from it. If a limit is exceeded, return 0 and set
 * *exhausted.
 */
size_t swift_print(const struct swift_names *w, uint16_t global, enum swift_form form,
                   unsigned *steps, char *out, size_t capacity, bool *exhausted);

#endif
